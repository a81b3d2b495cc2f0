# SPDX-License-Identifier: Apache-2.0
# What `make install` copies: both libraries, headers, pkg-config and CMake packages, the programs
# with their man page and completions, the Python module, the shipped scenes, the guide and the
# examples.
include(CMakePackageConfigHelpers)

# ---- libraries; the static one drags in its dependencies, so it has a targets file of its own
install(TARGETS pliant EXPORT pliantTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pliant_static pliant_dependencies EXPORT pliantStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# ---- what the static library needs, in the words of pkg-config and of find_package
set(PLIANT_PC_PRIVATE "")
set(PLIANT_FIND_MODULES "")
set(PLIANT_FIND_OPENMP "")
get_target_property(links pliant_dependencies INTERFACE_LINK_LIBRARIES)
foreach(link IN LISTS links)
  if(link MATCHES "^PkgConfig::(.+)$")
    set(prefix ${CMAKE_MATCH_1})
    # not Requires.private: headers of these libraries are nobody's business, and pkg-config would
    # refuse to speak of pliant where they are not installed
    string(REPLACE ";" " " flags "${${prefix}_LDFLAGS}")
    string(APPEND PLIANT_PC_PRIVATE " ${flags}")
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
  # Debian's zsh looks at another folder for what packages bring
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()
  install(FILES ${PLIANT_GENERATED}/_pliant DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder})
  install(FILES ${PLIANT_GENERATED}/pliant.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# ---- the Python module, where Debian's python3 looks: /usr/lib/python3/dist-packages, but below
# /usr/local a folder with its version. A note beside the module says where library and scenes lie,
# seen from there, so that the tree can be moved.
set(PLIANT_PYTHON_DIR "" CACHE STRING "Folder of the Python module below the prefix; empty: by the prefix")
set(python_dir ${PLIANT_PYTHON_DIR})
if(NOT python_dir)
  set(python_dir lib/python3/dist-packages)
  find_program(PLIANT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  if(PLIANT_SYSTEM_PYTHON AND CMAKE_INSTALL_PREFIX STREQUAL "/usr/local")
    execute_process(COMMAND ${PLIANT_SYSTEM_PYTHON} -c "import sys; print('%d.%d' % sys.version_info[:2])"
                    OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(python_dir lib/python${version}/dist-packages)
  endif()
endif()

function(pliant_path_from from to result)
  if(NOT IS_ABSOLUTE ${to})
    file(RELATIVE_PATH to /${from} /${to})
  endif()
  set(${result} ${to} PARENT_SCOPE)
endfunction()
set(package ${python_dir}/pliant)
pliant_path_from(${package} ${CMAKE_INSTALL_LIBDIR}/libpliant.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} library)
pliant_path_from(${package} ${CMAKE_INSTALL_DATADIR}/pliant/scenes scenes)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/python/_installed.py CONTENT
"# SPDX-License-Identifier: Apache-2.0
\"\"\"Where the installation put what the module needs, seen from the module.\"\"\"
LIBRARY = \"@library@\"
SCENES = \"@scenes@\"
" @ONLY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/pliant DESTINATION ${python_dir}
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/_installed.py DESTINATION ${package})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/examples ${PROJECT_SOURCE_DIR}/python/blender
        DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant/python
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

# ---- scenes to read and change, the guide, the examples, and the licence
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant OPTIONAL
        FILES_MATCHING PATTERN "*.yaml" PATTERN former-names.txt)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        FILES_MATCHING PATTERN "*.md" PATTERN gallery EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.c" PATTERN Makefile PATTERN CMakeLists.txt)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/CITATION.cff ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
