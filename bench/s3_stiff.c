// SPDX-License-Identifier: Apache-2.0
//
// Where regions do not pay: the balls with more and more of them stiff, from rest. Where all are,
// every block takes the same step, and the difference in time is what scheduling costs.
#include "s3.h"
#include "s3_race.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

typedef struct stiff_row {
    const char *name;
    const char *overrides[PLI_S3_OVERRIDES];
    double band; // least speed, NAN: only reported
} stiff_row;

// what the scene names soft has 83 % of the volume
static const stiff_row rows[] = {
    {"all stiff",
     {"materials.soft.young=2e5", "materials.firm.young=2e5", "materials.hard.young=2e5"},
     0.8},
    {"83 % stiff",
     {"materials.soft.young=2e5", "materials.firm.young=1e3", "materials.hard.young=1e3",
      "materials.stiff.young=1e3"},
     NAN},
    {"17 % stiff", {"materials.firm.young=2e5", "materials.hard.young=2e5"}, NAN},
};

pli_status pli_bench_s3_stiff(pli_bench *bench)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        const stiff_row *row = &rows[k];
        pli_s3_race_def def = {.scene = "rubber/balls", .steps = 2};
        for (int i = 0; row->overrides[i] != NULL; ++i) def.overrides[i] = row->overrides[i];
        pli_s3_race race;
        char what[96];
        PLI_TRY(pli_s3_race_run(bench, &def, &race));
        snprintf(what, sizeof what, "balls, %s: speed over one step for all", row->name);
        pli_bench_claim(bench,
                        &(pli_claim){"Q3-11", what, "may be below 1", pli_s3_race_speed(&race), "x",
                                     row->band, isnan(row->band) ? NAN : INFINITY});
        snprintf(what, sizeof what, "balls, %s: fewer updates of blocks", row->name);
        pli_bench_claim(
            bench, &(pli_claim){"Q3-11", what, "-", pli_s3_race_block_ratio(&race), "x", NAN, NAN});
    }
    return PLI_OK;
}
