list(APPEND mpi_headers bindings/fortran/entry.h bindings/mpich_abi/callbacks.h bindings/mpich_abi/constants.def
     bindings/mpich_abi/constants.h bindings/mpich_abi/convert.h bindings/mpich_abi/names.h bindings/node_process.h)
list(APPEND mpi_sources bindings/fortran/fortran_entry.cc bindings/mpich_abi/callbacks.cc bindings/mpich_abi/convert.cc
     bindings/mpich_abi/fortran_calls.cc bindings/mpich_abi/names.cc bindings/mpich_abi/special_calls.cc
     bindings/node_process.cc)
list(APPEND mpi_tests bindings/mpich_abi/convert_test.cc)

# Programs that were built for the MPICH ABI run as they are. Most of their calls are made from our header.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(mpich_calls ${CMAKE_CURRENT_BINARY_DIR}/mpich_calls.cc)
set(mpich_by_hand ${CMAKE_CURRENT_SOURCE_DIR}/bindings/mpich_abi/callbacks.cc
                  ${CMAKE_CURRENT_SOURCE_DIR}/bindings/mpich_abi/special_calls.cc)
add_custom_command(
  OUTPUT ${mpich_calls} VERBATIM
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/mpi_mpich_abi.py ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h
          ${mpich_calls} ${mpich_by_hand}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/mpi_mpich_abi.py ${PROJECT_SOURCE_DIR}/tools/mpi_calls.py
          ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h ${mpich_by_hand}
  COMMENT "Calls of the MPICH ABI")
list(APPEND mpi_sources ${mpich_calls})
