! SPDX-License-Identifier: Apache-2.0
! A library of the system in Fortran, whose variables keep their values.
integer function count_in_fortran()
    integer, save :: uses = 0
    character(len=8) :: text
    write (text, '(i8)') uses + 1
    read (text, '(i8)') uses
    count_in_fortran = uses
end function
