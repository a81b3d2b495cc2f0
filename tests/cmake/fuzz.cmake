# SPDX-License-Identifier: Apache-2.0
# Fuzzing by libFuzzer: CC=clang cmake -DPLIANT_FUZZ=ON -DPLIANT_SANITIZE=ON, then
#   PLIANT_FUZZ_ENDING=msh build/tests/fuzz_mesh -max_total_time=60 CORPUS
if(PLIANT_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PLIANT_FUZZ=ON needs clang: CC=clang cmake ...")
  endif()
  target_compile_options(pliant_flags INTERFACE -fsanitize=fuzzer-no-link)
  file(GLOB PLIANT_FUZZ_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.c)
  foreach(source IN LISTS PLIANT_FUZZ_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PRIVATE pliant_flags pliant_static)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endforeach()
endif()
