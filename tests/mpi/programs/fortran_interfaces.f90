! SPDX-License-Identifier: Apache-2.0
! Interfaces that are written by hand, in module mpi: memory by C pointer and by integer, matched messages, the
! predefined attribute functions called by the program, generalized requests, data representations, profiling names.
module operation_of_program
  use mpi
  implicit none
  integer(kind=MPI_ADDRESS_KIND) :: extra_state  ! also seen by the procedures
contains
  subroutine query(state, status, code)
    integer(kind=MPI_ADDRESS_KIND) :: state
    integer :: status(MPI_STATUS_SIZE), code
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = int(state)
    call MPI_Status_set_cancelled(status, .false., code)
    call MPI_Status_set_elements(status, MPI_BYTE, 0, code)
    code = MPI_SUCCESS
  end subroutine query

  subroutine release(state, code)
    integer(kind=MPI_ADDRESS_KIND) :: state
    integer :: code
    state = state + 1
    code = MPI_SUCCESS
  end subroutine release

  subroutine cancel(state, complete, code)
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: complete
    integer :: code
    state = state + merge(1, 2, complete)
    code = MPI_SUCCESS
  end subroutine cancel
end module operation_of_program

program fortran_interfaces
  use mpi
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use operation_of_program
  implicit none
  integer :: rank, ranks, code

  call PMPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call PMPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call memory_by_pointer()
  call windows_by_pointer()
  call matched_messages()
  call predefined_functions()
  call generalized()
  call environment()
  call representations()
  if (PMPI_Wtime() < 0 .or. PMPI_Wtick() <= 0) call failed(1)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (rank == 0) print '(a,i0,a)', 'fortran_interfaces: passed on ', ranks, ' ranks'
  call PMPI_Finalize(code)

