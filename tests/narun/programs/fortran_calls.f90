! SPDX-License-Identifier: Apache-2.0
!
! Every call of the Fortran module once. Prints "fortran_calls: passed".
program fortran_calls
  use, intrinsic :: iso_c_binding
  use naalloc_module
  implicit none
  integer(c_size_t) :: ends(3) = [1000_c_size_t, 40000_c_size_t, 100000_c_size_t], row_end(2)
  integer(c_int32_t) :: rows32(5) = [0, 10, 20, 30, 100000]
  integer(c_int64_t) :: rows64(5) = [0, 10, 20, 30, 100000]
  type(c_ptr) :: block
  real(c_double), pointer :: x(:)
  type(naalloc_pages) :: pages
  integer :: i

  call check(naalloc_init() >= 1, 'naalloc_init')
  call check(naalloc_node_of_thread(0) >= 0, 'naalloc_node_of_thread')
  block = naalloc_zeroed(8_c_size_t, ends, 3)
  call check(c_associated(block), 'naalloc_zeroed')
  call c_f_pointer(block, x, [ends(3)])
  call check(all(x == 0), 'zeroed')
  x = [(real(i, c_double), i = 1, size(x))]
  ends(3) = 200000
  block = narealloc(block, 8_c_size_t, ends, 3)
  call c_f_pointer(block, x, [ends(3)])
  call check(x(100000) == 100000, 'narealloc keeps the contents')
  x(100001:) = 1
  call check(naalloc_where(block, pages) == 0, 'naalloc_where')
  call check(pages%local == 391, 'pages')
  call check(naalloc_rebind(block, 1600000_c_size_t, 8_c_size_t, ends, 3) == 0, 'naalloc_rebind')
  call nafree(block)

  call check(naalloc_csr_balance32(rows32, 4_c_size_t, 2, row_end) == 0 .and. row_end(2) == 4, 'balance of rows')
  call released(naalloc_csr32(8_c_size_t, rows32, row_end, 2), 'naalloc_csr32')
  call check(naalloc_csr_balance64(rows64, 4_c_size_t, 2, row_end) == 0 .and. row_end(1) == 4, 'balance of long rows')
  call released(naalloc_csr64(8_c_size_t, rows64, row_end, 2), 'naalloc_csr64')
  call released(naalloc(4_c_size_t, ends, 3), 'naalloc')
  call released(naalloc_block(1000000_c_size_t, 4_c_size_t), 'naalloc_block')
  call released(naalloc_interleave(1000000_c_size_t), 'naalloc_interleave')
  call released(naalloc_on_node(1000000_c_size_t, 0), 'naalloc_on_node')
  call naalloc_trim(0_c_size_t)
  call check(naalloc_thread(0) >= 0, 'naalloc_thread')
  call check(naalloc_threads() == 1, 'naalloc_threads')
  print '(a)', 'fortran_calls: passed'
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'check failed: ', what
    error stop 1
  end subroutine
  subroutine released(place, what)
    type(c_ptr), value :: place
    character(*), intent(in) :: what
    call check(c_associated(place), what)
    call nafree(place)
  end subroutine
end program
