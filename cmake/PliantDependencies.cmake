# SPDX-License-Identifier: Apache-2.0
# What the library and the program are built on. Every package is one of Debian's.
add_library(pliant_dependencies INTERFACE)

# OpenMP: without it one thread does everything
if(PLIANT_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
  target_link_libraries(pliant_dependencies INTERFACE OpenMP::OpenMP_C)
else()
  target_compile_options(pliant_dependencies INTERFACE -Wno-unknown-pragmas)
endif()
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
# always the serial flavour: plain "hdf5" turns into the MPI one once an MPI package is installed
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
# HTTP and WebSocket of the page
pkg_check_modules(WEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets>=4.0)
target_link_libraries(pliant_dependencies INTERFACE
  Threads::Threads PkgConfig::YAML PkgConfig::ZLIB PkgConfig::HDF5 PkgConfig::WEBSOCKETS m ${CMAKE_DL_LIBS})

# CHOLMOD: sparse Cholesky. Its supernodal part is GPL; PLIANT_CHOLMOD=OFF gives a permissive build.
set(PLIANT_HAS_CHOLMOD FALSE)
if(NOT PLIANT_CHOLMOD STREQUAL "OFF")
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  if(CHOLMOD_INCLUDE_DIR AND CHOLMOD_LIBRARY)
    set(PLIANT_HAS_CHOLMOD TRUE)
    target_include_directories(pliant_dependencies SYSTEM INTERFACE $<BUILD_INTERFACE:${CHOLMOD_INCLUDE_DIR}>)
    target_link_libraries(pliant_dependencies INTERFACE ${CHOLMOD_LIBRARY})
    target_compile_definitions(pliant_dependencies INTERFACE $<BUILD_INTERFACE:PLI_HAS_CHOLMOD=1>)
    # METIS: nested dissection with a seed of our own; without it orders are by minimum degree
    find_path(METIS_INCLUDE_DIR metis.h)
    find_library(METIS_LIBRARY metis)
    if(METIS_INCLUDE_DIR AND METIS_LIBRARY)
      target_include_directories(pliant_dependencies SYSTEM INTERFACE $<BUILD_INTERFACE:${METIS_INCLUDE_DIR}>)
      target_link_libraries(pliant_dependencies INTERFACE ${METIS_LIBRARY})
      target_compile_definitions(pliant_dependencies INTERFACE $<BUILD_INTERFACE:PLI_HAS_METIS=1>)
    endif()
  elseif(PLIANT_CHOLMOD STREQUAL "ON")
    message(FATAL_ERROR "PLIANT_CHOLMOD=ON, but cholmod.h or libcholmod was not found (Debian: libsuitesparse-dev)")
  endif()
endif()

# Embree and libpng: pictures.
set(PLIANT_HAS_RENDER FALSE)
if(NOT PLIANT_RENDER STREQUAL "OFF")
  find_path(EMBREE_INCLUDE_DIR embree3/rtcore.h)
  find_library(EMBREE_LIBRARY embree3)
  pkg_check_modules(PNG IMPORTED_TARGET libpng)
  if(EMBREE_INCLUDE_DIR AND EMBREE_LIBRARY AND PNG_FOUND)
    set(PLIANT_HAS_RENDER TRUE)
    target_include_directories(pliant_dependencies SYSTEM INTERFACE $<BUILD_INTERFACE:${EMBREE_INCLUDE_DIR}>)
    target_link_libraries(pliant_dependencies INTERFACE ${EMBREE_LIBRARY} PkgConfig::PNG)
    target_compile_definitions(pliant_dependencies INTERFACE $<BUILD_INTERFACE:PLI_HAS_RENDER=1>)
  elseif(PLIANT_RENDER STREQUAL "ON")
    message(FATAL_ERROR "PLIANT_RENDER=ON, but Embree 3 or libpng was not found (Debian: libembree-dev libpng-dev)")
  endif()
endif()
