list(APPEND mpi_headers datatype/call_arguments.h datatype/constructors.h datatype/cursor.h datatype/datatype.h
     datatype/elements.h datatype/external32.h datatype/form.h datatype/node.h datatype/predefined_types.h
     datatype/program.h datatype/repetition.h datatype/segments.h datatype/packed_transfer.h
     datatype/typed_layout.h)
list(APPEND mpi_sources datatype/array_types.cc datatype/constructor_calls.cc datatype/constructors.cc
     datatype/cursor.cc datatype/datatype.cc datatype/direct_copy.cc datatype/elements.cc datatype/external32.cc
     datatype/form.cc datatype/fortran_types.cc datatype/pack_calls.cc datatype/predefined_types.cc
     datatype/program.cc datatype/query_calls.cc datatype/repetition.cc datatype/segments.cc
     datatype/packed_transfer.cc datatype/typed_layout.cc)
list(APPEND mpi_tests datatype/calls_test.cc datatype/constructors_test.cc datatype/external32_test.cc
     datatype/packing_test.cc datatype/random_types_test.cc)
