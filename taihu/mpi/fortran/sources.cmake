list(APPEND mpi_sources fortran/fortran_entry.cc)
list(APPEND mpi_headers fortran/entry.h)
