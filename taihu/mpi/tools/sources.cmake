list(APPEND mpi_headers tools/tool_call.h tools/tools.h tools/variables.h)
list(APPEND mpi_sources tools/category_calls.cc tools/control_calls.cc tools/performance_calls.cc tools/start_calls.cc
     tools/tools.cc tools/variables.cc)
list(APPEND mpi_tests tools/tools_test.cc)
