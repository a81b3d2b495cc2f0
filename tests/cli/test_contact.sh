#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a run says about contact: figures of each step, forces in frames, charts in the report; nothing
# of it where nothing collides. Runs that collide go on bit for bit.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

small_scene >free.yaml
cat >contact.yaml <<'END'
about: Two cubes fall on the ground and on each other.
materials:
  soft: {law: fixed-corotated, density: 1000, young: 5e4, poisson: 0.3}
bodies:
  lower:
    geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}
    material: soft
    position: [0, 0.53, 0]
    velocity: [0.5, -1, 0]
  upper:
    geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [2, 2, 2]}}
    material: soft
    position: [0.05, 1.44, 0.05]
    velocity: [0, -2, 0]
colliders:
  ground: {shape: plane, friction: 0.3}
  stone: {shape: {sampled: {shape: {sphere: {center: [0, -0.2, 0], radius: 0.22}}, resolution: 8}}, friction: 0.3}
contact: {method: penalty, friction: 0.3}
time: {fps: 24, frames: 6}
END

# ---- steps.jsonl
keys='"contacts" "min_gap" "max_depth" "friction_work"'
call 0 run contact.yaml -o whole -q
call 0 run free.yaml -o free -q
for key in $keys; do
    [ "$(grep -c "$key:" whole/steps.jsonl)" -eq 6 ] || fail "steps that collide do not all say $key"
    grep -q "$key:" free/steps.jsonl && fail "steps where nothing collides say $key"
done
says whole/steps.jsonl '"contacts":[1-9]'
says whole/steps.jsonl '"min_gap":-?[0-9]'
says whole/steps.jsonl '"friction_work":-[0-9]'
says whole/steps.jsonl '"contact":[0-9.e-]*[1-9]'
# contact of bodies alone has no collider to be near to
sed '/^colliders:/,/^  stone:/d' contact.yaml >bodies.yaml
call 0 run bodies.yaml -o bodies -q --frames 1
says bodies/steps.jsonl '"contacts":'
grep -q '"min_gap":' bodies/steps.jsonl && fail "there is a gap to colliders without colliders"

# ---- frames
for frame in whole/frames/lower_00006.vtu whole/frames/upper_00006.vtu; do
    says "$frame" 'Name="contact_force"'
done
grep -q 'contact_force' free/frames/*.vtu && fail "frames where nothing collides hold contact forces"
call 0 run contact.yaml -o chosen -q --frames 1 --set 'output.fields=[velocity]'
grep -q 'contact_force' chosen/frames/*.vtu && fail "a field is there that nobody asked for"

# ---- report.html: the page draws charts of contact from data that are not all zero
says whole/report.html "chart\('Contacts'"
says whole/report.html "chart\('Penetration'"
says whole/report.html '^"contacts":\{"mean":\[[0-9,]*[1-9]'
says whole/report.html '^"max_depth":\{"mean":\[[0-9.,e-]*[1-9]'
says free/report.html '^"contacts":\{"mean":\[0(,0)*\]'

# ---- stopping and going on gives the same bits as going through
call 0 run contact.yaml -o parts -q --steps 3
call 0 run contact.yaml -o parts -q --resume
for file in whole/frames/*; do
    cmp "$file" "parts/frames/${file##*/}" || fail "$file differs after resuming"
done
last=checkpoint/step_00000006.h5
cmp whole/$last parts/$last || fail "the state differs after resuming"

# ---- bodies that start inside of each other
call 2 run contact.yaml -n -o dry --set 'bodies.upper.position=[0.05, 1.4, 0.05]'
says stderr 'bodies\.lower: .* of body lower starts? inside of body upper: '
says stderr 'checks: \{body_overlap: warning\}'
call 0 run contact.yaml -n -o dry --set 'bodies.upper.position=[0.05, 1.4, 0.05]' \
    --set checks.body_overlap=warning
says stderr 'of body upper starts? inside of body lower: '

# ---- a scene that does not say which contact it wants is told which it has
cat >silent.yaml <<'END'
materials: {soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}
bodies:
  lower: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft}
  upper: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft, position: [0, 1.1, 0]}
time: {fps: 24, frames: 1}
END
call 0 run silent.yaml -o silent
[ "$(head -n 1 stderr)" = 'contact: barrier, chosen because there are 2 bodies; contact: none switches it off' ] ||
    fail "the first line of a run does not say which contact there is"
says silent/run.json '"contact": "barrier, chosen because there are 2 bodies; '
says silent/scene.yaml '^  method: barrier '
call 0 check silent.yaml
says stdout '^# contact     barrier, friction 0$'
says stdout '^#   chosen because there are 2 bodies; contact: none switches it off$'
call 0 check silent.yaml --set contact=none
says stdout '^# contact     none$'
says stdout '^#   as the scene says$'
call 0 run silent.yaml -o vbd --solver vbd --steps 1
says stderr 'contact: bodies pass through each other, because solver vbd does not take barriers; write contact: none'

finish
