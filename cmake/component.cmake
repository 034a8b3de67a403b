# taihu_component(<name> [IN_PARTS] [TESTS_TOGETHER] [SANITIZERS_SUFFICE] [SOURCES ...] [HEADERS ...] [TESTS ...]
#                 [ONE_THREAD ...] [TSAN_WITHOUT ...] [USES ...] [LINK ...] [TEST_LINK ...])
#
# One folder of taihu/ = one static library taihu_<name> (alias taihu::<name>).
#   SOURCES    its .cc and .c files; none makes a header-only library
#   HEADERS    the headers it installs; those that no source of theirs includes first are also compiled alone
#              (header check)
#   TESTS      *_test.cc files, one GoogleTest program taihu_<name>_test (label "unit")
#   ONE_THREAD those of TESTS whose tests start no thread: the thread sanitizer has nothing to find in them, and its build
#              leaves them out
#   USES       components it may include; must agree with tools/layers.txt
#   LINK       libraries from outside, linked privately
#   TEST_LINK  further libraries of the test program
#   IN_PARTS   programs of ranks take single objects of its archive: a release compiles each source alone. Together they
#              would bring thread-local variables for which a copy of a program has no room.
#   TSAN_WITHOUT  further tests, in the other files, that the thread sanitizer does not run: patterns of GoogleTest such as
#              Solver.Iterations*, with the reason beside them. The build fails for one that no test has
#   SANITIZERS_SUFFICE  a whole `./dev test` (TAIHU_TESTS_ONCE) has its tests in the sanitizer builds only. The reason is
#              beside the word: no bits of floating-point numbers, no assembly, no times, no case that plain_or_sanitized() of
#              base/sanitized_for_tests.h leaves out entirely, and what shows it in the release
#   TESTS_TOGETHER  with sanitizers and in a whole `./dev test` the tests run in four processes, not in one each: the start
#              of a process would take more time than most of them. They must leave nothing behind for each other. Not where
#              many tests start processes or end their own.
#
# A library from outside (LINK) is a plain name such as dl, or PkgConfig::<MODULE> made by
# pkg_check_modules(<MODULE> REQUIRED IMPORTED_TARGET <module>); cmake/install.cmake turns both into what an installed
# Taihu needs to find. Target `unit_tests` builds every test program; add_dependencies() further ones of label "unit".
add_custom_target(unit_tests)

# Parts `headers` into those that stand alone as `sources` show, x.h where x.cc or x_test.cc includes it first, and the
# others.
function(taihu_part_headers stand_alone others headers sources)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(shown)
  foreach(source IN LISTS sources)
    if(source AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      string(REGEX REPLACE "(_test)?\\.[a-z]+$" ".h" header ${source})
      file(STRINGS ${source} first_include REGEX "^#include" LIMIT_COUNT 1)
      if(header IN_LIST headers AND first_include STREQUAL "#include \"${folder}/${header}\"")
        list(APPEND shown ${header})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES shown)
  list(REMOVE_ITEM headers ${shown} "")
  set(${stand_alone} ${shown} PARENT_SCOPE)
  set(${others} ${headers} PARENT_SCOPE)
endfunction()

# With TAIHU_PRECOMPILES the first library compiles the common headers, the others take them from it. Not where sources
# have options of their own. At the end of a folder, when options are known.
function(taihu_precompile_library_headers target)
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_property(all_have DIRECTORY PROPERTY COMPILE_OPTIONS)
  get_target_property(sources ${target} SOURCES)
  if(NOT options STREQUAL all_have OR sources MATCHES "\\.c(;|$)")
    return()
  endif()
  foreach(source IN LISTS sources)
    get_source_file_property(own ${source} COMPILE_OPTIONS)
    if(own)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  get_property(owner GLOBAL PROPERTY TAIHU_LIBRARY_HEADERS)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${TAIHU_COMMON_HEADERS})
    set_property(GLOBAL PROPERTY TAIHU_LIBRARY_HEADERS ${target})
  endif()
endfunction()

# The first test program compiles the headers of GoogleTest and of the standard library, the others take them from it.
function(taihu_precompile_test_headers test)
  get_property(owner GLOBAL PROPERTY TAIHU_TEST_HEADERS)
  if(owner)
    target_precompile_headers(${test} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${test} PRIVATE <algorithm> <functional> <map> <memory> <string> <thread> <vector> <gtest/gtest.h>)
    set_property(GLOBAL PROPERTY TAIHU_TEST_HEADERS ${test})
  endif()
endfunction()

