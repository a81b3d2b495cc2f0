# SPDX-License-Identifier: Apache-2.0
# Faults of processes, disks and memory: tests/fault/test_<what>.py becomes fault.<what>, a sample of
# which is part of every test run; everything, as fault.<what>.long, is run by `make fault` only, as
# are tests/fault/long_<what>.py.
add_executable(fault_soak ${CMAKE_CURRENT_SOURCE_DIR}/fault/soak.c)
target_link_libraries(fault_soak PRIVATE pliant_flags pliant_test_support)
set_target_properties(fault_soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fault/test_*.py
                                    ${CMAKE_CURRENT_SOURCE_DIR}/fault/long_*.py)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "(test|long)_" "fault." name ${name})
  if(script MATCHES "/test_")
    pliant_add_script(${name} 300 ${Python3_EXECUTABLE} -B ${script})
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "PLIANT_SOAK=$<TARGET_FILE:fault_soak>")
  endif()
  add_test(NAME ${name}.long CONFIGURATIONS Fault COMMAND ${Python3_EXECUTABLE} -B ${script})
  set_tests_properties(${name}.long PROPERTIES TIMEOUT 7200 SKIP_RETURN_CODE 77 LABELS long
    ENVIRONMENT "${PLIANT_SCRIPT_ENVIRONMENT};PLIANT_SOAK=$<TARGET_FILE:fault_soak>;PLIANT_FAULT_LONG=1")
endforeach()
