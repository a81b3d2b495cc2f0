// SPDX-License-Identifier: Apache-2.0
//
// The page in the browser, viewer/dist/index.html, compressed by gzip and embedded when the library
// is built (cmake/PliantPage.cmake).
#ifndef PLI_SERVE_PAGE_BYTES_H
#define PLI_SERVE_PAGE_BYTES_H

#include <stdint.h>

extern const uint8_t pli_page_begin[];
extern const uint8_t pli_page_end[]; // one past the last

#endif
