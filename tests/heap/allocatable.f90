! SPDX-License-Identifier: Apache-2.0
! Threads that allocate, reallocate by assignment, move and free arrays; prints a checksum.
program allocatable_arrays
  use iso_fortran_env, only: int64, real64
  implicit none
  type vector
    real(real64), allocatable :: values(:)
  end type
  type(vector) :: vectors(200)
  real(real64), allocatable :: moved(:)
  real(real64) :: total
  integer :: round, at
  total = 0
  do round = 1, 20
    !$omp parallel do schedule(dynamic, 1) num_threads(8) private(moved) reduction(+ : total)
    do at = 1, size(vectors)
      if (.not. allocated(vectors(at)%values)) allocate (vectors(at)%values(at * 37), source=real(at, real64))
      vectors(at)%values = [vectors(at)%values, spread(real(round, real64), 1, modulo(at * round, 500))]
      total = total + sum(vectors(at)%values)
      if (modulo(at + round, 5) == 0) then
        call move_alloc(vectors(at)%values, moved)
        total = total + size(moved)
        deallocate (moved)
      end if
    end do
  end do
  print '(a, i0)', 'checksum ', int(total, int64)
end program
