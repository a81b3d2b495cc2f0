# SPDX-License-Identifier: Apache-2.0
# The Python module over the built library: tests/python/test_<what>.py becomes python.<what>. They
# need numpy (Debian: python3-numpy) and skip themselves without it. Instrumented libraries cannot be
# loaded into a plain interpreter.
find_program(PLIANT_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PLIANT_SYSTEM_PYTHON AND NOT PLIANT_SANITIZE AND NOT PLIANT_COVERAGE)
  file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/python/test_*.py)
  foreach(script IN LISTS python_tests)
    get_filename_component(name ${script} NAME_WE)
    string(REPLACE "test_" "python." name ${name})
    pliant_add_script(${name} 300 ${PLIANT_SYSTEM_PYTHON} -B ${script})
    # memory that was given back is filled, so that an array which dangles is seen
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "PLIANT_LIBRARY=$<TARGET_FILE:pliant>" "MALLOC_PERTURB_=165")
  endforeach()
endif()
