list(APPEND mpi_headers handles/handle_table.h)
list(APPEND mpi_sources handles/handle_calls.cc handles/handle_table.cc)
list(APPEND mpi_tests handles/handles_test.cc)
