// SPDX-License-Identifier: Apache-2.0
//
// Prints what a mesh file holds, for comparison with other programs: counts, points in hexadecimal
// floating point, tetrahedra and triangles each with its group.
#include "base/context.h"
#include "io/mesh/mesh_file.h"

#include <stdio.h>

static void print_cells(const char *kind, int32_t corner_count, int32_t count,
                        const int32_t *corners, const int32_t *groups, const pli_mesh_data *data)
{
    for (int32_t i = 0; i < count; ++i) {
        printf("%s", kind);
        for (int32_t k = 0; k < corner_count; ++k) {
            printf(" %d", corners[corner_count * (int64_t)i + k]);
        }
        int32_t group = groups != NULL ? groups[i] : -1;
        printf(" %s\n", group >= 0 ? data->group_names[group] : "");
    }
}

static void print_mesh(const pli_mesh_data *data)
{
    for (int64_t i = 0; i < data->point_count; ++i) {
        const double *x = data->points + 3 * i;
        printf("p %a %a %a\n", x[0], x[1], x[2]);
    }
    print_cells("t", 4, data->tet_count, data->tets, data->tet_groups, data);
    print_cells("f", 3, data->triangle_count, data->triangles, data->triangle_groups, data);
}

int main(int argument_count, char **arguments)
{
    pli_context *context = NULL;
    pli_mesh_file *mesh = NULL;
    if (argument_count != 2 || pli_context_create(NULL, &context) != PLI_OK) return 2;
    pli_status status = pli_mesh_file_read(context, arguments[1], &mesh);
    if (status == PLI_OK) {
        print_mesh(pli_mesh_file_data(mesh));
    } else {
        char message[1024];
        pli_context_message(context, message, sizeof message);
        fprintf(stderr, "%s\n", message);
    }
    pli_mesh_file_destroy(mesh);
    pli_context_destroy(context);
    return status == PLI_OK ? 0 : 1;
}
