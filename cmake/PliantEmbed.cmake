# SPDX-License-Identifier: Apache-2.0
# pliant_embed(LIST FILE SYMBOL): turns a text file into a C source that defines
# `const char SYMBOL[]`, zero-terminated, and appends that source to LIST.
function(pliant_embed list file symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  set(source ${PROJECT_BINARY_DIR}/embed/${symbol}.c)
  set(text "extern const char ${symbol}[];\nconst char ${symbol}[] = {\n${bytes}0};\n")
  set(before "")
  if(EXISTS ${source})
    file(READ ${source} before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${source} "${text}")
  endif()
  set(${list} ${${list}} ${source} PARENT_SCOPE)
endfunction()
