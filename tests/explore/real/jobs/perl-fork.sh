# SPDX-License-Identifier: MIT
# Two children read a file, add to what it says and write it: one addition is lost (Perl).
cat >a.pl <<'END'
use strict; use warnings;
sub put { my ($n) = @_; open(my $out, ">", "count") or die; print $out "$n\n"; close $out or die; }
sub get { open(my $in, "<", "count") or die; my $n = <$in>; close $in; return defined $n ? $n + 0 : 0; }
put(0);
my @pids;
for my $i (1 .. 2) {
    my $pid = fork // die;
    if (!$pid) { for (1 .. 3) { put(get() + 1); } exit 0; }
    push @pids, $pid;
}
waitpid($_, 0) for @pids;
my $n = get();
die "$n of 6\n" if $n != 6;
END
perl a.pl
