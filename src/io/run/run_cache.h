// SPDX-License-Identifier: Apache-2.0
//
// The cache of a run: what took long to prepare, in files cache/<64 hexadecimal digits of its
// key>.bin of the run's folder. The newest few are kept, by the time of writing.
//
// A file is "pliant cache 1\n", an HMAC-SHA-256 over key and content by a secret of the user
// (io/run/cache_key.h), and the content. So one that somebody else made, who knows scene, program
// and format, is not believed: a folder from elsewhere is run as if it had no cache. A plain hash,
// however strong, would not do: it is known to everybody. The price is that folders do not take
// their cache along to another user or machine.
//
// A cache is a convenience: a file that cannot be read or written, or is none of ours, is a
// warning, never a failure. Files are read and written below the run's folder without following
// links.
#ifndef PLI_IO_RUN_RUN_CACHE_H
#define PLI_IO_RUN_RUN_CACHE_H

#include "io/run/run_folder.h"
#include "pliant/sim.h"

#define PLI_CACHE_FOLDER "cache"

enum { PLI_CACHE_KEPT = 4 }; // files

// The folder's cache. Lifetime: that of folder.
pli_cache pli_run_cache(pli_run_folder *folder);

#endif
