# SPDX-License-Identifier: MIT
export GUILE_AUTO_COMPILE=0
guile -c '(use-modules (srfi srfi-1) (ice-9 threads)) (define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 18)) (newline) (display (fold + 0 (iota 1000))) (newline) (display (par-map (lambda (x) (* x x)) (iota 6))) (newline) (display (expt 2 200)) (newline) (display (call/cc (lambda (k) (+ 1 (k 42))))) (newline)'
