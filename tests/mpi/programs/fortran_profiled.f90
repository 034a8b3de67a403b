! SPDX-License-Identifier: Apache-2.0
! A profiling tool in Fortran: its procedures have the specific names of MPI-3.1 section 17.1.5 and call PMPI_...
module counts
  implicit none
  integer :: sends = 0, sizes = 0, barriers = 0
end module counts

subroutine tool_send(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="mpi_send_f08ts_")
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use counts
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer(c_int), intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer(c_int), optional, intent(out) :: ierror
  sends = sends + 1
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine tool_send

subroutine tool_size(comm, size, ierror) bind(C, name="mpi_comm_size_f08_")
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use counts
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer(c_int), intent(out) :: size
  integer(c_int), optional, intent(out) :: ierror
  sizes = sizes + 1
  call PMPI_Comm_size(comm, size, ierror)
end subroutine tool_size

! For mpif.h and module mpi.
subroutine mpi_barrier(comm, ierror)
  use counts
  implicit none
  integer, intent(in) :: comm
  integer, intent(out) :: ierror
  external :: pmpi_barrier
  barriers = barriers + 1
  call pmpi_barrier(comm, ierror)
end subroutine mpi_barrier

subroutine older_part()
  use mpi
  implicit none
  integer :: code
  call MPI_Barrier(MPI_COMM_WORLD, code)
end subroutine older_part

program fortran_profiled
  use mpi_f08
  use counts
  implicit none
  integer :: rank, ranks, code
  integer :: row(2, 3), got(3)
  external :: older_part

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  row(1, :) = [1, 2, 3] + 10 * rank
  row(2, :) = 0
  if (rank /= 0) call MPI_Send(row(1, :), 3, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD)
  if (rank + 1 < ranks) then
    call MPI_Recv(got, 3, MPI_INTEGER, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call check(all(got == [1, 2, 3] + 10 * (rank + 1)), 1)
  end if
  call older_part()
  call check(sends == merge(1, 0, rank /= 0), 2)
  call check(sizes == 1, 3)
  call check(barriers == 1, 4)
  if (rank == 0) print '(a)', 'fortran_profiled: passed'
  call MPI_Finalize()
contains
  subroutine check(holds, number)
    logical, intent(in) :: holds
    integer, intent(in) :: number
    if (.not. holds) then
      print '(a,i0)', 'check failed: ', number
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine check
end program fortran_profiled
