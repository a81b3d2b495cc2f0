# SPDX-License-Identifier: Apache-2.0
# An ideal fluid's dam break, computed again by boundary elements. Needs numpy, skipped without (77).
add_test(NAME oracle.dam_break
  COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/oracle/dam_break.py
          ${CMAKE_CURRENT_SOURCE_DIR}/physics/test_mpm_fluids.c)
set_tests_properties(oracle.dam_break PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
  ENVIRONMENT "OPENBLAS_NUM_THREADS=1")
