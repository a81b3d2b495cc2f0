# SPDX-License-Identifier: Apache-2.0
# Files that the library writes, read by other programs' readers: VTK, meshio and h5py of the
# distribution's Python. A machine without them skips these tests (exit code 77).
add_executable(oracle_samples ${CMAKE_CURRENT_SOURCE_DIR}/oracle/write_samples.c)
target_include_directories(oracle_samples PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                                                  ${CMAKE_CURRENT_SOURCE_DIR} ${CMOCKA_INCLUDE_DIR})
target_link_libraries(oracle_samples PRIVATE pliant_flags pliant_static ${CMOCKA_LIBRARY})
set_target_properties(oracle_samples PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

foreach(subject frames export particles checkpoint)
  add_test(NAME oracle.${subject}
    COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/oracle/${subject}.py $<TARGET_FILE:oracle_samples>)
  set_tests_properties(oracle.${subject} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
endforeach()
