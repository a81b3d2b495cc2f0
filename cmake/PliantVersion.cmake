# SPDX-License-Identifier: Apache-2.0
# The version stands in include/pliant/base.h and nowhere else: library, package, man page and
# `--version` take it from there. Sets PLIANT_VERSION, and PLIANT_COMMIT where git knows it.
set(header ${CMAKE_CURRENT_SOURCE_DIR}/include/pliant/base.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
set(PLIANT_VERSION "")
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${header} line REGEX "^#define PLI_VERSION_${part} [0-9]+$")
  if(NOT line MATCHES "([0-9]+)$")
    message(FATAL_ERROR "${header} does not define PLI_VERSION_${part}")
  endif()
  list(APPEND PLIANT_VERSION ${CMAKE_MATCH_1})
endforeach()
string(REPLACE ";" "." PLIANT_VERSION "${PLIANT_VERSION}")

# the commit is looked up anew whenever there is another one
set(PLIANT_COMMIT "")
find_program(PLIANT_GIT git)
mark_as_advanced(PLIANT_GIT)
if(PLIANT_GIT AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${PLIANT_GIT} rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    OUTPUT_VARIABLE PLIANT_COMMIT)
  execute_process(COMMAND ${PLIANT_GIT} rev-parse --git-path logs/HEAD
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    OUTPUT_VARIABLE log)
  if(NOT IS_ABSOLUTE "${log}")
    set(log ${CMAKE_CURRENT_SOURCE_DIR}/${log})
  endif()
  if(EXISTS ${log})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
endif()
