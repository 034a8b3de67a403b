list(APPEND mpi_headers info/environment_info.h info/info.h)
list(APPEND mpi_sources info/environment_info.cc info/info.cc info/info_calls.cc)
list(APPEND mpi_tests info/info_test.cc)
