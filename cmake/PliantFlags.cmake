# SPDX-License-Identifier: Apache-2.0
# The flags that every one of our own targets is compiled with.
add_library(pliant_flags INTERFACE)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

target_compile_options(pliant_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes)
target_compile_definitions(pliant_flags INTERFACE _GNU_SOURCE PLI_ASSERT_LEVEL=${PLIANT_ASSERT_LEVEL})
if(PLIANT_WERROR)
  target_compile_options(pliant_flags INTERFACE -Werror)
endif()

if(PLIANT_ARCH STREQUAL "native")
  target_compile_options(pliant_flags INTERFACE -march=native)
elseif(PLIANT_ARCH STREQUAL "x86-64-v3")
  target_compile_options(pliant_flags INTERFACE -march=x86-64-v3)
elseif(NOT PLIANT_ARCH STREQUAL "baseline")
  message(FATAL_ERROR "PLIANT_ARCH is '${PLIANT_ARCH}'; allowed are native, x86-64-v3 and baseline")
endif()

# the kernels pass vectors by value between inlined functions only, so their calling convention
# without AVX does not matter
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pliant_flags INTERFACE -Wno-psabi)
endif()

if(PLIANT_HARDENING)
  include(PliantHardening)
endif()

if(PLIANT_SANITIZE)
  # tests of solvers take a third less time than with -O1
  target_compile_options(pliant_flags INTERFACE -O2 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(pliant_flags INTERFACE -fsanitize=address,undefined)
endif()
if(PLIANT_TSAN)
  target_compile_options(pliant_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -g)
  target_link_options(pliant_flags INTERFACE -fsanitize=thread)
endif()
if(PLIANT_COVERAGE)
  target_compile_options(pliant_flags INTERFACE --coverage -g)
  target_link_options(pliant_flags INTERFACE --coverage)
endif()
