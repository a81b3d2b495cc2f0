# SPDX-License-Identifier: Apache-2.0
# The server of the page against clients that mean harm, on loopback.
add_executable(page_fixture ${CMAKE_CURRENT_SOURCE_DIR}/fault/page_fixture.c)
target_include_directories(page_fixture PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(page_fixture PRIVATE pliant_flags pliant_static)
set_target_properties(page_fixture PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
pliant_add_script(fault.page_abuse 300 ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fault/page_abuse.py
  --program $<TARGET_FILE:page_fixture> --speed 5)
set_property(TEST fault.page_abuse APPEND PROPERTY LABELS sanitize)
