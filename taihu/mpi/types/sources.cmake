list(APPEND mpi_headers types/constructors.h types/cursor.h types/datatype.h types/elements.h types/external32.h
     types/form.h types/integers.h types/node.h types/packed_transfer.h types/predefined_types.h types/program.h types/repetition.h
     types/segments.h types/typed_layout.h)
list(APPEND mpi_sources types/array_types.cc types/constructors.cc types/cursor.cc types/datatype.cc types/direct_copy.cc
     types/elements.cc types/external32.cc types/form.cc types/fortran_types.cc types/packed_transfer.cc
     types/predefined_types.cc types/program.cc types/repetition.cc types/segments.cc
     types/typed_layout.cc)
set(types_tests types/constructors_test.cc types/external32_test.cc types/packing_test.cc types/random_types_test.cc)
list(APPEND mpi_tests ${types_tests})
list(APPEND mpi_one_thread_tests ${types_tests})
