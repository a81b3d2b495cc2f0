// SPDX-License-Identifier: Apache-2.0
//
// What a run's report shows: the course of its steps in bounded memory, and a judgement.
//
// Steps are added one by one, from the solver or from the lines of steps.jsonl. They are gathered
// into buckets of equal numbers of steps; when all buckets are full, neighbours are merged and each
// holds twice as many. A bucket keeps mean, smallest and largest value of each quantity, so a spike
// of one step among millions still shows. Ten steps and ten million give pages of similar size.
//
// report.html is one file without references to others: a verdict with its reasons in words,
// warnings that were logged, plots of energy, momentum, iterations, residual, step size,
// deformation, contact and time per phase; of particles their number, sweeps, and the steps that
// blocks were moved by; of implicit ones nodes, substeps, and a table of levels. Words and tables
// need no script. It follows the reader's light or dark setting, fits a phone, prints on white
// paper, and works from a folder without a network.
#ifndef PLI_IO_REPORT_REPORT_H
#define PLI_IO_REPORT_REPORT_H

#include "base/text.h"
#include "io/report/report_grid.h"
#include "io/report/report_matter.h"
#include "io/report/report_notes.h"
#include "io/report/report_steps.h"

#define PLI_REPORT_FILE "report.html"

enum { PLI_REPORT_BUCKETS = 512, PLI_REPORT_NAME = 32 };

// the quantities that are plotted, in the order of pli_report_channel_names
typedef enum pli_report_channel {
    PLI_CHANNEL_KINETIC,
    PLI_CHANNEL_ELASTIC,
    PLI_CHANNEL_GRAVITY,
    PLI_CHANNEL_ATTACHMENT,
    PLI_CHANNEL_LOAD,
    PLI_CHANNEL_CAVITY,
    PLI_CHANNEL_CONTACT,
    PLI_CHANNEL_TOTAL,
    PLI_CHANNEL_ITERATIONS,
    PLI_CHANNEL_LINEAR,
    PLI_CHANNEL_RESIDUAL,
    PLI_CHANNEL_TOLERANCE,
    PLI_CHANNEL_DT,
    PLI_CHANNEL_MOMENTUM_X, // kg m/s
    PLI_CHANNEL_MOMENTUM_Y,
    PLI_CHANNEL_MOMENTUM_Z,
    PLI_CHANNEL_ANGULAR_X, // kg m^2/s, about the origin
    PLI_CHANNEL_ANGULAR_Y,
    PLI_CHANNEL_ANGULAR_Z,
    PLI_CHANNEL_MIN_J,
    PLI_CHANNEL_INVERTED,
    PLI_CHANNEL_CONTACTS,
    PLI_CHANNEL_DEPTH,
    PLI_CHANNEL_GAP,      // smallest, of barriers (m); the distance of contact when nothing is near
    PLI_CHANNEL_DISTANCE, // at which contact of barriers begins (m); 0: there are none
    PLI_CHANNEL_PAIRS,    // bodies and planes in contact, of barriers
    PLI_CHANNEL_SECONDS,
    PLI_CHANNEL_PARTICLES,
    PLI_CHANNEL_SWEEPS,
    PLI_CHANNEL_SHORTEST, // step of a block of particles, or substep of an implicit one (s)
    PLI_CHANNEL_LONGEST,
    PLI_CHANNEL_SUBSTEPS,
    PLI_CHANNEL_NODES,
    PLI_CHANNELS
} pli_report_channel;

typedef struct pli_report_bucket {
    int64_t step_count;
    int64_t last_step;
    double time; // at the end of the last step (s)
    double sum[PLI_CHANNELS];
    double min[PLI_CHANNELS];
    double max[PLI_CHANNELS];
    double phase_seconds[PLI_REPORT_PHASES];
} pli_report_bucket;

