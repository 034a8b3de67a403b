list(APPEND mpi_headers handles/handle_table.h)
list(APPEND mpi_sources handles/handle_table.cc)
