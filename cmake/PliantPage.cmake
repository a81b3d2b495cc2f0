# SPDX-License-Identifier: Apache-2.0
# Embeds the page of the browser into the library, compressed (src/serve/page_bytes.h declares it).
#
# viewer/dist/index.html is committed, so that building needs no Node. gzip without name and time
# gives the same bytes for the same page; an assembler file takes them in by .incbin.
enable_language(ASM)
find_program(PLIANT_GZIP gzip REQUIRED)

set(page ${PROJECT_SOURCE_DIR}/viewer/dist/index.html)
set(folder ${PROJECT_BINARY_DIR}/embedded)
file(MAKE_DIRECTORY ${folder})
add_custom_command(OUTPUT ${folder}/page.gz
  COMMAND ${PLIANT_GZIP} -9nc ${page} > ${folder}/page.gz
  DEPENDS ${page} VERBATIM COMMENT "Compressing the page")

set(content ".section .rodata
.global pli_page_begin
.global pli_page_end
.hidden pli_page_begin
.hidden pli_page_end
pli_page_begin:
.incbin \"${folder}/page.gz\"
pli_page_end:
.byte 0
.section .note.GNU-stack,\"\",%progbits
")
file(CONFIGURE OUTPUT ${folder}/page.S CONTENT "\@content\@" @ONLY)
set_source_files_properties(${folder}/page.S PROPERTIES OBJECT_DEPENDS ${folder}/page.gz)

add_library(pliant_page OBJECT ${folder}/page.S)
set(PLIANT_EMBEDDED_PAGE $<TARGET_OBJECTS:pliant_page>)
