#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a run with barriers says: figures of each step and of pairs, fields of frames, charts of the report,
# the stiffness in checkpoints. It never crosses by the exact check of its frames, goes on bit for bit, and
# refuses what touches at the start.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

cat >pile.yaml <<'END'
about: Two blocks fall on the ground and on each other.
materials:
  soft: {law: neo-hookean, density: 1000, young: 5e4, poisson: 0.3}
bodies:
  lower:
    geometry: {grid: {size: [1, 0.5, 1], cells: [2, 1, 2]}}
    material: soft
    position: [0, 0.26, 0]
    velocity: [0.5, -1, 0]
  upper:
    geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [2, 1, 2]}}
    material: soft
    position: [0.1, 0.73, 0.05]
    velocity: [0, -1, 0.3]
colliders:
  ground: {shape: plane, friction: 0.3}
contact: {method: barrier, distance: 5e-3, friction: 0.4}
time: {fps: 100, frames: 8}
END

# ---- steps.jsonl
call 0 run pile.yaml -o whole -q
for key in contacts max_depth friction_work barrier_distance barrier_stiffness pairs; do
    [ "$(grep -c "\"$key\":" whole/steps.jsonl)" -eq 8 ] || fail "steps do not all say $key"
done
says whole/steps.jsonl '"solver":"ipc-pcg","stop":"newton-step"'
says whole/steps.jsonl '"min_gap":0\.00[0-4]'
says whole/steps.jsonl '"barrier_distance":0\.005,"barrier_stiffness":[1-9]'
says whole/steps.jsonl '\{"bodies":\["lower","upper"\],"contacts":[1-9][0-9]*,"min_gap":0\.00[0-9]*,"normal_force":\[[^]]*[1-9][^]]*\],"friction_force":\[[^]]*[1-9][^]]*\]\}'
says whole/steps.jsonl '\{"bodies":\["lower","ground"\]'
grep -q '"min_gap":-' whole/steps.jsonl && fail "a gap is negative"

# ---- frames
for field in contact_force friction_force contact_gap; do
    for body in lower upper; do
        says "whole/frames/${body}_00008.vtu" "Name=\"$field\""
    done
done
call 0 check --frames whole
# penalties have no gaps, and their friction is no force of a vertex
call 0 run pile.yaml -o penalty -q --frames 1 --set contact.method=penalty
says penalty/frames/lower_00001.vtu 'Name="contact_force"'
grep -qE 'friction_force|contact_gap' penalty/frames/*.vtu && fail "penalties have fields of barriers"
grep -qE '"barrier_|"pairs"' penalty/steps.jsonl && fail "penalties say what only barriers know"

# ---- report.html
says whole/report.html "chart\('Smallest gap'"
says whole/report.html "chart\('Bodies in contact'"
says whole/report.html '^"min_gap":\{"mean":\[0\.00'
says whole/report.html '^"barrier_distance":\{"mean":\[0\.005'
says whole/report.html '^"pairs":\{"mean":\[[0-9,]*[12]'
says penalty/report.html '^"barrier_distance":\{"mean":\[0\]'

# ---- stopping and going on gives the same bits as going through, with either solver
last=checkpoint/step_00000008.h5
call 0 run pile.yaml -o direct -q --solver ipc-llt
for first in whole direct; do
    solver=auto
    [ $first = direct ] && solver=ipc-llt
    call 0 run pile.yaml -o $first.parts -q --solver $solver --steps 5
    call 0 run pile.yaml -o $first.parts -q --solver $solver --resume
    for file in $first/frames/*; do
        cmp "$file" "$first.parts/frames/${file##*/}" || fail "$file differs after resuming"
    done
    cmp $first/$last $first.parts/$last || fail "the state differs after resuming"
done
# nor does the number of threads change anything
call 0 run pile.yaml -o four -q --threads 4
cmp whole/$last four/$last || fail "the state differs with four threads"
grep -q barrier_stiffness whole/$last || fail "the stiffness is not in the checkpoint"

# ---- what must not be at the start
call 2 run pile.yaml -n -o dry --set 'bodies.upper.position=[0.1, 0.71, 0.05]'
says stderr 'pile\.yaml:5:3: bodies\.lower: the surface of body lower crosses or touches body upper at the start, in [0-9]+ pairs of triangles, by vertices: [0-9]'
call 2 run pile.yaml -n -o dry --set 'bodies.lower.position=[0, 0.25, 0]' --set checks.collider_overlap=ignore
says stderr 'colliders\.ground: 9 vertices of body lower start on or behind this plane: [0-9]+ \(0 m\)'
call 2 run pile.yaml -n -o dry --solver newton-plain
says stderr 'contact\.method: barrier needs a line search, which solver newton-plain does not have; use ipc-pcg or ipc-llt'
call 0 run pile.yaml -n -o dry --set 'contact.method=penalty' --set 'contact.pairs=[{bodies: [lower, upper]}]'
says stderr 'contact\.pairs: is not used, because barriers alone tell pairs apart; use method: barrier'

finish
