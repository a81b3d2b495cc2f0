// SPDX-License-Identifier: Apache-2.0
//
// Answers that sites give to requests: words, JSON, packets, the page.
//
// Every function fills a response, whatever happens: what there is no memory for becomes a 500
// without words.
#ifndef PLI_SERVE_ANSWER_H
#define PLI_SERVE_ANSWER_H

#include "base/text.h"
#include "serve/server.h"

// A line of words with a status.
void pli_answer_words(pli_context *context, pli_http_response *response, int32_t status,
                      const char *format, ...) PLI_PRINTF(4, 5);

// The failure that the context keeps, in its own words.
void pli_answer_failure(pli_context *context, pli_http_response *response, int32_t status);

// JSON that was written into a text.
void pli_answer_json(pli_context *context, pli_http_response *response, const pli_text *text);

// A copy of bytes. The type is static text.
void pli_answer_bytes(pli_context *context, pli_http_response *response, const char *type,
                      const void *bytes, int64_t count);

// Hands a packet over.
void pli_answer_packet(pli_http_response *response, pli_packet *packet);

// The page itself.
void pli_answer_page(pli_context *context, pli_http_response *response);

#endif
