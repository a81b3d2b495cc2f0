// SPDX-License-Identifier: Apache-2.0
//
// Energy of swaying storks at the coarse resolution of figure 12 of Fang et al. 2018: fewer
// transfers damp less, so that with regions more of the motion is left.
//
// What is lost is the change of kinetic, elastic and gravity's energy together; nothing but the
// scheme takes any. How much kinetic energy swings is its standard deviation over the last half.
#include "s3.h"
#include "s3_race.h"

#include "base/context.h"

#include <math.h>

static double swing(const pli_s3_tally *tally)
{
    int32_t first = tally->sample_count / 2, count = 0;
    double sum = 0, squares = 0;
    for (int32_t k = first; k <= tally->sample_count; ++k, ++count) {
        sum += tally->energies[k].kinetic;
        squares += tally->energies[k].kinetic * tally->energies[k].kinetic;
    }
    return sqrt(fmax(0, squares / count - sum * sum / count / count));
}

// 1/s, as if what was there fell off exponentially
static double decay_rate(const pli_s3_tally *tally, double time)
{
    const pli_energies *first = &tally->energies[0];
    double lost = first->total - tally->energies[tally->sample_count].total;
    return -log(1 - lost / first->kinetic) / time;
}

pli_status pli_bench_s3_energy(pli_bench *bench)
{
    static const char *const names[PLI_S3_SIDES] = {"one step", "regions"};
    bool is_paper_size = pli_bench_is_paper_size(bench);
    pli_s3_race_def def = {"mixed/storks", {"domain.cell=0.0125", "time.steps_per_frame=2"}, 0, 14};
    if (is_paper_size) def.steps = 144;
    pli_s3_race race;
    double rates[PLI_S3_SIDES], swings[PLI_S3_SIDES];
    PLI_TRY(pli_s3_race_run(bench, &def, &race));
    for (int side = 0; side < PLI_S3_SIDES; ++side) {
        const pli_s3_tally *tally = &race.tallies[side];
        rates[side] = decay_rate(tally, def.steps * race.info.dt);
        swings[side] = swing(tally);
        pli_bench_note(bench,
                       "storks, cells of %g m, %g s with %s: of %.4g J in motion, total energy "
                       "changes by %.4g J, a rate of %.3f 1/s; kinetic energy swings by %.4g J",
                       race.info.cell, def.steps * race.info.dt, names[side],
                       tally->energies[0].kinetic,
                       tally->energies[tally->sample_count].total - tally->energies[0].total,
                       rates[side], swings[side]);
    }
    pli_bench_claim(bench,
                    &(pli_claim){"Q3-10", "coarse storks: rate of decay, regions over one step",
                                 "less than 1", rates[PLI_S3_REGIONAL] / rates[PLI_S3_EXPLICIT],
                                 "x", -INFINITY, 1});
    pli_bench_claim(bench,
                    &(pli_claim){"Q3-10",
                                 "coarse storks: swing of kinetic energy, regions over one step",
                                 "more than 1", swings[PLI_S3_REGIONAL] / swings[PLI_S3_EXPLICIT],
                                 "x", NAN, NAN});
    return PLI_OK;
}
