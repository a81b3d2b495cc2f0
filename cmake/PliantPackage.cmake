# SPDX-License-Identifier: Apache-2.0
# A Debian package by CPack (`make package`). With CHOLMOD's GPL parts in it, the binary is to be
# distributed under GPL-3 terms; PLIANT_CHOLMOD=OFF gives a permissive one.
set(CPACK_PACKAGE_NAME pliant)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "pliant maintainers <maintainers@pliant.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulator for deformable matter")
set(CPACK_PACKAGE_DESCRIPTION
    "Simulates rubber, flesh, metal, cloth, snow, sand and fluids with large, safe time steps on
 ordinary processors: a library, a command-line program and scenes to start from.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, paraview")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
