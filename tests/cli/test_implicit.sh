#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs of particles by implicit steps: what is told of substeps, iterations, nodes and levels, what is
# left of forces, going on, and memory.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

cat >twist.yaml <<'END'
about: A bar, stiff in its middle, is twisted while something drops beside it.
domain: {cell: 0.05, min: [-0.4, -0.6, -0.4], max: [0.4, 0.6, 0.4]}
materials:
  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}
  stiff: {law: fixed-corotated, density: 1000, young: 1e8, poisson: 0.3}
bodies:
  bar:
    geometry: {particles: {shape: {box: {size: [0.2, 0.9, 0.2]}}}}
    material: soft
    regions:
      - where: {box: {min: [-1, -0.15, -1], max: [1, 0.15, 1]}}
        material: stiff
emitters:
  tap:
    shape: {box: {center: [0.25, 0.4, 0], size: [0.1, 0.05, 0.1]}}
    material: soft
    velocity: [0, -1, 0]
colliders:
  bottom: {shape: {cylinder: {start: [0, -0.55, 0], end: [0, -0.4, 0], radius: 0.2}}, boundary: sticky}
  top:
    shape: {cylinder: {start: [0, 0.4, 0], end: [0, 0.55, 0], radius: 0.2}}
    boundary: sticky
    motion: {segments: [{duration: 100, axis: [0, 1, 0], spin: 360}]}
checks: {collider_overlap: ignore}
time: {fps: 24, frames: 2, steps_per_frame: 2}
solver: hot
END

# ---- check: substeps, tolerance with its unit, nodes, and nothing of sweeps
call 0 check twist.yaml
says stdout '^# nodes       [0-9]+ at the start$'
says stdout '^# solver      hot, in substeps of at most 0\.6 cells of motion$'
says stdout '^# tolerance   1e-07 of the force scale$'
says stdout '^# memory      [0-9.]+ MB$'
grep -n 'shorter steps, as matter' stdout && fail "check speaks of explicit steps"
cp stdout again.yaml
call 0 check again.yaml -q
call 0 check twist.yaml --solver gast15 --set solver.grid.cfl=0.3
says stdout '^# solver      gast15, in substeps of at most 0\.3 cells of motion$'
says stdout '^# tolerance   0\.001 kg m/s$'
call 0 check twist.yaml --solver semi-implicit
says stdout '^# iterations  1 a substep$'
call 0 check twist.yaml --json
python3 - <<'END' || fail "the JSON of check"
import json
data = json.load(open("stdout"))
assert data["nodes"] > 500 and data["cfl"] == 0.6 and data["tolerance"] == 1e-7, data
assert data["tolerance_unit"] == "" and data["fixed_iterations"] == 0, data
assert not {"vertices", "unknowns"} & set(data), data
END

# ---- solvers: what they take, and the keys that they look at
call 0 solvers
says stdout '^hot +particles +'
says stdout '^newton +both +'
says stdout '^pd-direct +meshes +'
call 0 solvers hot
says stdout '^  grid\.cfl +number'
says stdout '^  grid\.precision +one of single, double'
grep -nE '^  (subspace|multigrid|steps)\.' stdout && fail "the page of hot has keys of others"
call 0 solvers regional
says stdout '^  steps\.tick +number'
grep -n '^  grid\.' stdout && fail "the page of regional has keys of others"

# ---- run: progress, lines, record, page
call 0 run twist.yaml -o whole --set output.iterations=true
says stderr '^frame 1/2, t 0\.04167 s, [0-9]+ particles, [0-9]+ nodes, [0-9]+ substeps of [0-9.e-]+( to [0-9.e-]+)? s, [0-9]+ iterations, residual [0-9.e-]+, [0-9.e-]+ s'
grep -E 'sweep|nan' stderr && fail "progress speaks of sweeps"
python3 - <<'END' || fail "the files of a run"
import json
steps = [json.loads(line) for line in open("whole/steps.jsonl")]
assert len(steps) == 4
told = []  # shares of the time that phases have
for step in steps:
    grid = step["implicit"]
    assert step["stop"] == "gradient" and step["residual"] <= step["tolerance"] == 1e-7, step
    assert step["particles"] >= step["emitted"] >= 0 and "explicit" not in step, step
    assert step["nodes"] == grid["nodes"] == grid["levels"][0]["nodes"] > grid["constrained"] > 0, grid
    assert grid["substeps"] >= 1 and 0 < grid["shortest"] <= grid["longest"] < 1.001 * step["dt"], grid
    assert grid["matrices"] >= grid["substeps"] and grid["cycles"] >= step["iterations"] > 0, grid
    assert grid["unconverged"] == 0 and grid["coarsest_iterations"] > 0, grid
    assert len(grid["levels"]) == 3 and all(level["bytes"] > 0 for level in grid["levels"]), grid
    total = sum(value for key, value in step["seconds"].items() if key != "total")
    assert total <= step["seconds"]["total"], step["seconds"]
    told.append(total / step["seconds"]["total"])
