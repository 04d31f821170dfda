# SPDX-License-Identifier: MIT
# Perl's own chance: the order of hashes, rand, addresses, times.
my %h = map { $_ => 1 } "a" .. "z";
print join("", keys %h), " ", rand, " ", \%h, " ", time, " ", $$, " ", join(" ", times), "\n";
