# What `cmake --install` adds to the libraries and headers that each component installs itself: the CMake package
# (find_package(Taihu)), the pkg-config file and add_parallel_c(). Everything is found relative to the place of these
# files, so an installation can be moved. Include after all add_subdirectory() calls.
include(CMakePackageConfigHelpers)

set(TAIHU_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Taihu)

# The build tree has the C headers of user programs at the same distance from bin/ as an installation.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/taihu)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/taihu/abi ${PROJECT_BINARY_DIR}/include/taihu/abi SYMBOLIC)
# What programs include by its own name.
foreach(header naalloc.h amgsolve.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/taihu/abi/${header} ${PROJECT_BINARY_DIR}/include/${header} SYMBOLIC)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/taihu/abi/naalloc.h ${PROJECT_SOURCE_DIR}/taihu/abi/amgsolve.h
              ${PROJECT_SOURCE_DIR}/taihu/abi/naalloc.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Users of the static libraries link in dependency order: the last component is the highest.
get_property(components GLOBAL PROPERTY TAIHU_COMPONENTS)
set_property(GLOBAL PROPERTY TAIHU_COMPONENTS_CLOSED TRUE)
set(pkgconfig_libraries)
set(pkgconfig_requires)
set(find_dependencies)
foreach(component IN LISTS components)
  get_target_property(type taihu_${component} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND pkgconfig_libraries -ltaihu_${component})
  endif()
  get_target_property(linked taihu_${component} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS linked)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library MATCHES "^(Threads::Threads|taihu::.*|\\$<BUILD_INTERFACE:.*|::@.*|)$" OR NOT library)
      continue()
    elseif(library MATCHES "^PkgConfig::(.+)$")
      set(module ${CMAKE_MATCH_1})
      set(package ${${module}_MODULE_NAME})
      list(APPEND pkgconfig_requires ${package})
      list(APPEND find_dependencies "pkg_check_modules(${module} REQUIRED QUIET IMPORTED_TARGET ${package})")
    elseif(library MATCHES "^[A-Za-z0-9_.+-]+$" AND NOT TARGET ${library})
      string(REGEX REPLACE "^-l" "" library ${library})
      list(APPEND pkgconfig_system_libraries -l${library})
    else()
      message(FATAL_ERROR "taihu_${component} links ${library}, which an installed Taihu could not find; "
                          "use a plain name or PkgConfig::<MODULE> (cmake/component.cmake)")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES find_dependencies)
list(REMOVE_DUPLICATES pkgconfig_requires)
list(REMOVE_DUPLICATES pkgconfig_system_libraries)
if(find_dependencies)
  list(PREPEND find_dependencies "find_dependency(PkgConfig)")
endif()
list(JOIN find_dependencies "\n" TAIHU_FIND_DEPENDENCIES)
list(JOIN pkgconfig_requires " " TAIHU_PKGCONFIG_REQUIRES)
list(JOIN pkgconfig_libraries " " TAIHU_PKGCONFIG_LIBRARIES)
list(JOIN pkgconfig_system_libraries " " TAIHU_PKGCONFIG_SYSTEM_LIBRARIES)

file(RELATIVE_PATH TAIHU_PREFIX_FROM_PKGCONFIG /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" TAIHU_PREFIX_FROM_PKGCONFIG ${TAIHU_PREFIX_FROM_PKGCONFIG})
configure_file(${PROJECT_SOURCE_DIR}/cmake/taihu.pc.in ${PROJECT_BINARY_DIR}/package/taihu.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TaihuConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TaihuConfig.cmake INSTALL_DESTINATION ${TAIHU_INSTALL_CMAKEDIR}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TaihuConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(EXPORT Taihu NAMESPACE taihu:: FILE TaihuTargets.cmake DESTINATION ${TAIHU_INSTALL_CMAKEDIR})
install(FILES ${PROJECT_BINARY_DIR}/package/TaihuConfig.cmake ${PROJECT_BINARY_DIR}/package/TaihuConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TaihuParallelC.cmake DESTINATION ${TAIHU_INSTALL_CMAKEDIR})
install(FILES ${PROJECT_BINARY_DIR}/package/taihu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/taihu)
