! SPDX-License-Identifier: Apache-2.0
! Fortran: SAVE variables, COMMON and units belong to each rank.
! REQUIRES: gfortran
! RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
! RUN: %mafc -O2 %s -o p && %marun -n 3 ./p | FileCheck-19 %s
! RUN: %mafc -O0 -g -fopenmp -c %s -o p.o && %mafc -fopenmp p.o -o q && %marun -n 3 ./q | FileCheck-19 %s && ./q
! RUN: not-19 %mafc -static-libgfortran %s -o r 2>&1 | FileCheck-19 %s --check-prefix=STATIC
! STATIC: mafc: error: -static-libgfortran: the static libgfortran cannot be part of a program
! CHECK-COUNT-3: rank is right
program p
  implicit none
  integer, save :: calls = 0
  integer :: number, again
  common /shared/ number
  character(len=16) :: text
  call get_environment_variable('TAIHU_RANK', text)
  if (text == '') text = '0'
  read (text, *) number
  open (unit=10, file='rank'//trim(text))
  write (10, *) number
  rewind (10)
  read (10, *) again
  calls = calls + 1
  if (again == number .and. calls == 1) print '(a)', 'rank is right'
end program
