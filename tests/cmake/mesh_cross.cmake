# SPDX-License-Identifier: Apache-2.0
# Meshes written by Gmsh and meshio must read as those programs mean them. Skipped without them.
find_program(PLIANT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PLIANT_SYSTEM_PYTHON)
  add_executable(mesh_dump ${CMAKE_CURRENT_SOURCE_DIR}/cross/mesh_dump.c)
  target_include_directories(mesh_dump PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(mesh_dump PRIVATE pliant_flags pliant_static)
  set_target_properties(mesh_dump PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME cross.meshes
           COMMAND ${PLIANT_SYSTEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cross/compare_meshes.py $<TARGET_FILE:mesh_dump>)
  set_tests_properties(cross.meshes PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT "PLIANT_SOURCE=${PROJECT_SOURCE_DIR}")
endif()
