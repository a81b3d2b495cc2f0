# SPDX-License-Identifier: Apache-2.0
# A locale with a decimal comma for the tests of readers and writers, made once in the build folder,
# so that they need none installed. Without localedef those tests skip themselves.
find_program(PLIANT_LOCALEDEF localedef)
set(locale_folder ${PROJECT_BINARY_DIR}/locale)
if(PLIANT_LOCALEDEF AND NOT EXISTS ${locale_folder}/de_DE.UTF-8)
  file(MAKE_DIRECTORY ${locale_folder})
  execute_process(COMMAND ${PLIANT_LOCALEDEF} --no-archive -i de_DE -f UTF-8 ${locale_folder}/de_DE.UTF-8
                  OUTPUT_QUIET ERROR_QUIET)
endif()
if(EXISTS ${locale_folder}/de_DE.UTF-8)
  # the C library keeps the parsed LOCPATH for good
  file(WRITE ${locale_folder}/leaks.txt "leak:argz_add_sep\n")
  foreach(name IN ITEMS unit.base.number unit.io.mesh_formats unit.io.export unit.io.scene_yaml unit.sim.quantity)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "LOCPATH=${locale_folder}" "LSAN_OPTIONS=suppressions=${locale_folder}/leaks.txt:print_suppressions=0")
  endforeach()
endif()
