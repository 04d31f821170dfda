# SPDX-License-Identifier: MIT
mkdir t && for i in 1 2 3 4; do cat >t/$i.t <<END
use strict; use warnings; use Test::More tests => 3;
ok(1, "one"); is($i * 2, $i + $i, "sum"); is_deeply([sort { \$a <=> \$b } 3, 1, 2], [1, 2, 3], "sorted");
END
done
prove -v t | grep -v '^Files=' ; prove -j3 t | grep -v '^Files=' | sort
echo 'use Test::More tests => 1; ok(0, "fails");' >t/5.t; prove t/5.t >out 2>&1; echo "status $?"
