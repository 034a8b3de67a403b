# The applications and simulators, for one process and for the ranks of each MPI.
taihu_command(numa-model numa_model.cc launch model)
target_link_libraries(numa-model PRIVATE CLI11::CLI11)
taihu_command(network-model network_model.cc model)
target_link_libraries(network-model PRIVATE CLI11::CLI11)
taihu_command(nocsim nocsim.cc noc)
target_link_libraries(nocsim PRIVATE CLI11::CLI11)

# taihu_application(<name> <component> [<source>...]): <name> for one process, of <name>.cc and the other sources, which are
# compiled once for all its programs: they differ in the file that makes the ranks.
set(parallel ${PROJECT_SOURCE_DIR}/taihu/parallel)
function(taihu_application name component)
  add_library(${name}_main OBJECT ${name}.cc ${ARGN})
  target_link_libraries(${name}_main PRIVATE taihu::${component} CLI11::CLI11)
  target_compile_definitions(${name}_main PRIVATE TAIHU_VERSION="${PROJECT_VERSION}")
  taihu_command(${name} $<TARGET_OBJECTS:${name}_main> ${component})
  target_sources(${name} PRIVATE ${parallel}/world_alone.cc)
endfunction()

# rmc for one process, and for the ranks of each MPI: rmc-openmpi, rmc-mpich, and rmc-taihu by mac++. rmc becomes one of the
# first two when that library's launcher has started it.
taihu_application(rmc neutron rmc_options.cc)

taihu_link_heap(rmc)

# taihu_application_for_mpi(<name> <component>): <name>-openmpi and <name>-mpich where these libraries are there; gives their
# names in <name>_with_mpi.
function(taihu_application_for_mpi name component)
  foreach(library openmpi mpich)
    string(TOUPPER ${library} upper)
    if(NOT TAIHU_MPICC_${upper})
      continue()
    endif()
    set(program ${name}-${library})
    taihu_command(${program} $<TARGET_OBJECTS:${name}_main> ${component})
    target_sources(${program} PRIVATE ${parallel}/mpi_communicator.cc)
    # Only the C interface: without the C++ bindings that some MPI headers still offer.
    target_compile_definitions(${program} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    taihu_mpi_flags(${program} ${TAIHU_MPICC_${upper}} ${taihu_show_${library}})
    list(APPEND programs ${program})
  endforeach()
  set(${name}_with_mpi ${programs} PARENT_SCOPE)
endfunction()
set(taihu_show_openmpi --showme)
set(taihu_show_mpich -show)
taihu_application_for_mpi(rmc neutron)
foreach(program ${rmc_with_mpi})
  taihu_link_heap(${program})
endforeach()

# amgsolve for one process, and for the ranks of each MPI: amgsolve-openmpi, amgsolve-mpich, and amgsolve-taihu by mac++.
taihu_application(amgsolve amg)
taihu_application_for_mpi(amgsolve amg)

# With naalloc, which the solver takes where a program has it.
foreach(program amgsolve ${amgsolve_with_mpi})
  target_link_libraries(${program} PRIVATE taihu_memory)
  target_link_options(${program} PRIVATE -Wl,--undefined=naalloc)
endforeach()

# taihu_application_by_macxx(<name> ARCHIVES <targets> LIBRARIES <flags>): <name>-taihu, whose ranks are threads of one process.
set(taihu_program_rpath "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
function(taihu_application_by_macxx program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHIVES;LIBRARIES")
  set(sources ${parallel}/mpi_communicator.cc $<TARGET_OBJECTS:${program}_main>)
  set(output ${PROJECT_BINARY_DIR}/bin/${program}-taihu)
  list(TRANSFORM arg_ARCHIVES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  add_custom_command(OUTPUT ${output}
    COMMAND $<TARGET_FILE:mac++> -std=c++20 -O2 -g1 -I${PROJECT_SOURCE_DIR} ${sources} ${archives} ${arg_LIBRARIES} -lgomp
            -Wl,-rpath,${taihu_program_rpath} -o ${output}
    DEPENDS ${sources} ${arg_ARCHIVES} mac++ marun
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Building ${program}-taihu with mac++")
  add_custom_target(${program}-taihu ALL DEPENDS ${output})
  install(PROGRAMS ${output} DESTINATION ${CMAKE_INSTALL_BINDIR})
  # mac++ wrote the library's folder in the build tree into the program, where an installation needs its own.
  set(installed "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${program}-taihu")
  if(CMAKE_SKIP_RPATH OR CMAKE_SKIP_INSTALL_RPATH)
    install(CODE "file(RPATH_REMOVE FILE \"${installed}\")")
  else()
    install(CODE "file(RPATH_CHANGE FILE \"${installed}\" OLD_RPATH [[${taihu_program_rpath}:${PROJECT_BINARY_DIR}/lib]] NEW_RPATH [[${taihu_program_rpath}]])")
  endif()
  set_property(GLOBAL APPEND PROPERTY TAIHU_COMMANDS_BY_MACXX ${program}-taihu)
endfunction()
taihu_application_by_macxx(amgsolve
  ARCHIVES taihu_amg taihu_parallel taihu_threads taihu_memory taihu_base
  LIBRARIES -lz)
find_package(PkgConfig REQUIRED)
pkg_check_modules(rmc_libraries REQUIRED ${hdf5_MODULE_NAME} pugixml libpng)
taihu_application_by_macxx(rmc
  ARCHIVES taihu_neutron taihu_picture taihu_parallel taihu_threads taihu_base
  LIBRARIES ${rmc_libraries_LDFLAGS})
