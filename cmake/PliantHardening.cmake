# SPDX-License-Identifier: Apache-2.0
# What makes a mistake with memory end the program instead of giving it away: canaries on the stack,
# stacks that cannot jump over their guard page, calls of the C library that know how large their
# buffers are, indirect jumps that only arrive where functions begin, programs at addresses that
# differ from run to run, and tables of addresses that are filled in at the start and then read-only.
# PLIANT_HARDENING=OFF leaves it to the compiler what of it there is.
#
# Sanitizers watch the same memory themselves, and replace the very calls that are checked here.
if(PLIANT_SANITIZE OR PLIANT_TSAN)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

# ---- the compiler; what it lacks is left out
function(pliant_hardening_flag flag result)
  string(MAKE_C_IDENTIFIER "PLIANT_HAS${flag}" has)
  # clang says of an option that means nothing for the processor that it is unused
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_c_compiler_flag(${flag} ${has})
  set(${result} "")
  if(${has})
    set(${result} ${flag})
  endif()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()
pliant_hardening_flag(-fcf-protection jumps)
target_compile_options(pliant_flags INTERFACE ${jumps})

# ---- the stack, and checked calls: only in what reads files, sockets and arguments. Kernels keep
# small matrices on the stack: a canary around each of them is 2 % of a step of contact and 39 % of
# an exact predicate. They load and store them by memcpy, which the compiler sees through less well
# where it is checked: the local step of projective dynamics takes 1.8 times as long.
pliant_hardening_flag(-fstack-protector-strong canaries)
pliant_hardening_flag(-fstack-clash-protection clash)

# A C library that does not know level 3 warns and takes 2. Checks need the optimiser, which every
# build type of ours has on; type None is for those who bring flags of their own. Some compilers
# define a level of theirs.
set(CMAKE_REQUIRED_FLAGS "-O1 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>
int main(int count, char **words) { char line[8]; strcpy(line, words[0]); return line[0] + count; }"
                        PLIANT_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(level 2)
if(PLIANT_HAS_FORTIFY_3)
  set(level 3)
endif()
set(is_ours "$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:None>>>")
target_compile_options(pliant_flags INTERFACE $<${is_ours}:-U_FORTIFY_SOURCE>)

set(PLIANT_INPUT_OPTIONS ${canaries} ${clash} $<$<NOT:$<CONFIG:None>>:-D_FORTIFY_SOURCE=${level}>)
set(PLIANT_INPUT_SOURCES "/src/(base|io|serve|sim/scene)/")

# ---- programs at any address; libraries are anyway
check_pie_supported(LANGUAGES C)
if(CMAKE_C_LINK_PIE_SUPPORTED)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# ---- the linker
foreach(word relro now noexecstack)
  check_linker_flag(C -Wl,-z,${word} PLIANT_HAS_Z_${word})
  if(PLIANT_HAS_Z_${word})
    target_link_options(pliant_flags INTERFACE -Wl,-z,${word})
  endif()
endforeach()
