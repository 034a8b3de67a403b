list(APPEND mpi_headers arguments.h communicators/circle.h communicators/duplicate_later.h
                        communicators/group_operations.h communicators/inside.h)
list(APPEND mpi_sources communicators/circle.cc communicators/communicator_calls.cc communicators/duplicate_later.cc
                        communicators/group_calls.cc communicators/group_operations.cc communicators/inside.cc
                        communicators/intercommunicators.cc communicators/make_communicator.cc
                        communicators/making_calls.cc)
list(APPEND mpi_tests communicators/communicators_test.cc communicators/groups_test.cc communicators/make_communicator_test.cc)
