# Tests that run a program as a job.

# taihu_job_tests(<prefix> <program> LAUNCHER <command> EXPECT <regular expression> RANKS ... PROCESSES ... [OPTIONS ...]
# [ARGUMENTS ...]): one test per number of ranks, number of node processes and MPI library, all named
# <prefix>.<program's name>.ranks<n>.processes<n>.<library>, which @TEST@ in the arguments stands for. Node processes talk by
# shared memory in half of the tests and by the MPI library in the others: each program with each library in both ways.
function(taihu_job_tests prefix program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LAUNCHER;EXPECT" "ARGUMENTS;OPTIONS;RANKS;PROCESSES")
  get_filename_component(name ${program} NAME)
  foreach(ranks IN LISTS arg_RANKS)
    foreach(processes IN LISTS arg_PROCESSES)
      if(processes GREATER ranks)
        continue()
      endif()
      set(libraries openmpi mpich)
      if(processes EQUAL 1)
        set(libraries none)
      endif()
      foreach(library IN LISTS libraries)
        set(test ${prefix}.${name}.ranks${ranks}.processes${processes}.${library})
        set(arguments ${arg_ARGUMENTS})
        list(TRANSFORM arguments REPLACE "@TEST@" "${test}")
        add_test(NAME ${test} COMMAND ${arg_LAUNCHER} --timeout 100 -n ${ranks} --processes-per-node ${processes}
                 --mpi ${library} ${arg_OPTIONS} ${program} ${arguments})
        set_tests_properties(${test} PROPERTIES LABELS programs TIMEOUT 120 PASS_REGULAR_EXPRESSION "${arg_EXPECT}"
                             FAIL_REGULAR_EXPRESSION "check failed")
        math(EXPR parity "(${ranks} + ${processes}) % 2")
        set(shared_memory off)
        if((library STREQUAL openmpi AND parity EQUAL 0) OR (library STREQUAL mpich AND parity EQUAL 1))
          set(shared_memory on)
        endif()
        if(processes GREATER 1)
          set_tests_properties(${test} PROPERTIES ENVIRONMENT TAIHU_SHARED_MEMORY=${shared_memory})
        endif()
        if(ranks GREATER 2 OR processes GREATER 1)
          set_tests_properties(${test} PROPERTIES PROCESSORS 2)
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()
