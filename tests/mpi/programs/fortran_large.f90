! SPDX-License-Identifier: Apache-2.0
! mpi_f08 with large counts: the generic names take INTEGER(KIND=MPI_COUNT_KIND) as well. Sessions.
program fortran_large
  use mpi_f08
  implicit none
  integer(kind=MPI_COUNT_KIND), parameter :: four = 4, beyond = 2_MPI_COUNT_KIND**32
  integer :: rank, ranks, k, left, right, combiner, length, out(4), in(4), numbers(1)
  integer, allocatable :: all(:)
  integer(kind=MPI_COUNT_KIND) :: bytes, count, integers, addresses, large, types, values(3)
  integer(kind=MPI_COUNT_KIND), allocatable :: counts(:)
  integer(kind=MPI_ADDRESS_KIND), allocatable :: places(:)
  integer(kind=MPI_ADDRESS_KIND) :: nothing(1)
  integer :: section(8)
  character(len=64) :: name
  logical :: there
  type(MPI_Datatype) :: row, part(1)
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  type(MPI_Op) :: sum
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: world

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)

  call MPI_Type_vector(2_MPI_COUNT_KIND, 1_MPI_COUNT_KIND, beyond, MPI_INTEGER, row)
  call MPI_Type_size(row, bytes)
  if (bytes /= 8) call failed(1)
  call MPI_Type_get_envelope(row, integers, addresses, large, types, combiner)
  if (integers /= 0 .or. addresses /= 0 .or. large /= 3 .or. types /= 1 .or. combiner /= MPI_COMBINER_VECTOR) call failed(2)
  call MPI_Type_get_contents(row, 0_MPI_COUNT_KIND, 0_MPI_COUNT_KIND, large, types, numbers, nothing, values, part)
  if (any(values /= [2_MPI_COUNT_KIND, 1_MPI_COUNT_KIND, beyond]) .or. part(1) /= MPI_INTEGER) call failed(3)
  call MPI_Type_free(row)

  out = [(10 * rank + k, k = 1, 4)]
  call MPI_Isend(out, four, MPI_INTEGER, right, 1, MPI_COMM_WORLD, request)
  call MPI_Recv(in, four, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Get_count(status, MPI_INTEGER, count)
  if (count /= 4 .or. any(in /= [(10 * left + k, k = 1, 4)])) call failed(4)
  ! Every second element.
  section = -1
  call MPI_Sendrecv(out, four, MPI_INTEGER, right, 2, section(1:8:2), four, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
  if (any(section(1:8:2) /= in) .or. any(section(2:8:2) /= -1)) call failed(5)

  allocate (all(2 * ranks), counts(ranks), places(ranks))
  counts = 1
  places = [(2 * k, k = 0, ranks - 1)]
  all = -1
  call MPI_Allgatherv(rank, 1_MPI_COUNT_KIND, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(all(1::2) /= [(k, k = 0, ranks - 1)]) .or. any(all(2::2) /= -1)) call failed(6)
  call MPI_Op_create_c(add, .true., sum)
  call MPI_Allreduce(out, in, four, MPI_INTEGER, sum, MPI_COMM_WORLD)
  if (any(in /= [(10 * (ranks * (ranks - 1) / 2) + ranks * k, k = 1, 4)])) call failed(7)
  call MPI_Op_free(sum)

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
  length = len(name)
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name)
  if (length /= 11 .or. name /= 'mpi://WORLD') call failed(8)
  call MPI_Group_from_session_pset(session, name, group)
  call MPI_Comm_create_from_group(group, 'fortran', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, world)
  call MPI_Group_free(group)
  call MPI_Comm_size(world, k)
  if (k /= ranks) call failed(9)
  call MPI_Psend_init(out, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 3, world, MPI_INFO_NULL, request)
  call MPI_Start(request)
  call MPI_Pready_range(0, 1, request)
  block
    type(MPI_Request) :: receive
    call MPI_Precv_init(in, 4, 1, MPI_INTEGER, left, 3, world, MPI_INFO_NULL, receive)
    call MPI_Start(receive)
    there = .false.
    do while (.not. there)
      call MPI_Parrived(receive, 3, there)
    end do
    call MPI_Wait(receive, MPI_STATUS_IGNORE)
    call MPI_Request_free(receive)
  end block
  if (any(in /= [(10 * left + k, k = 1, 4)])) call failed(10)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Request_free(request)
  call MPI_Comm_free(world)
  call MPI_Session_finalize(session)
  if (session /= MPI_SESSION_NULL) call failed(11)

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'fortran_large: passed on ', ranks, ' ranks'
  call MPI_Finalize()

contains

  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: left_side(:), right_side(:)
    if (datatype /= MPI_INTEGER) call failed(12)
    call c_f_pointer(invec, left_side, [len])
    call c_f_pointer(inoutvec, right_side, [len])
    right_side = right_side + left_side
  end subroutine add

  subroutine failed(number)
    integer, intent(in) :: number
    print *, 'rank', rank, ': check failed: number', number
    call MPI_Abort(MPI_COMM_WORLD, 3)
  end subroutine failed
end program fortran_large
