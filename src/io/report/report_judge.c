// SPDX-License-Identifier: Apache-2.0
//
// The judgement of a run: each check is one question, its answer one sentence with the numbers that
// decide it, the steps it happened in, and what helps.
#include "io/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// of all steps: fewer that fall short are worth a look, more mean that results are not what they
// seem
static const double many_steps = 0.05;

static bool is_explicit(const pli_report *report)
{
    return report->matter.step_count > 0 && report->grid.step_count == 0;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

// Appends to the text of a check.
static void say(pli_health_check *check, const char *format, ...) PLI_PRINTF(2, 3);

static void say(pli_health_check *check, const char *format, ...)
{
    size_t used = strlen(check->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->text + used, sizeof check->text - used, format, arguments);
    va_end(arguments);
}

// ": 12, 13 and 77", the steps of something.
static void say_steps(pli_health_check *check, const pli_report_steps *steps)
{
    char text[PLI_REPORT_STEPS_TEXT];
    pli_report_steps_say(steps, text);
    say(check, ": %s", text);
}

static pli_health_check check_end(const pli_report_facts *facts)
{
    pli_health_check check = {.name = "Completion", .health = facts->status_health};
    say(&check, "%s: %d of %d frames", facts->status, facts->frame_count, facts->frames_wanted);
    if (facts->message != NULL) say(&check, "; %s", facts->message);
    return check;
}

// ---- convergence

// Tetrahedra, or what particles stand for, that keep less than this of their volume are as good as
// gone.
static double least_volume(const pli_report *report)
{
    return report->matter.step_count > 0 ? 1e-6 : 1e-3;
}

static bool is_collapsed(const pli_report *report)
{
    return report->has_tets && report->min_J < least_volume(report);
}

const char *pli_report_advice(const pli_report *report)
{
    static const char *const texts[] = {
        [0] = "More solver.max_iterations or shorter steps help",
        [-PLI_STOP_ITERATIONS] = "More solver.max_iterations or shorter steps help",
        [-PLI_STOP_LINESEARCH] = "The line search found no way further down: shorter steps or a "
                                 "looser solver.tolerance help",
        [-PLI_STOP_NONFINITE] = "Energies or directions were not finite: shorter steps help",
        [-PLI_STOP_LINEAR] = "The linear solver found no direction: more "
                             "solver.linear_max_iterations or shorter steps help",
        [-PLI_STOP_ROUNDING] = "Numbers resolve no more: a larger solver.tolerance, motion that is "
                               "slower, and coordinates nearer to the origin help"};
    int most = 0;
    for (int k = 1; k <= -PLI_STOP_ROUNDING; ++k) {
        if (report->stops[k] > report->stops[most]) most = k;
    }
    if (most == -PLI_STOP_LINESEARCH && is_collapsed(report)) {
        return "Tetrahedra were squeezed flat, which their law does not resist and barriers do not "
               "let pass: law neo-hookean resists it";
    }
    return texts[most];
}

static pli_health_check check_convergence(const pli_report *report)
{
    pli_health_check check = {.name = "Convergence"};
    const pli_report_steps *steps = &report->unconverged;
    if (steps->count == 0) {
        say(&check, "%s",
            is_explicit(report) ? "nothing had to converge: the steps are explicit"
                                : "every step reached its tolerance");
        return check;
    }
    bool many = (double)steps->count > many_steps * (double)report->step_count;
    check.health = many ? PLI_HEALTH_BAD : PLI_HEALTH_DOUBTFUL;
    say(&check, "did not converge in %lld of %lld steps", (long long)steps->count,
        (long long)report->step_count);
    if (report->grid.substeps > report->grid.step_count) {
        say(&check, ", or %lld of the %lld substeps they were cut into",
            (long long)report->grid.unconverged, (long long)report->grid.substeps);
    }
    say_steps(&check, steps);
    if (report->worst_ratio > 0) {
        say(&check, "; residual %.3g times the tolerance at worst", report->worst_ratio);
    }
    say(&check, ". %s", pli_report_advice(report));
    return check;
}

// ---- numbers and deformation

static pli_health_check check_numbers(const pli_report *report)
{
    pli_health_check check = {.name = "Numbers"};
    const pli_report_steps *steps = &report->nonfinite;
    if (steps->count == 0) {
        say(&check, "all energies, momenta and residuals are finite");
        return check;
    }
    check.health = PLI_HEALTH_BAD;
    say(&check, "numbers that are not finite in %lld step%s", (long long)steps->count,
        plural(steps->count));
    say_steps(&check, steps);
    return check;
}

static pli_health_check check_inversion(const pli_report *report)
{
    pli_health_check check = {.name = "Inversion"};
    const pli_report_steps *steps = &report->inverted;
    bool matter = report->matter.step_count > 0;
    const char *many = matter ? "particles" : "tetrahedra";
    if (!report->has_tets) return (pli_health_check){0};
    if (steps->count == 0 && is_collapsed(report)) {
        check.health = PLI_HEALTH_DOUBTFUL;
        say(&check, "no %s was inverted, but one was squeezed to %.3g of its volume, at step %lld",
            matter ? "particle" : "tetrahedron", report->min_J, (long long)report->min_J_step);
    } else if (steps->count == 0) {
        say(&check, "no %s was inverted; the smallest J was %.3g, at step %lld",
            matter ? "particle" : "tetrahedron", report->min_J, (long long)report->min_J_step);
    } else if (report->last_inverted == 0) {
        check.health = PLI_HEALTH_DOUBTFUL;
        say(&check, "inverted %s in %lld step%s", many, (long long)steps->count,
            plural(steps->count));
        say_steps(&check, steps);
        say(&check, "; up to %d of them", report->most_inverted);
        say(&check, ". None are left. Expected when the start is inverted or a material allows it");
    } else {
        check.health = PLI_HEALTH_BAD;
        say(&check, "%d %s are inverted after the last step; the smallest J was %.3g, at step %lld",
            report->last_inverted, many, report->min_J, (long long)report->min_J_step);
    }
    return check;
}

static pli_health_check check_energy(const pli_report *report, bool driven)
{
    pli_health_check check = {.name = "Energy"};
    double share = report->energy_scale > 0 ? report->largest_rise / report->energy_scale : 0;
    if (!(share > 0)) {
        say(&check, "the total never rose");
        return check;
    }
    // implicit integration only takes energy away; 1 % leaves room for the solver's tolerance
    if (!(share > 0.01)) {
        say(&check, "the total never rose by more than %.2g %% of the energy that was exchanged",
            100 * share);
        return check;
    }
    if (!driven) check.health = PLI_HEALTH_DOUBTFUL;
    say(&check,
        "the total rose by %.3g J (%.3g %% of the energy that was exchanged) up to step %lld; %s",
        report->largest_rise, 100 * share, (long long)report->rise_step,
        driven ? "motion by script and emitters do such work"
               : "nothing in the scene puts energy in. Shorter steps help");
    return check;
}

// ---- contact and particles

// What barriers kept apart.
static void check_gap(const pli_report *report, pli_health_check *check)
{
    double share = report->min_gap / report->barrier_distance;
    say(check,
        "the smallest gap was %.3g m, %.2g %% of the %.3g m at which contact begins, at step %lld",
        report->min_gap, 100 * share, report->barrier_distance, (long long)report->gap_step);
    if (report->min_gap <= 0) {
        check->health = PLI_HEALTH_BAD;
        say(check, ". Bodies went through each other");
    } else if (share < 1e-6) {
        // next to nothing: rounding decides on which side things are
        check->health = PLI_HEALTH_DOUBTFUL;
        say(check, ". A larger contact.distance or a stiffer contact keeps more room");
    }
}

static pli_health_check check_contact(const pli_report *report)
{
    pli_health_check check = {.name = "Contact"};
    if (!report->collides) return (pli_health_check){0};
    if (report->most_contacts == 0 && !isfinite(report->min_gap)) {
        say(&check, "nothing ever touched");
        return check;
    }
    if (isfinite(report->min_gap)) {
        check_gap(report, &check);
    } else if (report->max_depth > 0) {
        say(&check, "the deepest penetration was %.3g m, at step %lld", report->max_depth,
            (long long)report->depth_step);
    } else {
        say(&check, "nothing penetrated");
    }
    if (report->most_contacts > 0) {
        say(&check, "; up to %d pair%s touched, at step %lld", report->most_contacts,
            plural(report->most_contacts), (long long)report->contacts_step);
    }
    return check;
}

static void say_retries(const pli_report *report, pli_health_check *check)
{
    const pli_report_steps *retried = &report->matter.retried;
    if (retried->count == 0) {
        say(check, "; no step was redone");
        return;
    }
    bool many = (double)retried->count > many_steps * (double)report->step_count;
    if (many && check->health == PLI_HEALTH_GOOD) check->health = PLI_HEALTH_DOUBTFUL;
    say(check, "; %lld step%s redone, shorter", (long long)retried->count,
        retried->count == 1 ? " was" : "s were");
    say_steps(check, retried);
}

static pli_health_check check_particles(const pli_report *report)
{
    pli_health_check check = {.name = "Particles"};
    const pli_report_matter *matter = &report->matter;
    if (matter->step_count == 0) return (pli_health_check){0};
    if (matter->lost == 0) {
        say(&check, "none was lost");
    } else {
        check.health = PLI_HEALTH_BAD;
        say(&check, "%lld particle%s lost in %lld step%s", (long long)matter->lost,
            matter->lost == 1 ? " was" : "s were", (long long)matter->losing.count,
            plural(matter->losing.count));
        say_steps(&check, &matter->losing);
    }
    say_retries(report, &check);
    return check;
}

pli_health pli_report_judge(const pli_report *report, const pli_report_facts *facts,
                            pli_health_check checks[PLI_HEALTH_CHECKS])
{
    checks[0] = check_end(facts);
    checks[1] = check_convergence(report);
    checks[2] = check_numbers(report);
    checks[3] = check_inversion(report);
    checks[4] = check_energy(report, facts->driven);
    checks[5] = check_contact(report);
    checks[6] = check_particles(report);
    pli_health worst = PLI_HEALTH_GOOD;
    for (int i = 0; i < PLI_HEALTH_CHECKS; ++i) {
        if (checks[i].health > worst) worst = checks[i].health;
    }
    return worst;
}
