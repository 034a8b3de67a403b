list(APPEND mpi_headers communicators/circle.h communicators/inside.h)
list(APPEND mpi_sources communicators/circle.cc communicators/inside.cc communicators/make_communicator.cc)
list(APPEND mpi_tests communicators/make_communicator_test.cc)
