#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a page of everything that `pliant bench --json` measured, with plots as SVG.

    tools/make_claims.py BENCH.json [--output DIR] [--check]

Writes DIR/claims.md and DIR/plots/*.svg (default: docs), and prints how many claims lie within their bands.
--check writes nothing and fails when what is there differs. docs/bench.json is what docs/claims.md was made of.
"""
import argparse
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# what the papers say, and where; the first number of an id is the paper's
PAPERS = {
    "Q0": "Wang et al. 2020, HOT: implicit particles near the CFL limit",
    "Q1": "Trusty et al. 2025, sparse geometry- and material-aware bases",
    "Q2": "Xian et al. 2019, Galerkin multigrid in skinning space",
    "Q3": "Fang et al. 2018, regional time steps of explicit particles",
    "Q4": "Gast et al. 2015, the optimisation integrator",
}
MEANINGS = {
    "Q0-1": ("tables", "outer iterations of HOT, scene by scene"),
    "Q0-2": ("tables", "HOT is 1.98 to 5.79 times as fast as projected Newton with PCG"),
    "Q0-3": ("tables", "1.05 to 5.76 times as fast as the same without a matrix"),
    "Q0-4": ("tables", "2.25 to 10.67 times as fast as projected Newton with multigrid"),
    "Q0-5": ("tables", "0.92 to 4.79 times as fast as L-BFGS with a Hessian at its start"),
    "Q0-6": ("tables", "projected Newton with multigrid takes the fewest iterations"),
    "Q0-7": ("tables", "Gauss-Seidel takes 1.55 to 8.2 times fewer iterations than Jacobi"),
    "Q0-8": ("text", "building all levels costs about four V-cycles"),
    "Q0-9": ("figure 11", "HOT is twice as fast on the bust, six times in its best frame"),
    "Q0-10": ("figure 16", "ADMM is 20 times slower to the tolerance, and quicker at first"),
    "Q0-11": ("figure 17", "L-BFGS with a Hessian takes some 400 iterations on the wheel"),
    "Q0-12": ("supplement, figure 1", "one tolerance of plain force does not serve all scenes"),
    "Q0-13": ("figure 18", "a stretched box takes HOT 25 iterations, L-BFGS-H 106"),
    "Q0-14": ("figure 19", "ten times fewer iterations by node embedding, five by geometric levels"),
    "Q0-15": ("figure 20", "iterations of HOT hardly grow from 1e5 to 1e10 Pa"),
    "Q0-16": ("tables", "linear embedding is as good as quadratic, and sparser"),
    "Q0-17": ("figure 7", "widths of the embedded kernels"),
    "Q0-18": ("text", "Jacobi and Chebyshev do not do as smoothers"),
    "Q0-19": ("section 7.1", "one tolerance for all scenes"),
    "Q0-20": ("derived", "the step over that of an explicit solver"),
    "Q0-21": ("figure 8", "matrices grow sparser from level to level, geometric ones denser"),
    "Q1-1": ("table 2", "speed over a direct solver: 2.57 to 13.38"),
    "Q1-2": ("figure 14", "speed over PCG, up to 40"),
    "Q1-3": ("figure 14", "iterations hardly grow from 1e6 to 1e10 Pa"),
    "Q1-4": ("figure 13", "relative error of a step about 1 %"),
    "Q1-5": ("text", "the affine level is solved in one iteration"),
    "Q1-6": ("table 1", "cubature points over tetrahedra"),
    "Q1-7": ("text", "clusters have a radius of 20 to 40 edges"),
    "Q1-8": ("figure 8", "the error falls with the handles"),
    "Q1-9": ("figures 3 and 4", "bases that reach across a slit cannot open it"),
    "Q1-10": ("figure 5", "support of the bases"),
    "Q1-11": ("figure 9", "bases that know what is constrained bend more"),
    "Q1-12": ("figure 11", "without refinement a dent is missed"),
    "Q1-13": ("figure 2", "vertex block descent does not converge on stiff cloth"),
    "Q1-14": ("figure 22", "an imprint grows with the handles"),
    "Q2-1": ("table 3", "error reduction of two grids"),
    "Q2-2": ("figure 3", "what smooth weights cost"),
    "Q2-3": ("figure 7", "memory grows in proportion to the mesh"),
    "Q2-4": ("figure 7", "time against the size of the mesh"),
    "Q2-5": ("table 1 and figure 8", "frames per second"),
    "Q2-6": ("figure 9", "a cycle reduces the residual alike for soft and stiff"),
    "Q2-7": ("figures 10 to 12", "error against time, with all rivals"),
    "Q2-8": ("table 2", "shares of the time"),
    "Q2-9": ("figure 6", "the same motion at all sizes"),
    "Q2-10": ("text", "the coarse correction is a projection"),
    "Q3-1": ("table 1", "storks: 2.4 times as fast"),
    "Q3-2": ("table 1", "balls: 4.9 times as fast"),
    "Q3-3": ("table 1", "snow slope: 9.8 times as fast"),
    "Q3-4": ("table 1", "dragon bath: 1.7 times as fast"),
    "Q3-5": ("table 1", "dragon massage: 2.6 times as fast"),
    "Q3-6": ("table 1", "combo: 1.4 times as fast"),
    "Q3-7": ("figure 11", "scheduling takes about half of the time"),
    "Q3-8": ("table 1", "the shortest and the longest step"),
    "Q3-9": ("text", "memory about twice that of one step for all"),
    "Q3-10": ("figure 12", "energy is kept longer"),
    "Q3-11": ("text", "no gain where everything is stiff"),
    "Q3-12": ("figure 11", "people cannot tell, or prefer it; here: distance of particles"),
    "Q4-1": ("figure 1", "plain Newton fails from many starts, the integrator from none"),
    "Q4-2": ("figures 3 and 15", "a stretched cube takes one step per frame, plain Newton three"),
    "Q4-3": ("figures 2 and 15", "with a pulse it takes plain Newton five"),
    "Q4-4": ("figures 4 and 15", "two balls take one, plain Newton six"),
    "Q4-5": ("figures 6 and 15", "a cube recovers from random positions"),
    "Q4-6": ("figures 8 and 15", "a cube recovers from a point"),
    "Q4-7": ("figure 10", "projecting after the solve inverts tetrahedra and costs 2.6 times as much"),
    "Q4-8": ("text", "constraints cost what penalties do, without penetration"),
    "Q4-9": ("figure 13", "time per frame against steps per frame"),
    "Q4-10": ("text", "free fall takes no iteration"),
    "Q4-11": ("text", "the line search costs next to nothing"),
    "Q4-12": ("figure 18", "steps of snow over those of the semi-implicit solver"),
    "Q4-13": ("figure 18", "speed over it: 3.1, 5.1, 2.7"),
    "Q4-14": ("text", "positions take one step of Newton's method"),
    "Q4-15": ("text", "tolerances over three decades serve"),
    "C1": ("Gast et al. 2015", "colliders as constraints are not entered"),
    "C4": ("Gast et al. 2015", "friction takes energy, with constraints"),
    "C5": ("Gast et al. 2015", "share of contact detection"),
    "C6": ("Gast et al. 2015", "the same of self-contact"),
    "C8": ("Gast et al. 2015", "friction takes energy, with penalties"),
    "G7": ("Xian et al. 2019", "smoothers of the levels"),
    "G12": ("Xian et al. 2019", "bodies of several materials, left open there"),
}

# how a case is headed on the page; a case without a row is headed by its id
TITLES = {
    "kernels": "Kernels",
    "ccd": "Continuous collision detection",
    "s4-mesh": "Optimisation integrator on meshes (Gast et al. 2015)",
    "s4-contact": "Optimisation integrator with collisions (Gast et al. 2015)",
    "s4-mpm": "Optimisation integrator for snow (Gast et al. 2015, section 6)",
    "contact": "Barrier contact against other programs",
    "contact-scenes": "Scenes of barrier contact",
    "solids": "Solids against closed forms",
    "s0": "Implicit particles: HOT (Wang et al. 2020)",
    "s1": "Sparse material-aware handles (Trusty et al. 2025)",
    "s2": "Multigrid in skinning space (Xian et al. 2019)",
    "s3": "Regional time steps (Fang et al. 2018)",
}

# bars of ours beside the paper's: which claims, and what the label of a bar is taken from; of claims with the
# same label the first is drawn
BARS = [
    ("s0-rivals", "s0", r"^(\S+): (time of (?:pn-pcg|pn-pcg-mf|pn-mgpcg|lbfgs-h)) over hot's",
     "Time of rivals over that of hot, ten scenes"),
    ("s1-speed", "s1", r"^([\w ,]+): speed over ipc-llt, \d+ steps", "Speed of subspace over ipc-llt"),
    ("s2-frames", "s2", r"^(?:rubber/)?(\S+, \d+) vertices, levels of (.*)$",
     "Frames per second in real time, by vertices and levels; each step of the scale is ten times the last"),
    ("s3-speed", "s3", r"^([\w -]+?)(, with a ring)?: speed over one step for all",
     "Speed of regional steps over one step for all"),
]
LOGARITHMIC = {"s2-frames"}



# ---- numbers and words

def number_of(text):
    """The number that a published figure begins with, or None."""
    found = re.match(r"[<>~≥≤ ]*(?:about )?([0-9]*\.?[0-9]+(?:e-?\d+)?)\s*$", text)
    return float(found.group(1)) if found else None


def shown(value):
    return "–" if value is None else f"{value:.4g}"


def band_of(claim):
    low, high = claim["band"]
    if low is None and high is None:
        return "–" if claim["pass"] is None else "any"
    if low is None:
        return f"≤ {shown(high)}"
    if high is None:
        return f"≥ {shown(low)}"
    return f"{shown(low)} to {shown(high)}"


def verdict_of(claim):
    return {True: "yes", False: "**no**", None: ""}[claim["pass"]]


def cell(text):
    return text.replace("|", "\\|")


# ---- plots

WIDTH, LABEL, BAR, GAP, TOP = 760, 230, 11, 7, 44
OURS, PAPER, INK = "#2a6f97", "#c9a227", "#444444"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text_at(x, y, words, anchor="start", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def bar_at(x, y, length, colour):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(length, 0.5):.1f}" height="{BAR}" fill="{colour}"/>'


def draw_row(y, claim, label, length_of):
    """A row of a plot: our bar, and the paper's below it where there is a number."""
    parts = [text_at(LABEL - 8, y + BAR, label, "end")]
    for value, below, colour in ((claim["ours"], 0, OURS), (number_of(claim["paper"]), BAR, PAPER)):
        if value is not None:
            parts += [bar_at(LABEL, y + below, length_of(value), colour),
                      text_at(LABEL + length_of(value) + 4, y + below + BAR - 2, shown(value), size=10)]
    return parts


def draw_bars(title, rows, logarithmic):
    """Bars from zero, or from one where they are logarithmic."""
    grow = (lambda value: max(0, math.log10(value))) if logarithmic else (lambda value: value)
    longest = max(grow(value) for claim, _ in rows for value in (claim["ours"], number_of(claim["paper"]) or 1))
    height = TOP + len(rows) * (2 * BAR + GAP) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
             f'font-family="sans-serif" fill="{INK}">', f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             text_at(12, 18, title, size=14), bar_at(12, 26, 11, OURS), text_at(27, 35, "pliant", size=10),
             bar_at(72, 26, 11, PAPER), text_at(87, 35, "paper", size=10)]
    for index, (claim, label) in enumerate(rows):
        parts += draw_row(TOP + index * (2 * BAR + GAP), claim, label,
                          lambda value: (WIDTH - LABEL - 60) * grow(value) / longest)
    return "\n".join(parts + ["</svg>", ""])


def label_of(found):
    return ", ".join(part.removeprefix(", ") for part in found.groups() if part)


def make_plots(claims):
    """The plots that the claims allow, by file name."""
    plots = {}
    for name, case, pattern, title in BARS:
        rows = {}
        for claim in claims:
            found = re.match(pattern, claim["what"]) if claim["bench"] == case and claim["ours"] is not None else None
            if found:
                rows.setdefault(label_of(found), claim)
        if rows:
            drawn = draw_bars(title, [(claim, label) for label, claim in rows.items()], name in LOGARITHMIC)
            plots[f"{name}.svg"] = (case, title, drawn)
    return plots


# ---- the page

def count_line(claims):
    judged = [claim for claim in claims if claim["pass"] is not None]
    inside = sum(claim["pass"] for claim in judged)
    return f"{len(claims)} claims, {inside} of {len(judged)} that have a band lie within it"


def case_section(case, claims, plots):
    lines = [f"## {TITLES.get(case, case)}", "", f"    build/pliant-bench {case}", "", count_line(claims) + ".", ""]
    for name, (of, title, _) in plots.items():
        if of == case:
            lines += [f"![{title}](plots/{name})", ""]
    lines += ["| claim | what | paper | here | unit | band | within |", "|---|---|---|---|---|---|---|"]
    for claim in claims:
        row = [claim["claim"], cell(claim["what"]), cell(claim["paper"]), shown(claim["ours"]), claim["unit"],
               band_of(claim), verdict_of(claim)]
        lines.append("| " + " | ".join(row) + " |")
    return lines + [""]


def make_legend(claims):
    """What the ids of claims stand for, of those that are there."""
    there = {name for claim in claims for name in claim["claim"].split(", ")}
    lines = ["## What ids stand for", "",
             "An id that begins with Q names what a paper says: Q2-5 is the fifth statement that is checked of the paper",
             "of Q2. Ids that begin with S0 and all others are of this project's own: names of kernels and scenes, and what",
             "else is watched.", ""]
    lines += [f"- {name}: {paper}." for name, paper in PAPERS.items()] + [""]
    lines += ["| id | where | what it says |", "|---|---|---|"]
    lines += [f"| {name} | {where} | {what} |" for name, (where, what) in MEANINGS.items() if name in there]
    return lines + [""]


def make_page(claims, plots):
    lines = ["# Every claim, as it was measured", "",
             "Made by `tools/make_claims.py` from what `make bench` printed; [results.md](results.md) says what it means,",
             "and why some claims are missed.", ""] + make_legend(claims)
    for case in dict.fromkeys(claim["bench"] for claim in claims):
        lines += case_section(case, [claim for claim in claims if claim["bench"] == case], plots)
    return "\n".join(lines)


def files_of(claims):
    plots = make_plots(claims)
    files = {f"plots/{name}": text for name, (_, _, text) in plots.items()}
    files["claims.md"] = make_page(claims, plots)
    return files


def differing(folder, files):
    return [name for name, text in files.items()
            if not (folder / name).is_file() or (folder / name).read_text() != text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    claims = json.loads(arguments.json.read_text())
    files = files_of(claims)
    if arguments.check:
        wrong = differing(arguments.output, files)
        for name in wrong:
            print(f"{arguments.output / name}: is not what {arguments.json} gives; run tools/make_claims.py")
        return 1 if wrong else 0
    for name, text in files.items():
        path = arguments.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(count_line(claims))
    return 0


if __name__ == "__main__":
    sys.exit(main())
