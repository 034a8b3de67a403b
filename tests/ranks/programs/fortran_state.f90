! SPDX-License-Identifier: Apache-2.0
! Fortran per rank: module variables, allocatables, COMMON, SAVE, and unit 10.
module shared_names
  implicit none
  integer :: counter = 3
  integer, allocatable :: field(:)
end module

subroutine remember(value)
  implicit none
  integer, intent(in) :: value
  integer :: box
  integer, save :: calls = 0
  common /storage/ box
  calls = calls + 1
  box = value * 10 + calls
end subroutine

program fortran_state
  use shared_names
  implicit none
  character(len=16) :: text, name
  integer :: rank, box, back, i
  common /storage/ box
  call get_environment_variable('RANK', text)
  read (text, *) rank
  counter = counter + rank
  allocate (field(1000 + rank))
  field = rank
  write (name, '(a,i0)') 'unit10_of_', rank
  open (unit=10, file=name, status='replace')
  do i = 1, 200
    call remember(rank)
    write (10, *) rank * 1000 + i
  end do
  rewind (10)
  do i = 1, 200
    read (10, *) back
    if (back /= rank * 1000 + i) stop 3
  end do
  close (10, status='delete')
  if (counter /= 3 + rank) stop 4
  if (box /= rank * 10 + 200) stop 5
  if (size(field) /= 1000 + rank .or. sum(field) /= rank * (1000 + rank)) stop 6
  write (*, '(a,i0,a)') 'rank ', rank, ' is private'
end program
