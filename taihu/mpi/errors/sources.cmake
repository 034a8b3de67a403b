list(APPEND mpi_headers errors/added_errors.h errors/error_texts.h errors/handle_error.h)
list(APPEND mpi_sources errors/added_errors.cc errors/error_calls.cc errors/error_texts.cc errors/handle_error.cc
                        errors/handler_calls.cc)
list(APPEND mpi_tests errors/errors_test.cc)
