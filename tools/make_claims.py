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

# how a case is headed on the page; a case without a row is headed by its id
TITLES = {
    "kernels": "Kernels",
    "ccd": "Continuous collision detection",
    "s4-mesh": "Optimisation integrator on meshes (Gast et al. 2015)",
    "s4-contact": "Optimisation integrator with collisions (Gast et al. 2015)",
    "s4-mpm": "Optimisation integrator for snow (Gast et al. 2015, section 6)",
    "contact": "Barrier contact against other programs",
    "contact-scenes": "Scenes of barrier contact",
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
    ("s2-frames", "s2", r"^s2/(\S+, \d+) vertices, levels of (.*)$",
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


def make_page(claims, plots):
    lines = ["# Every claim, as it was measured", "",
             "Made by `tools/make_claims.py` from what `make bench` printed; [results.md](results.md) says what it means,",
             "and why some claims are missed. Ids are those of the papers' claims (S0 HOT, S1 sparse handles, S2 skinning",
             "multigrid, S3 regional steps, S4 optimisation integrator) or names of kernels.", ""]
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
