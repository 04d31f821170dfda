# SPDX-License-Identifier: MIT
# options: cores=4 timeout=1500
export GOCACHE=$PWD/c GO111MODULE=on HOME=$PWD; mkdir p && cd p
printf 'module p\ngo 1.19\n' >go.mod; printf 'package p\nfunc Sum(v ...int) (s int) { for _, x := range v { s += x }; return }\n' >p.go
cat >p_test.go <<'END'
package p
import "testing"
func TestSum(t *testing.T) { if Sum(1, 2, 3) != 6 { t.Fatal("sum") } }
func TestSub(t *testing.T) { for _, n := range []string{"a", "b"} { t.Run(n, func(t *testing.T) { t.Parallel() }) } }
func TestSkip(t *testing.T) { t.Skip("not now") }
END
go test -v ./... 2>&1 | sed 's/[0-9.]*s)$/s)/; s/\t[0-9.]*s$//' | grep -v '^=== \(PAUSE\|CONT\)' | sort
