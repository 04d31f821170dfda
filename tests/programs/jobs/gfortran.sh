# SPDX-License-Identifier: MIT
cat >a.f90 <<'END'
program a
  integer :: i
  real(8) :: x(100, 100), y(100, 100)
  forall (i = 1:100) x(i, :) = i
  y = matmul(x, transpose(x))
  print '(F14.1, F12.8)', sum(y), sqrt(2.0d0)
end program
END
gfortran -O2 a.f90 -o a && ./a
