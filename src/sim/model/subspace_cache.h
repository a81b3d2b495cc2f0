// SPDX-License-Identifier: Apache-2.0
//
// The precomputed parts of the solver "subspace" as bytes, for a cache (pli_cache in sim.h).
//
// The key is a hash (SHA-256) of everything that the parts depend on: mesh, stiffness, materials,
// held vertices, bodies and masses where there is an affine level, the numbers of the scene that
// clusters, weights and cubature are made by, the seed, a version of the algorithms, and the build,
// since other compilers and instructions round differently. What solves look at later, such as
// tolerances and the number of polishing iterations, is not in it.
//
// The bytes are a head of words of 64 bits (magic number, which also tells the order of bytes;
// version of the format; key, four words; bytes behind the head; their hash) and behind it, without
// gaps, the numbers and arrays of partition, weights, affine weights and cubature, the last two
// after a number that says whether they are there. One function describes the order, for measuring,
// writing and reading alike.
//
// Reading trusts nothing: head, sizes against the model and against the bytes that are left, the
// hash, then every index and number. Bytes that are cut short, damaged, of another version, of
// another key or nonsense under a right hash have a fault, which is no error: parts are then
// computed as if there were no cache. Whoever writes a right hash over other numbers that fit
// together is believed: a cache that others can write to has to know its own files
// (io/run/run_cache.h).
#ifndef PLI_SIM_MODEL_SUBSPACE_CACHE_H
#define PLI_SIM_MODEL_SUBSPACE_CACHE_H

#include "sim/model/subspace_build.h"

pli_cache_key pli_reduction_key(const pli_reduction_source *source);

// Bytes of a reduction. Lifetime: until pli_release. Errors: memory.
PLI_CHECKED pli_status pli_reduction_encode(pli_context *context, const pli_reduction *reduction,
                                            const pli_cache_key *key, void **bytes, int64_t *size);

// The parts of an empty reduction from bytes. *fault is NULL, or says what is wrong with the bytes
// ("is cut short"); the reduction then is still empty. Errors: memory.
PLI_CHECKED pli_status pli_reduction_decode(const pli_reduction_source *source,
                                            const pli_cache_key *key, const void *bytes,
                                            int64_t size, pli_reduction *reduction,
                                            const char **fault);

// Takes the parts from a cache. *found: they were there and good; else nothing has happened.
// Errors: memory.
PLI_CHECKED pli_status pli_reduction_load(const pli_reduction_source *source,
                                          const pli_cache_key *key, const pli_cache *cache,
                                          pli_reduction *reduction, bool *found);

// Puts the parts into a cache, if memory allows.
void pli_reduction_store(const pli_reduction_source *source, const pli_cache_key *key,
                         const pli_cache *cache, const pli_reduction *reduction);

#endif
