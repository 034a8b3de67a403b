# The compiler wrappers of MPI libraries as a source of flags: this project's own compilers build what a library needs.

# taihu_mpi_wrapper(<variable> <option> <names>...): the first wrapper that understands the option that only its library has.
function(taihu_mpi_wrapper variable option)
  if(DEFINED ${variable})
    return()
  endif()
  foreach(name ${ARGN})
    find_program(taihu_wrapper_${name} ${name})
    mark_as_advanced(taihu_wrapper_${name})
    if(taihu_wrapper_${name})
      execute_process(COMMAND ${taihu_wrapper_${name}} ${option} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(NOT failed)
        set(${variable} ${taihu_wrapper_${name}} CACHE FILEPATH "Compiler wrapper of this MPI library; empty: do without")
        return()
      endif()
    endif()
  endforeach()
  message(STATUS "No compiler wrapper for ${variable}: jobs cannot be started through that library's launcher")
endfunction()

# taihu_mpi_flags(<target> <wrapper> <option that shows its command line>): gives the target the wrapper's flags.
function(taihu_mpi_flags target wrapper show)
  execute_process(COMMAND ${wrapper} ${show} OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${line}")
  list(POP_FRONT flags)
  set(compile_flags ${flags})
  list(FILTER compile_flags INCLUDE REGEX "^-(I|D|isystem|pthread)")
  set(link_flags ${flags})
  list(FILTER link_flags INCLUDE REGEX "^(-L|-l|-Wl,-?-rpath|-Wl,--enable-new-dtags|-pthread|/.*\\.(so|a)$)")
  target_compile_options(${target} PRIVATE ${compile_flags})
  target_link_libraries(${target} PRIVATE ${link_flags})
endfunction()

taihu_mpi_wrapper(TAIHU_MPICC_OPENMPI --showme:version mpicc.openmpi mpicc)
taihu_mpi_wrapper(TAIHU_MPICC_MPICH -compile_info mpicc.mpich mpicc)