# what no phase has would be missing in every step; a busy machine may interrupt some of them
assert max(told) > 0.9, told
run = json.load(open("whole/run.json"))
assert run["iterations"] == sum(step["iterations"] for step in steps), run
assert run["implicit"]["substeps"] == sum(step["implicit"]["substeps"] for step in steps), run
assert run["implicit"]["levels"] == steps[-1]["implicit"]["levels"], run
assert run["unconverged"] == 0 and run["tolerance_unit"] == "" and run["health"] == "good", run
assert not {"sweeps", "vertices"} & set(run), run
iterations = [json.loads(line) for line in open("whole/iterations.jsonl")]
substeps = {one["substep"] for one in iterations if one["step"] == 1}
assert substeps == set(range(1, steps[0]["implicit"]["substeps"] + 1)), substeps
page = open("whole/report.html").read()
for text in ("every step reached its tolerance", "Levels of the grid", "<span>Nodes</span>", "Substeps per step"):
    assert text in page, text
assert "Vertices" not in page and "the steps are explicit" not in page and "Sweeps per step" not in page
END

# ---- stopping and going on in the middle of a frame gives the same bits, residuals too
call 0 run twist.yaml -o parts --steps 1 -q
call 0 run twist.yaml -o parts --resume -q
for frame in 1 2; do
    for part in bar tap; do
        cmp "whole/frames/${part}_0000$frame.vtp" "parts/frames/${part}_0000$frame.vtp" ||
            fail "frame $frame of $part differs after resuming"
    done
done
grep -qa 'Name="residual"' whole/frames/bar_00001.vtp || fail "frames have no residuals"
call 0 run twist.yaml -o one -j1 -q
cmp one/checkpoint/step_00000004.h5 parts/checkpoint/step_00000004.h5 ||
    fail "threads change the result"

# ---- every iterate as a frame
call 0 run twist.yaml -o iterates --steps 2 --set output.residuals=true -q
[ "$(find iterates/residuals/frames -name 'particles_*.vtp' | wc -l)" -eq \
    "$(wc -l <iterates/residuals/iterates.jsonl)" ] || fail "not every iterate has a frame"
call 0 check --frames iterates/residuals
call 0 run twist.yaml -o none --steps 1 --solver regional --set output.residuals=true
says stderr 'output.residuals: only implicit steps of particles have them, and solver regional takes none'
[ ! -e none/residuals ] || fail "explicit steps have residuals"

# ---- what does not converge is told in words
call 1 run twist.yaml -o short --set solver.max_iterations=1
says stderr '^frame 1/2, .*, 2 not converged'
says short/run.json 'did not converge in [0-9]+ of 4 steps(, or [0-9]+ of the [0-9]+ substeps they were cut into)?: '
says short/report.html 'Do not trust this run'

# ---- memory is as check says, to 15 %; sanitizers need much more
if [ "${PLIANT_INSTRUMENTED:-0}" != 1 ]; then
    for cell in 0.03 0.02; do
        for solver in hot pn-pcg-mf; do
            call 0 check twist.yaml --json --solver $solver --set domain.cell=$cell
            mv stdout said.json
            call 0 run twist.yaml -o large --force -q --steps 1 --solver $solver --set domain.cell=$cell
            python3 - <<'END' || fail "the memory of $solver with cells of $cell m"
import json
said, took = json.load(open("said.json"))["memory"], json.load(open("large/run.json"))["peak_memory"]
assert 0.85 < said / took < 1.15, (said, took)
END
        done
    done
fi

# ---- pictures
"$PLIANT" --version | grep -q 'pictures on' || finish
call 0 render whole -o residual.png --size 96x64 --color residual -q
[ -s residual.png ] || fail "no picture of residuals"
call 0 render iterates/residuals -o film --size 96x64 --color residual -q
finish
