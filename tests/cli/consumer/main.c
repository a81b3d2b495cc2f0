// SPDX-License-Identifier: Apache-2.0
//
// A program outside the project: compiles against the installed headers and links what they
// declare.
#include <pliant/pliant.h>

#include <stdio.h>

int main(void)
{
    pli_context *context = NULL;
    if (pli_context_create(NULL, &context) != PLI_OK) return 1;
    int laws = 0;
    while (pli_material_get(laws) != NULL) ++laws;
    printf("pliant %s, %d laws\n", pli_version(), laws);
    pli_context_destroy(context);
    return 0;
}
