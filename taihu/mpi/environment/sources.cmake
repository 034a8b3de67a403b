list(APPEND mpi_sources environment/init_calls.cc environment/inquiry_calls.cc environment/predefined.cc
                        environment/process_creation.cc)
list(APPEND mpi_tests environment/environment_test.cc)
set_source_files_properties(environment/inquiry_calls.cc PROPERTIES
                            COMPILE_DEFINITIONS "TAIHU_VERSION=\"${PROJECT_VERSION}\"")
