! SPDX-License-Identifier: Apache-2.0
! Prints lines on two ranks at the same time, and one more before the other rank ends the job.
program fortran_lines
  use mpi
  implicit none
  integer :: line, rank, code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  do line = 1, 1000
    print '(a,i0,a,i5)', ' rank ', rank, ' says line', line
  end do
  if (rank == 0) print *, 'before the end'
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (rank == 1) call MPI_Abort(MPI_COMM_WORLD, 7, code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
end program
