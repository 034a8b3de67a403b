list(APPEND mpi_sources environment/predefined.cc)
