# SPDX-License-Identifier: MIT
# options: mem=2048
cat >a.lisp <<'END'
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(format t "~d ~a~%" (fib 22) (reduce #'* (loop for i from 1 to 30 collect i)))
(let ((h (make-hash-table))) (dotimes (i 1000) (incf (gethash (mod i 7) h 0))) (format t "~a~%" (loop for k from 0 below 7 collect (gethash k h))))
(handler-case (error "oops") (error (e) (format t "~a~%" e)))
(gc :full t) (format t "~,10f~%" (sqrt 2d0))
END
sbcl --script a.lisp
