# SPDX-License-Identifier: Apache-2.0
# Embeds every scenes/**/*.yaml into the program, so that shipped scenes run from anywhere.
#
# An assembler file takes the bytes in by .incbin, and a C table names them (cli/embedded.h declares
# it). scenes/rubber/stretch.yaml is called rubber/stretch. Changing, adding or removing a scene rebuilds.
# scenes/former-names.txt says which names scenes had before: a line each, the former one first.
enable_language(ASM)

file(GLOB_RECURSE PLIANT_SCENES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.yaml)
list(SORT PLIANT_SCENES)

set(assembler "")
set(declarations "")
set(rows "")
set(index 0)
foreach(scene IN LISTS PLIANT_SCENES)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/scenes ${scene})
  string(REGEX REPLACE "\\.yaml$" "" name ${name})
  set(symbol pli_cli_scene_${index})
  string(APPEND assembler
    ".global ${symbol}_begin\n.global ${symbol}_end\n"
    "${symbol}_begin:\n.incbin \"${scene}\"\n${symbol}_end:\n.byte 0\n")
  string(APPEND declarations "extern const char ${symbol}_begin[], ${symbol}_end[];\n")
  string(APPEND rows "    {\"${name}\", ${symbol}_begin, ${symbol}_end},\n")
  math(EXPR index "${index} + 1")
endforeach()

set(former ${PROJECT_SOURCE_DIR}/scenes/former-names.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${former})
file(STRINGS ${former} lines)
set(former_rows "")
foreach(line IN LISTS lines)
  string(REPLACE " " "\", \"" pair ${line})
  string(APPEND former_rows "    {\"${pair}\"},\n")
endforeach()

set(folder ${PROJECT_BINARY_DIR}/embedded)
# file(CONFIGURE) leaves a file alone that would not change
set(content ".section .rodata\n${assembler}\n.section .note.GNU-stack,\"\",%progbits\n")
file(CONFIGURE OUTPUT ${folder}/scenes.S CONTENT "\@content\@" @ONLY)
set(content "#include \"embedded.h\"\n\n${declarations}
const pli_cli_embedded pli_cli_embedded_scenes[] = {\n${rows}    {NULL, NULL, NULL},\n};
const int32_t pli_cli_embedded_scene_count = ${index};
const pli_cli_former_name pli_cli_former_names[] = {\n${former_rows}    {NULL, NULL},\n};\n")
file(CONFIGURE OUTPUT ${folder}/scenes.c CONTENT "\@content\@" @ONLY)
set_source_files_properties(${folder}/scenes.S PROPERTIES OBJECT_DEPENDS "${PLIANT_SCENES}")

add_library(pliant_scenes OBJECT ${folder}/scenes.S ${folder}/scenes.c)
target_include_directories(pliant_scenes PRIVATE ${PROJECT_SOURCE_DIR}/cli)
set(PLIANT_EMBEDDED_SCENES $<TARGET_OBJECTS:pliant_scenes>)
