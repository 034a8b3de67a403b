# taihu_expect_test(<name> EXPECT <regular expression> [EXIT_CODE <number>|failure] COMMAND <command>...): a test that passes
# when the command ends with that code, 0 without one, and its output matches (expect.sh). The output is looked at as a
# whole. A target as a command is written $<TARGET_FILE:...>.
function(taihu_expect_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPECT;EXIT_CODE" "COMMAND")
  if(NOT DEFINED arg_EXIT_CODE)
    set(arg_EXIT_CODE 0)
  endif()
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/expect.sh ${arg_EXIT_CODE} "${arg_EXPECT}"
           ${arg_COMMAND})
endfunction()

# taihu_skipped_test(<name> <reason> [LABELS <label>]): stands for tests that cannot be made here, so that they are counted
# as skipped.
function(taihu_skipped_test name reason)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LABELS" "")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: " LABELS "${arg_LABELS}")
endfunction()
