! SPDX-License-Identifier: Apache-2.0
! The interface of Fortran 2008: typed handles, optional ierror, array sections, procedures as arguments.
program fortran_f08
  use :: mpi_f08, send_by_another_name => MPI_Send_f08ts, barrier_by_another_name => MPI_Barrier_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, to, from, code, i, total, product
  integer :: out(4), in(2, 4)
  integer, save :: saved = 5
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  type(MPI_Op) :: operation
  type(MPI_Comm) :: copy
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  to = mod(rank + 1, ranks)
  from = mod(rank + ranks - 1, ranks)
  saved = saved + rank
  out = rank * 10 + [1, 2, 3, 4]
  in = 0
  ! Every second element of an array: a section that does not lie in one piece.
  call MPI_Irecv(in(2, :), 4, MPI_INTEGER, from, 1, MPI_COMM_WORLD, requests(2), code)
  call MPI_Isend(out, 4, MPI_INTEGER, to, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(in(2, :) == from * 10 + [1, 2, 3, 4]) .and. all(in(1, :) == 0), 1)
  call check(requests(1) == MPI_REQUEST_NULL, 2)
  call MPI_Sendrecv(out, 3, MPI_INTEGER, to, 7, in, 4, MPI_INTEGER, from, MPI_ANY_TAG, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, i)
  call check(i == 3 .and. status%MPI_SOURCE == from .and. status%MPI_TAG == 7, 3)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(total == ranks * (ranks - 1) / 2, 4)
  call MPI_Irecv(in, 1, MPI_INTEGER, from, 2, MPI_COMM_WORLD, requests(1))
  call send_by_another_name(out, 1, MPI_INTEGER, to, 2, MPI_COMM_WORLD)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call check(in(1, 1) == from * 10 + 1, 30)
  call barrier_by_another_name(MPI_COMM_WORLD)
  call check(saved == 5 + rank, 5)
  call MPI_Op_create(multiply, .true., operation)
  product = mod(rank, 3) + 1
  call MPI_Allreduce(MPI_IN_PLACE, product, 1, MPI_INTEGER, operation, MPI_COMM_WORLD)
  total = 1
  do i = 0, ranks - 1
    total = total * (mod(i, 3) + 1)
  end do
  call check(product == total, 6)
  call MPI_Op_free(operation)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_set_name(copy, "a copy  ")
  call MPI_Comm_get_name(copy, name, i)
  call check(i == 6 .and. name == "a copy", 7)
  call MPI_Comm_free(copy)
  call check(copy == MPI_COMM_NULL, 8)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  call check(flag .and. value >= 32767, 9)
  call texts_with_logicals()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'fortran_f08: passed on ', ranks, ' ranks'
  call MPI_Finalize()

contains

  subroutine check(holds, number)
    logical, intent(in) :: holds
    integer, intent(in) :: number
    if (holds) return
    print *, 'rank', rank, ': check failed: number', number
    call MPI_Abort(MPI_COMM_WORLD, 3)
  end subroutine check

  ! Procedures with a logical are not bound to C, so their texts come otherwise than those of others.
  subroutine texts_with_logicals()
    type(MPI_Info) :: info
    character(len=12) :: text
    integer :: length
    call MPI_Info_create(info)
    call MPI_Info_set(info, "colour  ", " dark red ")
    call MPI_Info_get_valuelen(info, " colour", length, flag)
    call check(flag .and. length == 8, 10)
    call MPI_Info_get(info, "colour", len(text), text, flag)
    call check(flag .and. text == "dark red", 11)
    length = len(text)
    call MPI_Info_get_string(info, "colour", length, text, flag, code)
    call check(code == MPI_SUCCESS .and. flag .and. length == 8 .and. text == "dark red", 12)
    call PMPI_Info_get(info, "size", len(text), text, flag)
    call check(.not. flag, 13)
    call MPI_Info_free(info)
  end subroutine texts_with_logicals

  subroutine multiply(left, right, length, datatype)
    type(c_ptr), value :: left, right
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(left, a, [length])
    call c_f_pointer(right, b, [length])
    call check(datatype == MPI_INTEGER, 20)
    b = a * b
  end subroutine multiply
end program fortran_f08
