# Installs the build tree BUILD, moves the result, and builds and runs its users from there. Fails on the first problem.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status})")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)

# No file that users read may remember where it was made.
file(GLOB_RECURSE texts ${WORK}/moved/*.cmake ${WORK}/moved/*.pc ${WORK}/moved/*.h)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(place ${WORK} ${BUILD} ${SOURCE})
    string(FIND "${content}" "${place}/" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${text} names ${place}")
    endif()
  endforeach()
endforeach()

# Nor any program or library where it looks for others.
file(GLOB_RECURSE objects ${WORK}/moved/bin/* ${WORK}/moved/libexec/* ${WORK}/moved/*.so ${WORK}/moved/*.so.*)
foreach(object IN LISTS objects)
  file(READ_ELF ${object} RUNPATH folders CAPTURE_ERROR not_elf)
  if("${folders}" MATCHES "${WORK}|${BUILD}|${SOURCE}")
    message(FATAL_ERROR "${object} looks for libraries in ${folders}")
  endif()
endforeach()

# A user's CMake project.
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/cmake -B ${WORK}/cmake -G Ninja -D CMAKE_PREFIX_PATH=${WORK}/moved
    -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_BUILD_TYPE=${CONFIGURATION})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
run(${WORK}/cmake/consumer)

# A component that does not exist is refused by name.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/install/cmake -B ${WORK}/missing -G Ninja
    -D CMAKE_PREFIX_PATH=${WORK}/moved -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D COMPONENT=nonsense
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "nonsense")
  message(FATAL_ERROR "a missing component was not refused by name:\n${text}")
endif()

# A user without CMake.
set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/${LIBDIR}/pkgconfig)
execute_process(COMMAND pkg-config --cflags --libs taihu OUTPUT_VARIABLE flags RESULT_VARIABLE status
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "pkg-config does not know taihu")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
file(MAKE_DIRECTORY ${WORK}/pkgconfig)
run(${CXX_COMPILER} -std=c++20 ${SOURCE}/tests/install/cmake/consumer.cc ${flags} -o ${WORK}/pkgconfig/consumer)
run(${WORK}/pkgconfig/consumer)
# The C header stands alone as strict C11.
run(${C_COMPILER} -std=c11 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only ${flags} ${SOURCE}/tests/install/cmake/header.c)

# So do the headers of libraries as C90, for old code bases.
foreach(header amgsolve.h naalloc.h)
  file(WRITE ${WORK}/header.c "#include <${header}>\nint main(void) { return 0; }\n")
  run(${C_COMPILER} -std=c90 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -I${WORK}/moved/include ${WORK}/header.c)
endforeach()

# The C interface of the solver, and the Python module over it where SciPy is.
run(${C_COMPILER} -std=c11 -pedantic-errors -Wall -Wextra -Werror ${SOURCE}/tests/install/solver/solve.c
    -I${WORK}/moved/include -L${WORK}/moved/${LIBDIR} -lamgsolve -lm -Wl,-rpath,${WORK}/moved/${LIBDIR} -o ${WORK}/solve)
run(${WORK}/solve)
run(${PYTHON} -B ${SOURCE}/tests/install/solver/check.py ${WORK}/moved/${LIBDIR}/python3/dist-packages)

if(PARALLEL_C)
  run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/parallel_c -B ${WORK}/parallel_c -G Ninja
      -D CMAKE_PREFIX_PATH=${WORK}/moved -D CMAKE_BUILD_TYPE=${CONFIGURATION})
  run(${CMAKE_COMMAND} --build ${WORK}/parallel_c)
  run(${WORK}/moved/bin/parcrun -n 3 ${WORK}/parallel_c/parallel_c/ring)
endif()
