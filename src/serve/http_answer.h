// SPDX-License-Identifier: Apache-2.0
//
// Heads of answers. Each has the same headers of safety: nothing is guessed, kept, framed, sent to
// others as a referrer or taken by other origins.
#ifndef PLI_SERVE_HTTP_ANSWER_H
#define PLI_SERVE_HTTP_ANSWER_H

#include "pliant/base.h"

struct lws_protocol_vhost_options;

enum { PLI_HTTP_ANSWER_CAPACITY = 4096 }; // bytes of a head and of the text of a status

typedef struct pli_http_answer {
    int32_t status;
    const char *content_type; // NULL: plain text
    const char *policy;       // NULL: nothing is allowed
    bool gzip;
    bool keeps; // the connection stays
    int64_t size;
    const char *location; // where to go on instead; NULL: here
    const char *cookie;   // to be kept; NULL: none
} pli_http_answer;

// The headers of safety with a policy that allows nothing, for answers that the library makes.
const struct lws_protocol_vhost_options *pli_http_safety(void);

// "Not Found".
const char *pli_http_reason(int32_t status);

// Writes the head with its empty line and a zero byte; returns its length, 0 when it does not fit.
int64_t pli_http_answer_head(const pli_http_answer *answer, char text[PLI_HTTP_ANSWER_CAPACITY]);

// Writes the head and a line that says the status, for refusals; the line is left out for HEAD.
// The connection is closed behind it.
int64_t pli_http_answer_refusal(int32_t status, bool with_body,
                                char text[PLI_HTTP_ANSWER_CAPACITY]);

#endif
