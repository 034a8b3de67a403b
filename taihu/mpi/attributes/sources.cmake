list(APPEND mpi_headers attributes/attributes.h attributes/names.h)
list(APPEND mpi_sources attributes/attributes.cc attributes/communicator_attribute_calls.cc
                        attributes/datatype_attribute_calls.cc attributes/name_calls.cc
                        attributes/predefined_attributes.cc)
list(APPEND mpi_tests attributes/attributes_test.cc)