typedef struct pli_report {
    pli_context *context;

    // the course
    pli_report_bucket *buckets; // [PLI_REPORT_BUCKETS]
    int32_t bucket_count;       // the last one may not be full
    int64_t stride;             // steps of a full bucket
    int32_t phase_count;
    char phase_names[PLI_REPORT_PHASES][PLI_REPORT_NAME];

    // over all steps
    int64_t step_count;
    double time; // s
    int64_t iterations;
    int64_t linear_iterations;
    double seconds;
    double phase_seconds[PLI_REPORT_PHASES];

    // for the judgement
    pli_report_steps unconverged; // ended without convergence
    int64_t stops[6];             // of them by -pli_stop; [0] is not used
    bool last_unconverged;        // the last step was one of them
    double worst_ratio;           // largest residual / tolerance of them
    pli_report_steps nonfinite;   // with a number that is not finite
    pli_report_steps inverted;    // with inverted tetrahedra or particles
    int32_t last_inverted;        // of these inverted after the last step
    int32_t most_inverted;
    double min_J; // smallest ever
    int64_t min_J_step;
    double lowest_total; // energy: smallest total so far (J)
    double largest_rise; // of the total over its smallest value before (J)
    int64_t rise_step;
    double energy_scale; // largest magnitude of a part of the energy (J)
    bool has_tets;       // min_J means something
    bool collides;       // what follows means something
    int32_t most_contacts;
    int64_t contacts_step;
    double max_depth; // deepest penetration (m)
    int64_t depth_step;
    double min_gap; // smallest that barriers kept (m); infinite: nothing was ever near
    int64_t gap_step;
    double barrier_distance; // at that step (m)

    pli_report_matter matter;
    pli_report_grid grid;
} pli_report;

PLI_CHECKED pli_status pli_report_init(pli_report *report, pli_context *context);
void pli_report_clear(pli_report *report);

void pli_report_add(pli_report *report, const pli_step_report *step);

// The same from a line of steps.jsonl.
void pli_report_add_line(pli_report *report, const pli_json *line);

typedef enum pli_health { PLI_HEALTH_GOOD, PLI_HEALTH_DOUBTFUL, PLI_HEALTH_BAD } pli_health;

enum { PLI_HEALTH_CHECKS = 7, PLI_HEALTH_TEXT = 640 };

typedef struct pli_health_check {
    const char *name; // NULL: does not apply to this run
    pli_health health;
    char text[PLI_HEALTH_TEXT]; // the reason, in words
} pli_health_check;

// What the run itself knows and the steps do not.
typedef struct pli_report_facts {
    const char *scene;
    const char *folder;
    const char *command; // or NULL
    const char *solver;
    const char *contact;        // pli_scene_info.contact; "": not known
    const char *tolerance_unit; // of residuals; NULL: not known
    const char *status;         // "done", "interrupted", ...
    pli_health status_health;
    const char *message;           // the failure's text, or NULL
    const pli_report_notes *notes; // warnings that were logged, or NULL
    bool driven;                   // scripts or emitters may put energy in
    int32_t frame_count;           // computed so far
    int32_t frames_wanted;
    int32_t vertices;
    int32_t tets;
    int32_t triangles; // of shells and obstacles
    double cell;       // of the grid of particles (m); 0: there is none
    int32_t threads;
    int32_t seed;
    double wall_seconds;
    double peak_memory; // bytes
} pli_report_facts;

// What helps against the most frequent reason of steps that did not converge. Lifetime: static.
const char *pli_report_advice(const pli_report *report);

// Judges the run: end, convergence, numbers, inversion, energy, contact, particles. Warnings that
// were logged are no check of their own: what they tell of is judged by the steps. Returns the
// worst of them.
pli_health pli_report_judge(const pli_report *report, const pli_report_facts *facts,
                            pli_health_check checks[PLI_HEALTH_CHECKS]);

// Appends the whole page.
void pli_report_append(pli_text *text, const pli_report *report, const pli_report_facts *facts);

// The parts of the page that are the same for every run: report_page.css and report_page.js.
extern const char pli_report_style[];
extern const char pli_report_script[];

#endif
