# Compiler settings that hold for every target, and where programs and libraries land.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Programs find each other's files by their distance from bin/, so that an installation can be moved.
foreach(kind BIN LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    message(FATAL_ERROR "CMAKE_INSTALL_${kind}DIR is ${CMAKE_INSTALL_${kind}DIR}; give it relative to the prefix")
  endif()
endforeach()

# Programs that only the other programs start (node processes) are kept out of the PATH; the launcher knows this folder.
set(TAIHU_INSTALL_LIBEXECDIR libexec/taihu)
set(TAIHU_LIBEXEC_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/taihu)

# The same relative distances in the build tree and in an installation: bin/ lib/ libexec/taihu/ include/.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../../${CMAKE_INSTALL_LIBDIR};$ORIGIN")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

add_compile_options(-Wall -Wextra)
# Contracts (taihu/base/contract.h) are checked in the debug and sanitizer builds.
add_compile_definitions($<$<CONFIG:Debug>:TAIHU_CONTRACTS>)
option(TAIHU_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
if(TAIHU_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

# A third less time for a whole build. With it off, as in the debug preset, a file that lacks an include does
# not compile.
option(TAIHU_FEWER_COMPILER_RUNS
       "Compile sixteen sources of a library or of a test program in one run, and the headers of tests once" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16) # of eight take a tenth more time; of many, more memory than small machines have

# The sanitizer of a debug build: address, thread, or empty.
set(TAIHU_SANITIZER)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize=([a-z]+)")
  set(TAIHU_SANITIZER ${CMAKE_MATCH_1})
endif()

# Headers of the standard library that most sources include: where libraries take them from one precompiled file, it
# saves half a second of each run of the compiler. A release with a compiler cache goes without: the cache answers for
# most runs, but not for these. A cache is there as a launcher, or under the compiler's own name, as in /usr/lib/ccache.
set(TAIHU_COMMON_HEADERS <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <thread> <vector>)
file(REAL_PATH "${CMAKE_CXX_COMPILER}" taihu_compiler_program)
set(TAIHU_PRECOMPILES OFF)
if(TAIHU_FEWER_COMPILER_RUNS
   AND (TAIHU_SANITIZER OR NOT (CMAKE_CXX_COMPILER_LAUNCHER OR taihu_compiler_program MATCHES "ccache$")))
  set(TAIHU_PRECOMPILES ON)
endif()

# A whole `./dev test` sets it; alone, a release has all tests.
option(TAIHU_TESTS_ONCE
       "Leave out of a release the unit tests for which those of the sanitizer builds suffice (cmake/component.cmake)"
       OFF)

# A shared library names all that it needs. Not with Clang's sanitizers, whose runtime is in the program.
set(TAIHU_NOTHING_UNDEFINED -Wl,-z,defs)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize")
    set(TAIHU_NOTHING_UNDEFINED)
  endif()
  # Fields left to their defaults, loops that it cannot vectorise, and what libstdc++ 12 deprecates and uses.
  add_compile_options(-Wno-unknown-warning-option -Wno-pass-failed
                      $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-designated-field-initializers>
                      $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

find_package(Threads REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
