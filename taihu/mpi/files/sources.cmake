list(APPEND mpi_headers files/access.h files/coverage.h files/file.h files/file_call.h files/file_error.h files/pattern.h
                        files/range_locks.h files/request_data.h files/shared_file.h files/shared_pointer.h
                        files/transfer.h files/two_phase.h files/view.h)
list(APPEND mpi_sources files/access.cc files/access_calls.cc files/error_calls.cc files/file.cc files/file_error.cc
                        files/manage_calls.cc files/open.cc files/pattern.cc files/range_locks.cc files/request_data.cc
                        files/shared_file.cc files/shared_pointer.cc files/split_calls.cc files/transfer.cc
                        files/two_phase.cc files/view.cc files/view_calls.cc)
list(APPEND mpi_tests files/atomic_test.cc files/open_test.cc files/pattern_test.cc files/random_access_test.cc
                      files/shared_pointer_test.cc files/view_test.cc)
