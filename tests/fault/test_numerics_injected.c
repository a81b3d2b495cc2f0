// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are not finite, put into an energy, a force, a matrix, a vertex or a particle: the
// step that meets them is rejected and tells where they are, the state stays as it was, and the
// run goes on once the cause is gone.
//
// A material law of our own is the way in: it does what fixed-corotated does until it is armed.
#include "simulate.h"

#include "pliant/extend.h"

// ---- the way in

typedef enum sick_part { SICK_ENERGY, SICK_STRESS, SICK_TANGENT, SICK_PARTS, WELL } sick_part;

static sick_part armed = WELL;
static double poison; // NaN or an infinity

static const pli_material_ops *well_law(void)
{
    return pli_material_find(NULL, "fixed-corotated");
}

static void derive_sick(const double *inputs, double *params)
{
    well_law()->derive(inputs, params);
}

static void evaluate_sick(int32_t n, const double *F, const double *params,
                          pli_projection projection, double *psi, double *P, double *dPdF)
{
    well_law()->evaluate(n, F, params, projection, psi, P, dPdF);
    // the fourth number of each is that of the first point; batches are of one sick point
    if (armed == SICK_ENERGY && psi != NULL) psi[0] = poison;
    if (armed == SICK_STRESS && P != NULL) P[0] = poison;
    if (armed == SICK_TANGENT && dPdF != NULL) dPdF[0] = poison;
}

static double sound_of_sick(const double *params, double density)
{
    return well_law()->sound_speed(params, density);
}

static pli_context *make_sick_context(void)
{
    static pli_material_ops sick;
    static const pli_material_ops *laws[1] = {&sick};
    sick = *well_law();
    sick.name = "sick";
    sick.derive = derive_sick;
    sick.evaluate = evaluate_sick;
    sick.sound_speed = sound_of_sick;
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.laws = laws;
    def.law_count = 1;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

// ---- bars of which one corner is sick

static const char *const solvers[] = {"newton",
                                      "{name: newton, linear: cholesky}",
                                      "{name: newton, linear: minres}",
                                      "newton-plain",
                                      "pn-pcg",
                                      "pn-sgs",
                                      "newton-multigrid",
                                      "pn-mgpcg",
                                      "lbfgs",
                                      "vbd",
                                      "pd-direct",
                                      "pd-multigrid",
                                      "ipc-llt",
                                      "ipc-pcg",
                                      "subspace"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static bool has_barrier(const char *solver)
{
    return strncmp(solver, "ipc", 3) == 0 || strcmp(solver, "subspace") == 0;
}

static void bar_init(simulation *s, const char *solver)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "materials:\n"
             "  well: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}\n"
             "  sick: {law: sick, density: 1000, young: 1e5, poisson: 0.3}\n"
             "bodies:\n"
             "  other: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}},\n"
             "    material: well, position: [0, 1, 0]}\n"
             "  bar: {geometry: {grid: {size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}, material: sick}\n"
             "constraints: [{body: bar, where: {half_space: {point: [-0.199, 0, 0], normal: [-1, "
             "0, 0]}}}]\n"
             "%s"
             "solver: %s\n"
             "time: {fps: 50, frames: 1}\n",
             has_barrier(solver) ? "contact: {method: barrier}\n" : "", solver);
    simulation_init_in(s, make_sick_context(), yaml);
}

int main(int argc, char **argv)
{
    static const char *parts[] = {"energy", "stress", "tangent"};
    for (int k = 0; k < SOLVERS; ++k) {
        if (argc > 1 && strcmp(argv[1], solvers[k]) != 0) continue;
        for (int part = 0; part < 3; ++part) {
            for (int inf = 0; inf < 2; ++inf) {
                simulation s;
                armed = WELL;
                bar_init(&s, solvers[k]);
                simulation_run(&s, 2);
                uint64_t before = pli_state_hash(s.state);
                armed = part;
                poison = inf ? INFINITY : NAN;
                pli_step_report report = {0};
                pli_status status = pli_solver_step(s.solver, s.state, &report);
                char message[1024] = "";
                if (status != PLI_OK) pli_context_message(s.context, message, 1024);
                printf("%-36s %-8s %-4s: %s %s %d it, residual %g, %s %s%s\n", solvers[k], parts[part], inf ? "inf" : "nan",
                       pli_status_text(status), pli_stop_name(report.stop), report.iterations, report.residual, pli_state_hash(s.state) == before ? "kept" : "CHANGED", message, report.culprit ? report.culprit : "-");
                fflush(stdout);
                simulation_clear(&s);
            }
        }
    }
    return 0;
}
