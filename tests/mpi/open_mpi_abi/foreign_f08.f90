! SPDX-License-Identifier: Apache-2.0
! What Open MPI's Fortran library does inside of its own objects: requests, groups, attributes, operations, error handlers,
! generalized requests, info objects, and statuses that are left out. Also run by Open MPI itself.
module procedures
  use mpi_f08
  implicit none
  integer :: errors_seen = 0
contains
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    if (.not. ok) then
      print '(2a)', 'wrong: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine
  subroutine add_numbers(invec, inoutvec, len, datatype) bind(c)
    use iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    integer :: size
    call MPI_Type_size(datatype, size)
    if (size /= 4) return
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in + inout
  end subroutine
  subroutine count_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    integer :: size, class
    call MPI_Comm_size(comm, size)
    call MPI_Error_class(code, class)
    if (size > 0 .and. class == MPI_ERR_RANK) errors_seen = errors_seen + 1
  end subroutine
  subroutine copy_plus_one(comm, keyval, extra_state, value_in, value_out, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
    logical :: flag
    value_out = value_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
end module

program foreign_f08
  use procedures
  implicit none
  type(MPI_Comm) :: copy
  type(MPI_Group) :: world, first
  type(MPI_Request) :: request, requests(2)
  type(MPI_Status) :: status
  type(MPI_Op) :: op
  type(MPI_Errhandler) :: handler
  type(MPI_Datatype) :: pair
  type(MPI_Info) :: info
  character(MPI_MAX_INFO_KEY) :: key
  character(20) :: text
  integer :: rank, size, value, keyval, to, from, count
  integer(MPI_ADDRESS_KIND) :: attribute
  logical :: flag
  character(MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  to = mod(rank + 1, size)
  from = mod(rank + size - 1, size)

  call MPI_Irecv(value, 1, MPI_INTEGER, from, 7, MPI_COMM_WORLD, request)
  call MPI_Send(rank, 1, MPI_INTEGER, to, 7, MPI_COMM_WORLD)
  call MPI_Wait(request, status)
  call check(value == from .and. status%MPI_SOURCE == from .and. status%MPI_TAG == 7, 'wait')
  call MPI_Get_count(status, MPI_INTEGER, count)
  call check(request == MPI_REQUEST_NULL .and. count == 1, 'the request and the count after wait')
  call MPI_Recv_init(value, 1, MPI_INTEGER, from, 8, MPI_COMM_WORLD, requests(1))
  call MPI_Send_init(rank, 1, MPI_INTEGER, to, 8, MPI_COMM_WORLD, requests(2))
  call MPI_Startall(2, requests)
  call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE)
  end do
  call check(requests(1) /= MPI_REQUEST_NULL, 'a persistent request after test')
  call MPI_Start(requests(1))
  call MPI_Start(requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Group_incl(world, 1, [0], first)
  call MPI_Group_size(first, count)
  call check(count == 1, 'group')
  call MPI_Group_difference(first, world, first)
  call check(first == MPI_GROUP_EMPTY, 'the empty group')

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, flag)
  call check(flag .and. attribute >= 32767, 'MPI_TAG_UB')
  call MPI_Comm_create_keyval(copy_plus_one, MPI_COMM_NULL_DELETE_FN, keyval, 1_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 41_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_get_attr(copy, keyval, attribute, flag)
  call check(flag .and. attribute == 42, 'the copied attribute')

  call MPI_Op_create(add_numbers, .true., op)
  value = rank * rank
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, op, copy)
  call check(value == (size - 1) * size * (2 * size - 1) / 6, 'a reduction in Fortran')
  call MPI_Op_free(op)
  call check(op == MPI_OP_NULL, 'a freed operation')

  call MPI_Comm_create_errhandler(count_error, handler)
  call MPI_Comm_set_errhandler(copy, handler)
  call MPI_Send(rank, 1, MPI_INTEGER, size, 1, copy)
  call check(errors_seen == 1, 'the error handler')

  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair)
  call MPI_Type_set_name(pair, 'pair of numbers')
  call MPI_Type_get_name(pair, name, count)
  call check(name == 'pair of numbers' .and. count == 15, 'a name')
  call MPI_Type_free(pair)
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, pair)
  call MPI_Type_size(pair, count)
  call check(count == 8, 'the type of a size')

  call MPI_Info_create(info)
  call MPI_Info_set(info, ' a key ', 'a value of it')
  call MPI_Info_get_nkeys(info, count)
  call MPI_Info_get_nthkey(info, 0, key)
  call check(count == 1 .and. key == 'a key', 'a key')
  call MPI_Info_get_valuelen(info, 'a key', count, flag)
  call check(flag .and. count == 13, 'the length of a value')
  call MPI_Info_get(info, 'a key', 20, text, flag)
  call check(flag .and. text == 'a value of it', 'a value')
  text = ''
  call MPI_Info_get(info, 'a key', 7, text, flag)
  call check(flag .and. text == 'a value', 'the begin of a value')
  call MPI_Info_get(info, 'no key', 20, text, flag)
  call check(.not. flag .and. text == 'a value', 'a key that is not there')
  call MPI_Info_free(info)
  call check(info == MPI_INFO_NULL, 'a freed info object')

  call MPI_Comm_free(copy)
  call check(copy == MPI_COMM_NULL, 'a freed communicator')
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'foreign_f08: passed on ', size, ' ranks'
  call MPI_Finalize()
end program
