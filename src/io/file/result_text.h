// SPDX-License-Identifier: Apache-2.0
//
// Handing a text that was put together piece by piece to the caller of a public function, who gives
// it back with pli_text_free.
#ifndef PLI_IO_FILE_RESULT_TEXT_H
#define PLI_IO_FILE_RESULT_TEXT_H

#include "base/text.h"

// Moves the bytes to *result and leaves the text empty; when appending failed somewhere, *result is
// NULL. Errors: memory.
PLI_CHECKED pli_status pli_text_hand_over(pli_text *text, char **result);

// Appends a text, valid UTF-8, in double quotes, escaped as JSON and YAML both understand.
void pli_text_append_quoted(pli_text *text, const char *string);

#endif
