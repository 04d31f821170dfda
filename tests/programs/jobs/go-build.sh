# SPDX-License-Identifier: MIT
# options: cores=4 timeout=1500
export GOCACHE=$PWD/c GOFLAGS=-mod=mod GO111MODULE=on HOME=$PWD; mkdir p && cd p
cat >go.mod <<'END'
module p
go 1.19
END
cat >main.go <<'END'
package main
import ("fmt"; "net"; "net/http"; "io"; "sync"; "sort")
func main() {
	var wg sync.WaitGroup; ch := make(chan int, 100)
	for i := 0; i < 20; i++ { wg.Add(1); go func(i int) { defer wg.Done(); ch <- i * i }(i) }
	wg.Wait(); close(ch); var got []int; for v := range ch { got = append(got, v) }; sort.Ints(got); fmt.Println(got)
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "path %s", r.URL.Path) }))
	for i := 0; i < 3; i++ { r, err := http.Get(fmt.Sprintf("http://%s/%d", l.Addr(), i)); if err != nil { fmt.Println(err); return }; b, _ := io.ReadAll(r.Body); fmt.Println(string(b)) }
}
END
go build -o e . && ./e