# taihu_test_program(<target> <libraries>...): how a program of GoogleTest is compiled and what it links. Its own code is
# optimised less, because that takes GoogleTest's macros a quarter to a third less time; what it tests keeps its own options.
function(taihu_test_program target)
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gtest GTest::gtest_main)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0> $<$<CONFIG:Release>:-O1>)
  if(TAIHU_FEWER_COMPILER_RUNS)
    taihu_precompile_test_headers(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# Stands for the unit tests that SANITIZERS_SUFFICE has taken out of build/, so that `ctest -R` of them says so.
function(taihu_unit_tests_left_out name)
  if(BUILD_TESTING)
    taihu_skipped_test(${name}.unit_tests "TAIHU_TESTS_ONCE is on (cmake --preset release -D TAIHU_TESTS_ONCE=OFF, then a build, has them)" LABELS unit)
  endif()
endfunction()

# taihu_unit_tests(<name> <program> <patterns> <together>): the tests of a program of GoogleTest that the patterns choose, as
# <name>.<suite>.<test>, or, TOGETHER as a component's TESTS_TOGETHER, as <name>.part0 to part3, whose output names those that failed.
function(taihu_unit_tests name program patterns together)
  if(together AND (TAIHU_SANITIZER OR TAIHU_TESTS_ONCE))
    foreach(part RANGE 3)
      add_test(NAME ${name}.part${part} COMMAND ${program} --gtest_filter=${patterns})
      set_tests_properties(${name}.part${part} PROPERTIES LABELS unit TIMEOUT 600 COST 10
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
    endforeach()
  else()
    gtest_discover_tests(${program} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 TEST_FILTER "${patterns}"
                         PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()

function(taihu_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "IN_PARTS;TESTS_TOGETHER;SANITIZERS_SUFFICE" ""
                        "SOURCES;HEADERS;TESTS;ONE_THREAD;TSAN_WITHOUT;USES;LINK;TEST_LINK")
  set(target taihu_${name})
  get_property(closed GLOBAL PROPERTY TAIHU_COMPONENTS_CLOSED)
  if(closed)
    message(FATAL_ERROR "taihu/${name} comes after include(install) in the top CMakeLists.txt; add it above")
  endif()
  set_property(GLOBAL APPEND PROPERTY TAIHU_COMPONENTS ${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${arg_LINK} PUBLIC Threads::Threads)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_LINK})
  endif()
  add_library(taihu::${name} ALIAS ${target})
  if(TAIHU_FEWER_COMPILER_RUNS AND arg_SOURCES AND NOT (arg_IN_PARTS AND CMAKE_BUILD_TYPE STREQUAL "Release"))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  if(TAIHU_PRECOMPILES AND arg_SOURCES)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL taihu_precompile_library_headers ${target})")
  endif()
  taihu_part_headers(stand_alone others "${arg_HEADERS}" "${arg_SOURCES};${arg_TESTS}")
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${others}
    FILE_SET stand_alone TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${stand_alone})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON
                        INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  list(TRANSFORM arg_USES PREPEND taihu:: OUTPUT_VARIABLE uses)
  target_link_libraries(${target} ${scope} ${uses})
  install(TARGETS ${target} EXPORT Taihu
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILE_SET stand_alone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

  foreach(test ${arg_ONE_THREAD})
    if(NOT test IN_LIST arg_TESTS)
      message(FATAL_ERROR "${test} is in ONE_THREAD of ${name}, but not in its TESTS")
    endif()
  endforeach()
  set(chosen "*")
  list(JOIN arg_TSAN_WITHOUT ":" without)
  if(TAIHU_SANITIZER STREQUAL "thread")
    list(REMOVE_ITEM arg_TESTS ${arg_ONE_THREAD} "")
    if(without)
      set(chosen "*-${without}")
    endif()
  endif()
  if(arg_SANITIZERS_SUFFICE AND TAIHU_TESTS_ONCE AND NOT TAIHU_SANITIZER)
    taihu_unit_tests_left_out(${name})
    set(arg_TESTS)
  endif()
  if(BUILD_TESTING AND arg_TESTS)
    add_executable(${target}_test ${arg_TESTS})
    taihu_test_program(${target}_test ${target} ${arg_TEST_LINK})
    add_dependencies(unit_tests ${target}_test)
    if(without)
      add_custom_command(TARGET ${target}_test POST_BUILD VERBATIM
        COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${target}_test> -D patterns=${without}
                -D "where=TSAN_WITHOUT of ${name}" -P ${PROJECT_SOURCE_DIR}/cmake/check_test_patterns.cmake)
    endif()
    taihu_unit_tests(${name} ${target}_test "${chosen}" "${arg_TESTS_TOGETHER}")
  endif()
endfunction()
