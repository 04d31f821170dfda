# SPDX-License-Identifier: MIT
# Perl: regular expressions, sorting, pack, formats, closures, local files, fork and pipes.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use List::Util qw(sum reduce shuffle);
use POSIX qw(floor strftime);

my %count;
my $x = 1;
for (1 .. 3000) { $x = ($x * 1103515245 + 12345) % 2147483648; $count{ $x % 100 }++; }
my @top = (sort { $count{$b} <=> $count{$a} || $a <=> $b } keys %count)[0 .. 4];
print "@top ", sum(values %count), "\n";
(my $text = "The quick brown fox jumps over the lazy dog" x 20) =~ s/(\w+) (\w+)/$2 $1/g;
print sha256_hex($text), " ", scalar(() = $text =~ /o(?=[wxv])/g), "\n";
print unpack("H*", pack("NnCa5w/a*", 305419896, 4660, 18, "hello", "tail")), " ", 10 / 3, " ", 2**0.5, " ", 1e21, "\n";
print strftime("%Y-%m-%d %H:%M:%S", gmtime(1700000000)), " ", floor(-3.5), " ", sprintf("%b %o %x %e", 10, 64, 255, 12345.678), "\n";
my @sorted = map { $_->[1] } sort { $a->[0] <=> $b->[0] } map { [ length, $_ ] } qw(ccc a bb dddd);
print "@sorted ", reduce { $a * $b } 1 .. 15;
print "\n";
srand(7);
print join(",", map { int rand 1000 } 1 .. 5), " ", join("", shuffle("a" .. "h")), "\n";
pipe(my $in, my $out) or die;
my $pid = fork // die;
if (!$pid) { close $in; print $out "from child $_\n" for 1 .. 3; exit 5; }
close $out;
print while <$in>;
waitpid $pid, 0;
print $? >> 8, " ", `echo back ticks | tr a-z A-Z`;
local $@;
eval { die { code => 42 } };
print $@->{code}, "\n";
$SIG{ALRM} = sub { print "alarm\n" };
alarm 1;
select(undef, undef, undef, 3);