contains

  subroutine memory_by_pointer()
    type(c_ptr) :: pointer
    integer(kind=MPI_ADDRESS_KIND) :: address, size
    integer, pointer :: values(:)
    size = 400
    call MPI_Alloc_mem(size, MPI_INFO_NULL, pointer, code)
    if (code /= MPI_SUCCESS) call failed(10)
    call c_f_pointer(pointer, values, [100])
    values = rank
    call MPI_Free_mem(values, code)
    if (code /= MPI_SUCCESS) call failed(11)
    address = 0
    call MPI_Alloc_mem(size, MPI_INFO_NULL, address, code)
    if (code /= MPI_SUCCESS .or. address == 0) call failed(12)
    call free_address(address)
  end subroutine memory_by_pointer

  subroutine free_address(address)
    use, intrinsic :: iso_c_binding, only: c_intptr_t
    integer(kind=MPI_ADDRESS_KIND), intent(in) :: address
    integer, pointer :: values(:)
    type(c_ptr) :: pointer
    pointer = transfer(int(address, c_intptr_t), pointer)
    call c_f_pointer(pointer, values, [1])
    call MPI_Free_mem(values, code)
    if (code /= MPI_SUCCESS) call failed(13)
  end subroutine free_address

  subroutine windows_by_pointer()
    type(c_ptr) :: pointer
    integer(kind=MPI_ADDRESS_KIND) :: size, place
    integer, pointer :: values(:)
    integer :: window, node, node_rank, unit
    size = 4 * 4
    call MPI_Win_allocate(size, 4, MPI_INFO_NULL, MPI_COMM_WORLD, pointer, window, code)
    call c_f_pointer(pointer, values, [4])
    values = -1
    call MPI_Win_fence(0, window, code)
    place = 2
    call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), place, 1, MPI_INTEGER, window, code)
    call MPI_Win_fence(0, window, code)
    if (values(3) /= mod(rank + ranks - 1, ranks) .or. values(2) /= -1) call failed(20)
    call MPI_Win_free(window, code)

    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node, code)
    call MPI_Comm_rank(node, node_rank, code)
    call MPI_Win_allocate_shared(size, 4, MPI_INFO_NULL, node, pointer, window, code)
    call c_f_pointer(pointer, values, [4])
    values = node_rank + 5
    call MPI_Win_fence(0, window, code)
    call MPI_Win_shared_query(window, 0, size, unit, pointer, code)
    call c_f_pointer(pointer, values, [4])
    if (size /= 16 .or. unit /= 4 .or. any(values /= 5)) call failed(21)
    call MPI_Win_fence(0, window, code)
    call MPI_Win_free(window, code)
    call MPI_Comm_free(node, code)
  end subroutine windows_by_pointer

  subroutine matched_messages()
    integer :: message, request, status(MPI_STATUS_SIZE), value, sent, send_request
    sent = rank * 3
    call MPI_Isend(sent, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, send_request, code)
    call MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, message, status, code)
    call MPI_Mrecv(value, 1, MPI_INTEGER, message, status, code)
    if (message /= MPI_MESSAGE_NULL .or. value /= 3 * status(MPI_SOURCE)) call failed(30)
    call MPI_Wait(send_request, MPI_STATUS_IGNORE, code)
    call MPI_Isend(sent, 1, MPI_INTEGER, mod(rank + 1, ranks), 8, MPI_COMM_WORLD, send_request, code)
    call MPI_Mprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, message, status, code)
    value = -1
    call MPI_Imrecv(value, 1, MPI_INTEGER, message, request, code)
    call MPI_Wait(request, status, code)
    if (message /= MPI_MESSAGE_NULL .or. value /= 3 * status(MPI_SOURCE)) call failed(31)
    call MPI_Wait(send_request, MPI_STATUS_IGNORE, code)
  end subroutine matched_messages

  subroutine predefined_functions()
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    integer :: short_extra, short_in, short_out
    logical :: flag
    extra = 0
    in = 2_MPI_ADDRESS_KIND**40
    out = -1
    flag = .false.
    call MPI_WIN_DUP_FN(MPI_WIN_NULL, MPI_KEYVAL_INVALID, extra, in, out, flag, code)
    if (.not. flag .or. out /= in .or. code /= MPI_SUCCESS) call failed(40)
    call MPI_TYPE_NULL_COPY_FN(MPI_INTEGER, MPI_KEYVAL_INVALID, extra, in, out, flag, code)
    if (flag .or. code /= MPI_SUCCESS) call failed(41)
    code = -1
    call MPI_COMM_NULL_DELETE_FN(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, in, extra, code)
    if (code /= MPI_SUCCESS) call failed(42)
    short_extra = 0
    short_in = 99
    short_out = -1
    call MPI_DUP_FN(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, short_extra, short_in, short_out, flag, code)
    if (.not. flag .or. short_out /= 99) call failed(43)
  end subroutine predefined_functions

  subroutine generalized()
    integer :: request, status(MPI_STATUS_SIZE)
    logical :: flag
    extra_state = 40
    call MPI_Grequest_start(query, release, cancel, extra_state, request, code)
    call MPI_Test(request, flag, status, code)
    if (flag) call failed(50)
    call MPI_Cancel(request, code)
    if (extra_state /= 42) call failed(51)
    call MPI_Grequest_complete(request, code)
    call MPI_Wait(request, status, code)
    if (status(MPI_TAG) /= 42 .or. extra_state /= 43 .or. request /= MPI_REQUEST_NULL) call failed(52)
  end subroutine generalized

  subroutine environment()
    integer :: info, keys
    call MPI_Info_create_env(info, code)
    if (code /= MPI_SUCCESS) call failed(60)
    call MPI_Info_get_nkeys(info, keys, code)
    if (code /= MPI_SUCCESS .or. keys < 0) call failed(61)
    call MPI_Info_free(info, code)
    if (info /= MPI_INFO_NULL) call failed(62)
  end subroutine environment

  subroutine representations()
    integer :: file, value
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer(kind=MPI_OFFSET_KIND), parameter :: start = 0
    character(len=40) :: name
    external :: extent_in_file, convert
    extra = 3
    call MPI_Register_datarep('plain', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_in_file, extra, code)
    if (code /= MPI_SUCCESS) call failed(70)
    call MPI_Register_datarep('turned', convert, convert, extent_in_file, extra, code)
    if (code /= MPI_ERR_UNSUPPORTED_OPERATION) call failed(71)
    write (name, '(a,i0)') 'fortran_interfaces.scratch.', rank
    call MPI_File_open(MPI_COMM_SELF, name, ior(ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_MODE_DELETE_ON_CLOSE), &
                       MPI_INFO_NULL, file, code)
    if (code /= MPI_SUCCESS) call failed(72)
    call MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'plain', MPI_INFO_NULL, code)
    if (code /= MPI_SUCCESS) call failed(73)
    value = rank + 17
    call MPI_File_write_at(file, 2 * start, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE, code)
    value = 0
    call MPI_File_read_at(file, start, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE, code)
    call MPI_F_sync_reg(value)
    if (value /= rank + 17) call failed(74)
    call MPI_File_close(file, code)
  end subroutine representations

  subroutine failed(number)
    integer, intent(in) :: number
    print *, 'rank', rank, ': check failed: number', number
    call MPI_Abort(MPI_COMM_WORLD, 3, code)
  end subroutine failed
end program fortran_interfaces

! Extents in files like those in memory.
subroutine extent_in_file(datatype, extent, state, code)
  use mpi
  implicit none
  integer :: datatype, code
  integer(kind=MPI_ADDRESS_KIND) :: extent, state, lower
  code = MPI_ERR_OTHER
  if (state /= 3) return
  call MPI_Type_get_extent(datatype, lower, extent, code)
end subroutine extent_in_file

! Never called, as registering it is refused.
subroutine convert()
end subroutine convert
