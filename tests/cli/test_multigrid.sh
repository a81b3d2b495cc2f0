#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Multigrid and projective dynamics all the way: levels in check, runs, resumed runs, phases, errors with their place.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
cat >bar.yaml <<'END_OF_SCENE'
about: A soft bar sags from one end.
materials:
  soft: {law: corotated, density: 1000, mu: 2e4}
bodies:
  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [12, 4, 4]}}, material: soft}
constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]
time: {fps: 30, frames: 4}
solver:
  name: pd-multigrid
  fixed_iterations: 2
  multigrid:
    levels: [4, 30]
END_OF_SCENE
call 0 check bar.yaml
says stdout '^# levels +4/30/325 nodes, [0-9.]+ kB$'
says stdout '^    smoothers: "*auto"*$'
call 0 check bar.yaml --json
says stdout '"levels": \[4, 30\]|^ +30$'
says stdout '"level_memory": [1-9]'
call 0 check bar.yaml --solver newton
grep -q '^# levels' stdout && fail "newton has no levels"

# ---- the parameters of sections inside the section are listed with both keys
call 0 solvers pd-multigrid
says stdout '^  multigrid.smoothers +text, default auto$'
call 0 solvers chebyshev
says stdout '^  chebyshev.rho +number'

# ---- a run, its log, its phases
call 0 run bar.yaml -o run --verbose
grep -q 'multigrid: levels of 4/30/325 nodes' stdout stderr || fail "the levels are not logged"
says run/steps.jsonl '"solver": ?"pd-multigrid"'
says run/steps.jsonl '"stop": ?"fixed"'
says run/steps.jsonl '"linear_iterations": ?2[,}]'
for phase in gradient linear smooth transfer coarsest; do
    says run/steps.jsonl "\"$phase\":"
done

# ---- an interrupted run goes on to the same end
call 0 run bar.yaml -o half -q --frames 2
call 0 run bar.yaml -o half -q --resume
cmp -s run/frames/bar_00004.vtu half/frames/bar_00004.vtu || fail "a resumed run ends elsewhere"

# ---- every solver by its name on the command line
for solver in pd-direct pd-pcg vivace chebyshev newton-multigrid pn-mgpcg; do
    call 0 run bar.yaml --solver "$solver" -o "$solver" -q --frames 1
    says "$solver/steps.jsonl" "\"solver\": ?\"$solver\""
done

# ---- what is wrong is told with its place
sed 's/levels: \[4, 30\]/levels: [30, 4]/' bar.yaml >wrong.yaml
call 2 check wrong.yaml
says stderr '^wrong.yaml:12:[0-9]+: solver.multigrid.levels: found 30 before 4'
echo 'contact: barrier' >>bar.yaml
call 2 check bar.yaml
says stderr '^bar.yaml:9:[0-9]+: solver: contact.method: barrier needs .* use ipc-pcg or ipc-llt'
finish
