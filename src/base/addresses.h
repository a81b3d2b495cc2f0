// SPDX-License-Identifier: Apache-2.0
//
// Ranges of addresses that have memory only where they are touched: arrays that may become huge
// keep their place from the first item to the last, and arrays with holes cost what is in them.
//
// A range reads as zeros until it is written. The operating system gives memory page by page, at
// the first touch, and takes it back by pli_addresses_discard or with the range itself. This is
// beside the context's allocator, which would have to give all of it at once.
//
// A range says how it will be used. A sparse one gets memory in the smallest pages there are, so
// that a touch costs no more than that; a dense one is filled from its beginning and gets large
// pages where the system has them, for they spare most misses of the address cache.
//
// Threads: touching a range is up to the caller; the functions may be called from anywhere, for
// different parts at a time.
#ifndef PLI_BASE_ADDRESSES_H
#define PLI_BASE_ADDRESSES_H

#include <stdint.h>

typedef enum pli_addresses_use { PLI_ADDRESSES_SPARSE, PLI_ADDRESSES_DENSE } pli_addresses_use;

// A range of so many bytes, at least 1, that begins at a page; NULL when the system refuses. It is
// up to the caller to say what it was for.
void *pli_addresses_reserve(int64_t bytes, pli_addresses_use use);

// Gives the range back with all of its memory; bytes as it was reserved. NULL is legal.
void pli_addresses_release(void *range, int64_t bytes);

// Gives the memory of a part of a range back, which reads as zeros then. Where the part is not made
// of whole pages of this system it becomes zero and keeps its memory.
void pli_addresses_discard(void *part, int64_t bytes);

// Bytes of a part of a range that have been touched and not given back, in whole pages. Asks the
// system about every page of the part, which takes about a nanosecond each. Pages that were read
// and never written count, although they share one page of zeros.
int64_t pli_addresses_touched(const void *part, int64_t bytes);

#endif
