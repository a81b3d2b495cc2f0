# SPDX-License-Identifier: Apache-2.0
# What `make install` copies: both libraries, headers, pkg-config and CMake packages, the programs
# with their man page and completions, and the shipped scenes.
include(CMakePackageConfigHelpers)

# ---- libraries; the static one drags in its dependencies, so it has a targets file of its own
install(TARGETS pliant EXPORT pliantTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pliant_static pliant_dependencies EXPORT pliantStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# ---- what the static library needs, in the words of pkg-config and of find_package
set(PLIANT_PC_PRIVATE "")
set(PLIANT_PC_REQUIRES "")
set(PLIANT_FIND_MODULES "")
set(PLIANT_FIND_OPENMP "")
get_target_property(links pliant_dependencies INTERFACE_LINK_LIBRARIES)
foreach(link IN LISTS links)
  if(link MATCHES "^PkgConfig::(.+)$")
    set(prefix ${CMAKE_MATCH_1})
    string(APPEND PLIANT_PC_REQUIRES " ${${prefix}_MODULE_NAME}")
    string(APPEND PLIANT_FIND_MODULES
           "  pkg_check_modules(${prefix} REQUIRED QUIET IMPORTED_TARGET ${${prefix}_MODULE_NAME})\n")
  elseif(link STREQUAL "OpenMP::OpenMP_C")
    string(APPEND PLIANT_PC_PRIVATE " ${OpenMP_C_FLAGS}")
    set(PLIANT_FIND_OPENMP "find_dependency(OpenMP COMPONENTS C)")
  elseif(link STREQUAL "Threads::Threads")
    string(APPEND PLIANT_PC_PRIVATE " -lpthread")
  else()
    get_filename_component(name ${link} NAME_WE)
    string(REGEX REPLACE "^lib" "" name ${name})
    string(APPEND PLIANT_PC_PRIVATE " -l${name}")
  endif()
endforeach()

# ---- find_package(pliant [COMPONENTS static])
set(PLIANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pliantConfig.cmake.in
  ${PROJECT_BINARY_DIR}/pliantConfig.cmake INSTALL_DESTINATION ${PLIANT_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliantConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pliantConfig.cmake ${PROJECT_BINARY_DIR}/pliantConfigVersion.cmake
        DESTINATION ${PLIANT_CMAKE_DIR})
install(EXPORT pliantTargets NAMESPACE pliant:: DESTINATION ${PLIANT_CMAKE_DIR})
install(EXPORT pliantStaticTargets NAMESPACE pliant:: DESTINATION ${PLIANT_CMAKE_DIR})

# ---- pkg-config; the prefix is taken from where the file lies, so that the tree can be moved
file(RELATIVE_PATH PLIANT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PLIANT_PC_PREFIX ${PLIANT_PC_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/pliant.pc.in ${PROJECT_BINARY_DIR}/pliant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pliant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- programs
if(TARGET pliant_bench)
  install(TARGETS pliant_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET pliant_cli)
  install(TARGETS pliant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

  # the program prints its own man page and completions, from the table that it parses by
  set(PLIANT_GENERATED ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${PLIANT_GENERATED})
  add_custom_command(
    OUTPUT ${PLIANT_GENERATED}/pliant.1 ${PLIANT_GENERATED}/pliant.bash ${PLIANT_GENERATED}/_pliant
           ${PLIANT_GENERATED}/pliant.fish
    COMMAND pliant_cli help --man > ${PLIANT_GENERATED}/pliant.1
    COMMAND pliant_cli completion bash > ${PLIANT_GENERATED}/pliant.bash
    COMMAND pliant_cli completion zsh > ${PLIANT_GENERATED}/_pliant
    COMMAND pliant_cli completion fish > ${PLIANT_GENERATED}/pliant.fish
    DEPENDS pliant_cli COMMENT "Man page and completions" VERBATIM)
  add_custom_target(pliant_share ALL DEPENDS ${PLIANT_GENERATED}/pliant.1)

  install(FILES ${PLIANT_GENERATED}/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PLIANT_GENERATED}/pliant.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pliant)
  install(FILES ${PLIANT_GENERATED}/_pliant DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PLIANT_GENERATED}/pliant.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# ---- scenes to read and change, and the licence
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant OPTIONAL
        FILES_MATCHING PATTERN "*.yaml")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
