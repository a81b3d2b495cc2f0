// SPDX-License-Identifier: Apache-2.0
//
// Defaults of pictures, and what a build without Embree and libpng answers.
#include "pliant/picture.h"

#include "base/context.h"

pli_picture_def pli_picture_def_default(void)
{
    return (pli_picture_def){
        .width = 960,
        .height = 600,
        .samples = 2,
        .occlusion_rays = 16,
        .shadow_rays = 8,
        .lit = true,
        .field = "",
        .component = PLI_COMPONENT_MAGNITUDE,
        .automatic_range = true,
        .colormap = PLI_COLORMAP_SEQUENTIAL,
        .ground = true,
        .automatic_ground = true,
        .background = PLI_BACKGROUND_LIGHT,
        .camera = {.automatic = true, .azimuth = 32, .elevation = 20, .up = {0, 1, 0}, .fov = 28},
        .legend = true,
    };
}

#ifndef PLI_HAS_RENDER

static pli_status refuse(pli_context *context)
{
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "this build has no pictures; install Embree 3 and libpng and build again");
}

pli_status pli_picture_create(pli_context *context, const pli_picture_def *def,
                              pli_picture **picture)
{
    (void)def;
    *picture = NULL;
    return refuse(context);
}

void pli_picture_destroy(pli_picture *picture)
{
    (void)picture;
}

// no picture can exist to be surveyed or drawn
pli_status pli_picture_survey(pli_picture *picture, const pli_frame *frame)
{
    (void)picture;
    (void)frame;
    return PLI_ERROR_UNSUPPORTED;
}

pli_status pli_picture_draw(pli_picture *picture, const pli_frame *frame, uint8_t *rgb)
{
    (void)picture;
    (void)frame;
    (void)rgb;
    return PLI_ERROR_UNSUPPORTED;
}

pli_status pli_picture_write_png(pli_context *context, const char *path, int32_t width,
                                 int32_t height, const uint8_t *rgb)
{
    (void)path;
    (void)width;
    (void)height;
    (void)rgb;
    return refuse(context);
}

#endif
