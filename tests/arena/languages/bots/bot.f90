program bot
  implicit none
  character(len=65536) :: line
  integer :: status
  do
    read (*, '(a)', iostat=status) line
    if (status /= 0) exit
    if (index(line, '"hello"') > 0) write (*, '(a)') '{"type":"ready"}'
    if (index(line, '"ask"') > 0) write (*, '(a)') '{"id":' // part('"id":', ',') // &
      ',"move":' // part('"legal":[', '}') // '}}'
    flush (6)
  end do
contains
  function part(word, last)
    character(len=*), intent(in) :: word, last
    character(len=:), allocatable :: part
    integer :: at
    at = index(line, word) + len(word)
    part = line(at:at + index(line(at:), last) - 2)
  end function
end program
