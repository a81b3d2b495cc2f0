# SPDX-License-Identifier: Apache-2.0
# Oracles with integers of any length; without GMP (Debian: libgmp-dev) their tests are skipped.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
foreach(name unit.geometry.ccd_exact)
  if(TARGET test.${name} AND GMP_INCLUDE_DIR AND GMP_LIBRARY)
    target_include_directories(test.${name} PRIVATE ${GMP_INCLUDE_DIR})
    target_compile_definitions(test.${name} PRIVATE PLI_TEST_GMP)
    target_link_libraries(test.${name} PRIVATE ${GMP_LIBRARY})
  endif()
endforeach()
