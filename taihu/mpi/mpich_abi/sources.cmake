# Programs that were built for the MPICH ABI run as they are. Most of their calls are made from our header.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(mpich_calls ${CMAKE_CURRENT_BINARY_DIR}/mpich_calls.cc)
set(mpich_by_hand ${CMAKE_CURRENT_SOURCE_DIR}/mpich_abi/callbacks.cc ${CMAKE_CURRENT_SOURCE_DIR}/mpich_abi/special_calls.cc)
add_custom_command(
  OUTPUT ${mpich_calls} VERBATIM
  COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tools/mpi_mpich_abi.py ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h
          ${mpich_calls} ${mpich_by_hand}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/mpi_mpich_abi.py ${PROJECT_SOURCE_DIR}/tools/mpi_calls.py
          ${PROJECT_SOURCE_DIR}/taihu/abi/mpi.h ${mpich_by_hand}
  COMMENT "Calls of the MPICH ABI")
list(APPEND mpi_headers mpich_abi/callbacks.h mpich_abi/constants.def mpich_abi/constants.h mpich_abi/convert.h mpich_abi/names.h)
list(APPEND mpi_sources mpich_abi/callbacks.cc mpich_abi/convert.cc mpich_abi/fortran_calls.cc mpich_abi/names.cc mpich_abi/special_calls.cc
     ${mpich_calls})
list(APPEND mpi_tests mpich_abi/convert_test.cc)
