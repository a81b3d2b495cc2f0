# SPDX-License-Identifier: Apache-2.0
# A Debian package by CPack (`make package`). With CHOLMOD's GPL parts in it, the binary is to be
# distributed under GPL-3 terms; PLIANT_CHOLMOD=OFF gives a permissive one.
#
# It is one package, not four (program, library, headers, Python module): whoever gets it gets one
# file, and there is no archive that other packages would depend on the library from.
set(CPACK_PACKAGE_NAME pliant)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "pliant maintainers <maintainers@pliant.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator for deformable matter")
set(CPACK_PACKAGE_DESCRIPTION
    "Simulates rubber, flesh, metal, cloth, snow, sand and fluids with large,
safe time steps on ordinary processors: the program pliant with a page in
the browser, scenes to start from, the library with its headers, and a
Python module.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# sparse Cholesky comes with the reference BLAS, which is slow; this flavour shares our threads
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp, python3, python3-numpy, xdg-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "blender, ffmpeg, paraview")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian/files.cmake)
set(debian ${PROJECT_SOURCE_DIR}/cmake/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${debian}/triggers ${debian}/postinst ${debian}/prerm ${debian}/postrm)

# ---- files that only a Debian package has; made in the staging tree by files.cmake
set(PLIANT_BINARY_LICENCE Apache-2.0)
if(PLIANT_HAS_CHOLMOD)
  set(PLIANT_BINARY_LICENCE GPL-3+)
endif()
set(PLIANT_PACKAGE_DATE "$ENV{SOURCE_DATE_EPOCH}")
if(PLIANT_PACKAGE_DATE STREQUAL "" AND PLIANT_COMMIT)
  execute_process(COMMAND ${PLIANT_GIT} log -1 --format=%ct WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE PLIANT_PACKAGE_DATE)
endif()
configure_file(${debian}/copyright.in ${PROJECT_BINARY_DIR}/debian/copyright @ONLY)
configure_file(${debian}/files.cmake.in ${PROJECT_BINARY_DIR}/debian/files.cmake @ONLY)
include(CPack)
