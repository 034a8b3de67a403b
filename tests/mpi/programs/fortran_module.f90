! SPDX-License-Identifier: Apache-2.0
! Module mpi: buffers of any type and shape, module variables, COMMON, units of each rank, attributes.
module state
  implicit none
  integer :: counter = 0
  real, allocatable :: field(:)
end module state

program fortran_module
  use mpi
  use state
  implicit none
  integer :: rank, ranks, code, i, other, status(MPI_STATUS_SIZE), requests(2), keyval, done
  double precision :: matrix(3, 3), received(3, 3)
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  character(len=20) :: text
  logical :: flag
  integer :: in_common
  common /shared_by_units/ in_common

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  counter = counter + rank
  in_common = rank * 7
  allocate(field(rank + 1))
  field = rank
  ! Unit 10 of every rank is a file of its own.
  open(unit=10, status='scratch')
  write(10, *) rank
  call MPI_Barrier(MPI_COMM_WORLD, code)
  rewind(10)
  read(10, *) other
  close(10)
  if (other /= rank .or. counter /= rank .or. size(field) /= rank + 1 .or. in_common /= rank * 7) call failed(1)

  matrix = reshape([(rank + i * 0.5d0, i = 1, 9)], [3, 3])
  call MPI_Irecv(received, 9, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, requests(1), code)
  call MPI_Isend(matrix, 9, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(2), code)
  done = 0
  do while (done < 2)
    call MPI_Waitany(2, requests, i, status, code)
    if (i < 1 .or. i > 2) call failed(2)
    done = done + 1
  end do
  if (received(3, 3) /= mod(rank + ranks - 1, ranks) + 4.5d0) call failed(3)

  text = ' '
  if (rank == 0) text = 'from the first'
  call MPI_Bcast(text, len(text), MPI_CHARACTER, 0, MPI_COMM_WORLD, code)
  if (text /= 'from the first') call failed(4)

  extra = 11
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, code)
  value = rank + 100
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, code)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, code)
  value = 0
  call MPI_Comm_get_attr(other, keyval, value, flag, code)
  if (.not. flag .or. value /= rank + 100) call failed(5)
  call MPI_Comm_free(other, code)

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Send(matrix, 1, MPI_DOUBLE_PRECISION, ranks, 0, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, i, code)
  if (i /= MPI_ERR_RANK) call failed(6)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (rank == 0) print '(a,i0,a)', 'fortran_module: passed on ', ranks, ' ranks'
  call MPI_Finalize(code)

contains

  subroutine failed(number)
    integer, intent(in) :: number
    print *, 'rank', rank, ': check failed: number', number
    call MPI_Abort(MPI_COMM_WORLD, 3, code)
  end subroutine failed
end program fortran_module
