// SPDX-License-Identifier: Apache-2.0
#include "support/mesh_write.h"

#include "base/number.h"
#include "base/text.h"
#include "io/file/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- parts of lines ----

// "x y z\n"
static void append_point(pli_text *text, const double *point)
{
    char line[3 * PLI_NUMBER_CAPACITY + 4];
    int64_t length = 0;
    for (int32_t k = 0; k < 3; ++k) {
        pli_number_format(point[k], line + length);
        length += (int64_t)strlen(line + length);
        line[length++] = k < 2 ? ' ' : '\n';
    }
    pli_text_append_bytes(text, line, length);
}

// " a b c\n", counted from 1
static void append_corners(pli_text *text, const int32_t *corners, int32_t count)
{
    char line[64];
    int length = 0;
    for (int32_t k = 0; k < count; ++k) {
        length += snprintf(line + length, sizeof line - (size_t)length, " %lld",
                           (long long)corners[k] + 1);
    }
    line[length++] = '\n';
    pli_text_append_bytes(text, line, length);
}

// A group's name without what would end it early.
static void append_name(pli_text *text, const char *name)
{
    for (; *name != '\0'; ++name) {
        bool harmful = *name == '"' || (*name > '\0' && *name < ' ');
        pli_text_append_bytes(text, harmful ? "_" : name, 1);
    }
}

// ---- formats ----

static void format_obj(pli_text *text, const pli_mesh_data *mesh)
{
    for (int64_t i = 0; i < mesh->point_count; ++i) {
        pli_text_append(text, "v ");
        append_point(text, mesh->points + 3 * i);
    }
    int32_t group = -1;
    for (int64_t i = 0; i < mesh->triangle_count; ++i) {
        int32_t own = mesh->triangle_groups != NULL ? mesh->triangle_groups[i] : -1;
        if (own != group) {
            pli_text_append(text, "g ");
            if (own >= 0) append_name(text, mesh->group_names[own]);
            pli_text_append(text, "\n");
            group = own;
        }
        pli_text_append(text, "f");
        append_corners(text, mesh->triangles + 3 * i, 3);
    }
}

static void format_ply(pli_text *text, const pli_mesh_data *mesh)
{
    bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    pli_text_format(text,
                    "ply\nformat binary_%s_endian 1.0\nelement vertex %d\nproperty double x\n"
                    "property double y\nproperty double z\nelement face %d\n"
                    "property list uchar int vertex_indices\nend_header\n",
                    big_endian ? "big" : "little", mesh->point_count, mesh->triangle_count);
    pli_text_append_bytes(text, mesh->points,
                          (int64_t)sizeof(double) * 3 * (int64_t)mesh->point_count);
    for (int64_t i = 0; i < mesh->triangle_count; ++i) {
        char face[1 + 3 * sizeof(int32_t)] = {3};
        memcpy(face + 1, mesh->triangles + 3 * i, 3 * sizeof(int32_t));
        pli_text_append_bytes(text, face, sizeof face);
    }
}

// Lines "number type 2 physical entity nodes..." for cells of one kind.
static void append_elements(pli_text *text, const int32_t *corners, const int32_t *groups,
                            int64_t count, int32_t corner_count, int64_t first_number)
{
    for (int64_t i = 0; i < count; ++i) {
        int32_t physical = groups != NULL ? groups[i] + 1 : 0;
        char line[96];
        int length = snprintf(line, sizeof line, "%lld %d 2 %d %d", (long long)(first_number + i),
                              corner_count == 4 ? 4 : 2, physical, physical > 0 ? physical : 1);
        pli_text_append_bytes(text, line, length);
        append_corners(text, corners + corner_count * i, corner_count);
    }
}

static void format_msh(pli_text *text, const pli_mesh_data *mesh)
{
    pli_text_append(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    if (mesh->group_count > 0) {
        // a group may hold triangles and tetrahedra; Gmsh names each dimension on its own
        pli_text_format(text, "$PhysicalNames\n%lld\n", 2 * (long long)mesh->group_count);
        for (int32_t i = 0; i < 2 * mesh->group_count; ++i) {
            pli_text_format(text, "%d %d \"", 2 + i % 2, i / 2 + 1);
            append_name(text, mesh->group_names[i / 2]);
            pli_text_append(text, "\"\n");
        }
        pli_text_append(text, "$EndPhysicalNames\n");
    }
    pli_text_format(text, "$Nodes\n%d\n", mesh->point_count);
    for (int64_t i = 0; i < mesh->point_count; ++i) {
        pli_text_format(text, "%lld ", (long long)i + 1);
        append_point(text, mesh->points + 3 * i);
    }
    pli_text_format(text, "$EndNodes\n$Elements\n%lld\n",
                    (long long)mesh->triangle_count + mesh->tet_count);
    append_elements(text, mesh->triangles, mesh->triangle_groups, mesh->triangle_count, 3, 1);
    append_elements(text, mesh->tets, mesh->tet_groups, mesh->tet_count, 4,
                    1 + (int64_t)mesh->triangle_count);
    pli_text_append(text, "$EndElements\n");
}

static const struct {
    const char *ending;
    void (*format)(pli_text *text, const pli_mesh_data *mesh);
} writers[] = {{"msh", format_msh}, {"obj", format_obj}, {"ply", format_ply}};

pli_status pli_mesh_write(pli_context *context, const char *path, const pli_mesh_data *mesh)
{
    const char *ending = pli_path_ending(path);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i) {
        if (strcasecmp(writers[i].ending, ending) != 0) continue;
        pli_text text;
        pli_text_init(&text, context);
        writers[i].format(&text, mesh);
        pli_status status =
            text.failed ? PLI_ERROR_MEMORY : pli_file_write(context, path, text.bytes, text.length);
        pli_text_clear(&text);
        return status;
    }
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "%s: meshes are written as .msh, .obj or .ply, not as '.%s'", path, ending);
}
