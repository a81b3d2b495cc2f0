// SPDX-License-Identifier: Apache-2.0
#include "sim/report/frame_fields.h"

#include <string.h>

uint32_t pli_frame_fields_find(const pli_frame_field *fields, int32_t field_count,
                               const char *const *names, int32_t name_count, const char **unknown)
{
    *unknown = NULL;
    if (name_count == 0) return (1u << field_count) - 1;
    uint32_t mask = 0;
    for (int32_t k = 0; k < name_count; ++k) {
        int32_t field = 0;
        while (field < field_count && strcmp(fields[field].name, names[k]) != 0) ++field;
        if (field < field_count) {
            mask |= 1u << field;
        } else if (*unknown == NULL) {
            *unknown = names[k];
        }
    }
    return mask;
}
