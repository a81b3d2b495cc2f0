# SPDX-License-Identifier: Apache-2.0
# The page: that the committed one fits its sources, its modules alone, and the page in a browser.
pliant_add_script(check.page 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_page.py)

set(page ${PROJECT_SOURCE_DIR}/tests/page)
file(GLOB page_tests CONFIGURE_DEPENDS ${page}/test_*.mjs)
pliant_add_script(page.unit 300 /bin/sh ${page}/run.sh unit)
# every byte of the committed page is what its sources build
pliant_add_script(page.rebuild 300 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_page.py --rebuild)
set(page_names page.unit page.rebuild)
# a machine with much else to do is not a fault: these end by what they wait for
foreach(script IN LISTS page_tests)
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "test_" "page." name ${name})
  pliant_add_script(${name} 900 /bin/sh ${page}/run.sh ${script})
  list(APPEND page_names ${name})
endforeach()
# the same on the program itself, as far as it can do what the mock can
foreach(what view live trouble safety)
  pliant_add_script(page.real_${what} 900 /bin/sh ${page}/run.sh ${page}/test_${what}.mjs)
  set_property(TEST page.real_${what} APPEND PROPERTY ENVIRONMENT PLIANT_PAGE_PROGRAM=${PROJECT_BINARY_DIR}/pliant)
  list(APPEND page_names page.real_${what})
endforeach()
# memory over some hundred frames; by itself the script takes ten thousand
pliant_add_script(page.soak 900 /bin/sh ${page}/run.sh ${page}/soak.mjs)
set_property(TEST page.soak APPEND PROPERTY ENVIRONMENT PLIANT_PAGE_PROGRAM=${PROJECT_BINARY_DIR}/pliant PLIANT_SOAK_FRAMES=600)
list(APPEND page_names page.soak)
# one installs what they need, and one browser is enough for two cores
set_tests_properties(${page_names} PROPERTIES RESOURCE_LOCK page)
