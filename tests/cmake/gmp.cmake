# SPDX-License-Identifier: Apache-2.0
# The exact predicates are compared with integers of any length (Debian: libgmp-dev). Without them
# that test skips itself.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
if(GMP_INCLUDE_DIR AND GMP_LIBRARY AND TARGET test.unit.geometry.predicates)
  target_include_directories(test.unit.geometry.predicates SYSTEM PRIVATE ${GMP_INCLUDE_DIR})
  target_link_libraries(test.unit.geometry.predicates PRIVATE ${GMP_LIBRARY})
  target_compile_definitions(test.unit.geometry.predicates PRIVATE PLI_TEST_HAS_GMP=1)
endif()
