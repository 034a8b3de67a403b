# add_parallel_c(<target> <source>... [OPTIONS <flag>...] [LINK <flag or file>...])
#
# Builds the Parallel C program <target> from C sources with parcc, as part of `all`. The program is
# CMAKE_CURRENT_BINARY_DIR/parallel_c/<target>; the target's property PARALLEL_C_PROGRAM names it. OPTIONS are added to each compilation
# (behind the flags of CMAKE_C_FLAGS and of the build type), LINK to the end of the link line. A source is compiled
# again when a header that it includes has changed. Run the program with parcrun.
# Variable Taihu_PARCC names the compiler; find_package(Taihu) sets it.
function(add_parallel_c target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;LINK")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_parallel_c(${target}): no sources")
  endif()
  if(NOT EXISTS "${Taihu_PARCC}" AND NOT TARGET parcc)
    message(FATAL_ERROR "add_parallel_c(${target}): there is no compiler ${Taihu_PARCC}; "
                        "install Taihu with parcc or set Taihu_PARCC")
  endif()

  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}")
  separate_arguments(link_flags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/parallel_c)
  file(MAKE_DIRECTORY ${folder}/${target}.objects)
  set(objects)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE source_file)
    string(MAKE_C_IDENTIFIER ${source} name)
    set(object ${folder}/${target}.objects/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${Taihu_PARCC} ${flags} ${arg_OPTIONS} -MD -MF ${object}.d -c ${source_file} -o ${object}
      DEPENDS ${source_file} ${Taihu_PARCC} DEPFILE ${object}.d VERBATIM
      COMMENT "Compiling Parallel C ${source}")
    list(APPEND objects ${object})
  endforeach()

  set(program ${folder}/${target})
  add_custom_command(OUTPUT ${program}
    COMMAND ${Taihu_PARCC} ${flags} ${objects} ${link_flags} ${arg_LINK} -o ${program}
    DEPENDS ${objects} VERBATIM COMMENT "Linking Parallel C program ${target}")
  add_custom_target(${target} ALL DEPENDS ${program})
  set_target_properties(${target} PROPERTIES PARALLEL_C_PROGRAM ${program})
endfunction()
