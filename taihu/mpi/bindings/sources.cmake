list(APPEND mpi_headers bindings/fortran/entry.h bindings/mpich_abi/callbacks.h bindings/mpich_abi/constants.def
     bindings/mpich_abi/constants.h bindings/mpich_abi/convert.h bindings/mpich_abi/names.h bindings/node_process.h
     bindings/open_mpi_abi/callbacks.h bindings/open_mpi_abi/constants.def bindings/open_mpi_abi/constants.h
     bindings/open_mpi_abi/convert.h bindings/open_mpi_abi/handles.def bindings/open_mpi_abi/handles.h
     bindings/open_mpi_abi/names.h bindings/foreign_abi/values.h)
list(APPEND mpi_sources bindings/fortran/fortran_entry.cc bindings/mpich_abi/callbacks.cc bindings/mpich_abi/convert.cc
     bindings/mpich_abi/fortran_calls.cc bindings/mpich_abi/names.cc bindings/mpich_abi/special_calls.cc
     bindings/node_process.cc bindings/open_mpi_abi/callbacks.cc bindings/open_mpi_abi/convert.cc
     bindings/open_mpi_abi/fortran_calls.cc bindings/open_mpi_abi/fortran_internals.cc bindings/open_mpi_abi/handles.cc bindings/open_mpi_abi/names.cc
     bindings/open_mpi_abi/special_calls.cc)
list(APPEND mpi_tests bindings/mpich_abi/convert_test.cc bindings/open_mpi_abi/convert_test.cc)

# Programs that were built for MPICH or Open MPI run as they are. Most of their calls are made from our header.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(foreign mpich open_mpi)
  set(foreign_calls ${CMAKE_CURRENT_BINARY_DIR}/${foreign}_calls.cc)
  set(by_hand ${CMAKE_CURRENT_SOURCE_DIR}/bindings/${foreign}_abi/callbacks.cc
              ${CMAKE_CURRENT_SOURCE_DIR}/bindings/${foreign}_abi/special_calls.cc
              ${CMAKE_CURRENT_SOURCE_DIR}/bindings/foreign_abi/callbacks.inc
              ${CMAKE_CURRENT_SOURCE_DIR}/bindings/foreign_abi/special_calls.inc)
  add_custom_command(
    OUTPUT ${foreign_calls} VERBATIM
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/mpi_${foreign}_abi.py
            ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h ${foreign_calls} ${by_hand}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/mpi_${foreign}_abi.py ${PROJECT_SOURCE_DIR}/tools/mpi_mpich_abi.py
            ${PROJECT_SOURCE_DIR}/tools/mpi_calls.py ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h ${by_hand}
    COMMENT "Calls of the ABI of ${foreign}")
  list(APPEND mpi_sources ${foreign_calls})
  # The same names have another meaning in each of them.
  set_source_files_properties(
    ${foreign_calls} bindings/${foreign}_abi/callbacks.cc bindings/${foreign}_abi/fortran_calls.cc
    bindings/${foreign}_abi/special_calls.cc bindings/${foreign}_abi/convert_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()
set_source_files_properties(bindings/open_mpi_abi/fortran_internals.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
