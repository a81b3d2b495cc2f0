// SPDX-License-Identifier: Apache-2.0
//
// The cache of a run: what took long to prepare, in files cache/<16 hexadecimal digits of its
// key>.bin of the run's folder. The newest few are kept, by the time of writing.
//
// A cache is a convenience: a file that cannot be read or written is a warning, never a failure.
#ifndef PLI_IO_RUN_CACHE_H
#define PLI_IO_RUN_CACHE_H

#include "io/run_folder.h"
#include "pliant/sim.h"

#define PLI_CACHE_FOLDER "cache"

enum { PLI_CACHE_KEPT = 4 }; // files

// The folder's cache. Lifetime: that of folder.
pli_cache pli_run_cache(pli_run_folder *folder);

#endif
