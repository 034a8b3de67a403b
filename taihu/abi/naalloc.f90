! SPDX-License-Identifier: Apache-2.0
!
! NUMA-aware allocation for Fortran: the calls of naalloc.h. Compile this file with your program (modules belong to one
! compiler) and link with -lnaalloc. Ends of parts count elements and are inclusive in Fortran's sense: part t holds the
! elements part_end(t-1)+1 to part_end(t).
!
!   type(c_ptr) :: block
!   real(c_double), pointer :: x(:)
!   block = naalloc(storage_size(1.0_c_double, c_size_t) / 8, part_end, size(part_end))
!   call c_f_pointer(block, x, [part_end(size(part_end))])
module naalloc_module
  use, intrinsic :: iso_c_binding, only: c_ptr, c_int, c_long, c_size_t, c_char, c_null_ptr, c_int32_t, c_int64_t
  implicit none
  private
  public :: naalloc_init, naalloc_thread, naalloc_threads, naalloc_node_of_thread
  public :: naalloc, naalloc_zeroed, naalloc_block, naalloc_interleave, naalloc_on_node
  public :: naalloc_csr32, naalloc_csr64, naalloc_csr_balance32, naalloc_csr_balance64
  public :: narealloc, nafree, naalloc_trim, naalloc_rebind, naalloc_where, naalloc_pages

  type, bind(c) :: naalloc_pages
    integer(c_size_t) :: page_bytes, local, remote, unknown, untouched
  end type

  interface
    integer(c_int) function naalloc_init() bind(c)
      import :: c_int
    end function
    integer(c_int) function naalloc_thread(thread) bind(c)
      import :: c_int
      integer(c_int), value :: thread
    end function
    integer(c_int) function naalloc_threads() bind(c)
      import :: c_int
    end function
    integer(c_int) function naalloc_node_of_thread(thread) bind(c)
      import :: c_int
      integer(c_int), value :: thread
    end function
    type(c_ptr) function naalloc(elem_size, part_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int
      integer(c_size_t), value :: elem_size
      integer(c_size_t), intent(in) :: part_end(*)
      integer(c_int), value :: nparts
    end function
    type(c_ptr) function naalloc_zeroed(elem_size, part_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int
      integer(c_size_t), value :: elem_size
      integer(c_size_t), intent(in) :: part_end(*)
      integer(c_int), value :: nparts
    end function
    type(c_ptr) function naalloc_block(n, elem_size) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: n, elem_size
    end function
    type(c_ptr) function naalloc_interleave(bytes) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
    end function
    type(c_ptr) function naalloc_on_node(bytes, node) bind(c)
      import :: c_ptr, c_size_t, c_int
      integer(c_size_t), value :: bytes
      integer(c_int), value :: node
    end function
    ! row_ptr counts from 0 in these four, as in C.
    type(c_ptr) function naalloc_csr32(elem_size, row_ptr, row_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int, c_int32_t
      integer(c_size_t), value :: elem_size
      integer(c_int32_t), intent(in) :: row_ptr(*)
      integer(c_size_t), intent(in) :: row_end(*)
      integer(c_int), value :: nparts
    end function
    type(c_ptr) function naalloc_csr64(elem_size, row_ptr, row_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int, c_int64_t
      integer(c_size_t), value :: elem_size
      integer(c_int64_t), intent(in) :: row_ptr(*)
      integer(c_size_t), intent(in) :: row_end(*)
      integer(c_int), value :: nparts
    end function
    integer(c_int) function naalloc_csr_balance32(row_ptr, rows, nparts, row_end) bind(c)
      import :: c_size_t, c_int, c_int32_t
      integer(c_int32_t), intent(in) :: row_ptr(*)
      integer(c_size_t), value :: rows
      integer(c_int), value :: nparts
      integer(c_size_t), intent(out) :: row_end(*)
    end function
    integer(c_int) function naalloc_csr_balance64(row_ptr, rows, nparts, row_end) bind(c)
      import :: c_size_t, c_int, c_int64_t
      integer(c_int64_t), intent(in) :: row_ptr(*)
      integer(c_size_t), value :: rows
      integer(c_int), value :: nparts
      integer(c_size_t), intent(out) :: row_end(*)
    end function
    type(c_ptr) function narealloc(block, elem_size, part_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int
      type(c_ptr), value :: block
      integer(c_size_t), value :: elem_size
      integer(c_size_t), intent(in) :: part_end(*)
      integer(c_int), value :: nparts
    end function
    subroutine nafree(block) bind(c)
      import :: c_ptr
      type(c_ptr), value :: block
    end subroutine
    subroutine naalloc_trim(keep_bytes) bind(c)
      import :: c_size_t
      integer(c_size_t), value :: keep_bytes
    end subroutine
    integer(c_long) function naalloc_rebind(existing, bytes, elem_size, part_end, nparts) bind(c)
      import :: c_ptr, c_size_t, c_int, c_long
      type(c_ptr), value :: existing
      integer(c_size_t), value :: bytes, elem_size
      integer(c_size_t), intent(in) :: part_end(*)
      integer(c_int), value :: nparts
    end function
    integer(c_int) function naalloc_where(block, pages) bind(c)
      import :: c_ptr, c_int, naalloc_pages
      type(c_ptr), value :: block
      type(naalloc_pages), intent(out) :: pages
    end function
  end interface
end module
