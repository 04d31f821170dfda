# SPDX-License-Identifier: MIT
perl -e '
use strict; use warnings; use Digest::SHA qw(sha256_hex); use List::Util qw(sum);
my %c; $c{length $_}++ for map { $_ * $_ } 1 .. 20000; print "$_=$c{$_}\n" for sort { $a <=> $b } keys %c;
print sha256_hex("rewind" x 1000), "\n", sum(1 .. 1000), "\n";
my @kids = map { my $n = $_; my $p = fork; if (!$p) { exit $n } $p } 1 .. 5;
waitpid($_, 0), print $? >> 8, "\n" for @kids;
my $s = "a1b22c333"; print join(",", $s =~ /(\d+)/g), "\n";
local $SIG{ALRM} = sub { print "alarm\n" }; alarm 1; select undef, undef, undef, 3;
printf "%.12f\n", atan2(1, 1) * 4;
'
