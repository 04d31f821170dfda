// SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"sync"
)

type Font struct{ name string }

var (
	mu     sync.Mutex
	fonts  = map[string]*Font{}
	loaded int
)

func load(name string) *Font {
	data, err := os.ReadFile("/etc/hostname")
	if err != nil {
		data = nil
	}
	return &Font{name + string(data)}
}

func get(name string) *Font {
	mu.Lock()
	font := fonts[name]
	mu.Unlock()
	if font == nil {
		font = load(name)
		mu.Lock()
		fonts[name] = font
		loaded++
		mu.Unlock()
	}
	return font
}

func main() {
	var done sync.WaitGroup
	for _, name := range []string{"sans", "serif", "sans"} {
		done.Add(1)
		name := name
		go func() {
			defer done.Done()
			get(name)
		}()
		if name == "serif" {
			os.WriteFile("/tmp/log", []byte("half\n"), 0o644)
		}
	}
	done.Wait()
	if loaded != 2 {
		fmt.Fprintln(os.Stderr, "loaded", loaded, "times")
		os.Exit(1)
	}
}
