# cmake -D program=<GoogleTest program> -D patterns=<pattern:pattern...> -D where=<text> -P check_test_patterns.cmake
#
# Fails for a pattern that no test of the program has: when a test gets another name, its pattern would leave out nothing.
string(REPLACE ":" ";" patterns "${patterns}")
foreach(pattern IN LISTS patterns)
  execute_process(COMMAND ${program} --gtest_list_tests --gtest_filter=${pattern} OUTPUT_VARIABLE tests COMMAND_ERROR_IS_FATAL ANY)
  if(NOT tests MATCHES "\n  ") # a line of a test
    message(FATAL_ERROR "${pattern} is in ${where}, but no test of ${program} has such a name; take it out or correct it")
  endif()
endforeach()
