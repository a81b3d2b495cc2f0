# SPDX-License-Identifier: Apache-2.0
# Checks of the sources, and tests of the program by scripts: tests/cli/test_<what>.{sh,py} becomes
# cli.<what>. Scripts get the places of things by environment variables.
set(PLIANT_SCRIPT_ENVIRONMENT
  "OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1"
  "PLIANT_SOURCE=${PROJECT_SOURCE_DIR}" "PLIANT_BUILD=${PROJECT_BINARY_DIR}"
  "PLIANT=${PROJECT_BINARY_DIR}/pliant" "PLIANT_COMPILER=${CMAKE_C_COMPILER}"
  "PLIANT_HARDENING=$<AND:$<BOOL:${PLIANT_HARDENING}>,$<NOT:$<OR:$<BOOL:${PLIANT_SANITIZE}>,$<BOOL:${PLIANT_TSAN}>>>>"
  "PLIANT_INSTRUMENTED=$<OR:$<BOOL:${PLIANT_SANITIZE}>,$<BOOL:${PLIANT_COVERAGE}>>")

function(pliant_add_script name timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  # 77: skipped, the message says why
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "${PLIANT_SCRIPT_ENVIRONMENT}")
endfunction()

set(tools ${PROJECT_SOURCE_DIR}/tools)
pliant_add_script(check.format 120 ${tools}/check_format.sh)
pliant_add_script(check.layers 60 ${Python3_EXECUTABLE} ${tools}/check_layers.py)
pliant_add_script(check.headers 120 ${tools}/check_headers.sh)
# instrumented objects refer to what ours must not
if(PLIANT_SANITIZE OR PLIANT_COVERAGE)
  pliant_add_script(check.style 60 ${Python3_EXECUTABLE} ${tools}/check_style.py)
else()
  pliant_add_script(check.style 60 ${Python3_EXECUTABLE} ${tools}/check_style.py
    --objects $<TARGET_FILE:pliant_static> --shared $<TARGET_FILE:pliant>)
endif()
pliant_add_script(check.claims 60 ${Python3_EXECUTABLE} ${tools}/make_claims.py
  ${PROJECT_SOURCE_DIR}/docs/bench.json --check)
pliant_add_script(check.tests 60 ${Python3_EXECUTABLE} ${tools}/check_tests.py)
pliant_add_script(check.docs 60 ${Python3_EXECUTABLE} ${tools}/check_docs.py)
pliant_add_script(check.meshes 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/data/make_meshes.py --check)
pliant_add_script(check.tools 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/checks/test_checks.py)

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/test_*.sh
                                    ${PROJECT_SOURCE_DIR}/tests/cli/test_*.py)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "test_" "cli." name ${name})
  if(script MATCHES "\\.py$")
    pliant_add_script(${name} 300 ${Python3_EXECUTABLE} ${script})
  else()
    pliant_add_script(${name} 300 /bin/sh ${script})
  endif()
endforeach()

# what runs under the sanitizers as well: unit tests, minimisers, steppers and the program. Of these some that compute a lot take
# half of the time there; they have the label `thorough` instead, and run with the long fault tests
set(thorough conformance.sim.steppers unit.geometry.ccd_exact unit.geometry.recipe unit.geometry.stuffing
  unit.mpm.implicit_kernels unit.mpm.implicit_stepper unit.mpm.node_cycle unit.mpm.node_geometric unit.mpm.regions
  unit.mpm.seeding unit.mpm.stepper unit.sim.grips unit.sim.matter unit.sim.matter_implicit unit.sim.matter_start
  unit.sim.step)
# what takes long without looking at what nothing else looks at: `make test` leaves it to `make test-slow`
set(slow physics.beams physics.large_steps physics.small_loads physics.mpm_sand physics.mpm_solids
  physics.barrier_hertz physics.barrier_stacks physics.barrier_impact physics.sparse_bases_scenes physics.particle_scenes)
get_property(names DIRECTORY PROPERTY TESTS)
foreach(name IN LISTS names)
  if(name IN_LIST slow)
    set_property(TEST ${name} APPEND PROPERTY LABELS slow)
  endif()
  if(name IN_LIST thorough)
    set_property(TEST ${name} APPEND PROPERTY LABELS thorough)
  elseif(name MATCHES "^(unit|cli|conformance\\.(optimize|sim))\\.")
    set_property(TEST ${name} APPEND PROPERTY LABELS sanitize)
  endif()
endforeach()
