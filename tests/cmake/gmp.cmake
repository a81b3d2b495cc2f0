# SPDX-License-Identifier: Apache-2.0
# Oracles with integers of any length; without GMP (Debian: libgmp-dev) their tests skip themselves.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
foreach(name unit.geometry.predicates unit.geometry.ccd_exact)
  if(TARGET test.${name} AND GMP_INCLUDE_DIR AND GMP_LIBRARY)
    target_include_directories(test.${name} SYSTEM PRIVATE ${GMP_INCLUDE_DIR})
    target_compile_definitions(test.${name} PRIVATE PLI_TEST_HAS_GMP=1)
    target_link_libraries(test.${name} PRIVATE ${GMP_LIBRARY})
  endif()
endforeach()
