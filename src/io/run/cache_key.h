// SPDX-License-Identifier: Apache-2.0
//
// The secret of a user by which the caches of runs know their own files: 32 random bytes in
// $XDG_CACHE_HOME/pliant/run-cache.key, or ~/.cache/pliant/run-cache.key, made when it is asked for
// the first time, readable for its owner alone. Whoever can read it can do anything else in the
// user's name as well. Losing it costs nothing but what was cached.
#ifndef PLI_IO_RUN_CACHE_KEY_H
#define PLI_IO_RUN_CACHE_KEY_H

#include "base/context.h"
#include "base/sha256.h"

// Errors: io (there is no place for it, or what is there is another's or open to others), memory.
PLI_CHECKED pli_status pli_cache_key_get(pli_context *context, uint8_t key[PLI_SHA256_BYTES]);

#endif
