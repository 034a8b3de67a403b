! SPDX-License-Identifier: Apache-2.0
! One file with program units of module mpi and of mpi_f08, which pass handles and statuses to each other, and the
! profiling names and refusals of mpi_f08. C gets statuses of both, and those that say that none is wanted.
subroutine old_style(comm, rank, status, code)
  use mpi
  implicit none
  integer, intent(in) :: comm
  integer, intent(out) :: rank, status(MPI_STATUS_SIZE), code
  integer :: value
  interface
    integer(c_int) function tag_of_status(status) bind(C)
      use iso_c_binding, only: c_int
      integer(c_int), intent(in) :: status(*)
    end function tag_of_status
  end interface
  call MPI_Comm_rank(comm, rank, code)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 4, value, 1, MPI_INTEGER, rank, 4, comm, status, code)
  if (value /= rank) code = MPI_ERR_OTHER
  if (tag_of_status(status) /= 4 .or. tag_of_status(MPI_STATUS_IGNORE) /= -1) code = MPI_ERR_OTHER
  if (tag_of_status(MPI_STATUSES_IGNORE(:, 1)) /= -1) code = MPI_ERR_OTHER
end subroutine old_style

program fortran_both
  use mpi_f08
  implicit none
  interface
    subroutine old_style(comm, rank, status, code)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: comm
      integer, intent(out) :: rank, status(MPI_STATUS_SIZE), code
    end subroutine old_style
    integer(c_int) function tag_of_f08_status(status) bind(C)
      use iso_c_binding, only: c_int
      import :: MPI_Status
      type(MPI_Status), intent(in) :: status
    end function tag_of_f08_status
  end interface
  integer :: rank, ranks, code, seen, old_status(MPI_STATUS_SIZE)
  type(MPI_Status) :: status
  type(MPI_Comm) :: made
  type(MPI_Info) :: info
  double precision :: start

  call PMPI_Init()
  start = PMPI_Wtime()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call PMPI_Comm_size(MPI_COMM_WORLD, ranks)
  call old_style(MPI_COMM_WORLD%MPI_VAL, seen, old_status, code)
  if (seen /= rank .or. code /= MPI_SUCCESS) call failed(1)
  call MPI_Status_f2f08(old_status, status)
  if (status%MPI_SOURCE /= rank .or. status%MPI_TAG /= 4) call failed(2)
  if (tag_of_f08_status(status) /= 4 .or. tag_of_f08_status(MPI_STATUS_IGNORE) /= -1) call failed(8)
  call PMPI_Get_count(status, MPI_INTEGER, seen)
  if (seen /= 1) call failed(3)

  call PMPI_Info_create_env(info)
  call MPI_Info_free(info)
  if (info /= MPI_INFO_NULL) call failed(4)
  if (PMPI_Aint_diff(PMPI_Aint_add(10_MPI_ADDRESS_KIND, 5_MPI_ADDRESS_KIND), 12_MPI_ADDRESS_KIND) /= 3) call failed(5)

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_spawn('other', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, made, MPI_ERRCODES_IGNORE, code)
  if (code == MPI_SUCCESS .or. made /= MPI_COMM_NULL) call failed(6)
  if (PMPI_Wtime() < start) call failed(7)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'fortran_both: passed on ', ranks, ' ranks'
  call PMPI_Finalize()

contains

  subroutine failed(number)
    integer, intent(in) :: number
    print *, 'rank', rank, ': check failed: number', number
    call MPI_Abort(MPI_COMM_WORLD, 3)
  end subroutine failed
end program fortran_both
