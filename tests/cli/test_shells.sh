#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Shells and obstacles all the way: run, resume, check, picture, export.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
cat >flag.yaml <<'END'
about: A flag beside a post that turns, and a cube.
materials:
  cotton: {law: stable-neo-hookean, density: 400, young: 1e6, poisson: 0.3}
bodies:
  flag:
    kind: shell
    geometry: {sheet: {columns: 8, rows: 6}}
    material: cotton
  post:
    kind: obstacle
    geometry: {fill: {shape: {cylinder: {start: [-0.7, -1, 0], end: [-0.7, 1, 0], radius: 0.1}}, vertices: 100}}
    motion: {segments: [{duration: 1, spin: 90}]}
  cube:
    geometry: {grid: {cells: [2, 2, 2]}}
    material: cotton
    position: [2, 0, 0]
constraints: [{body: flag, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]
contact: none
time: {fps: 24, frames: 3}
END
call 0 check flag.yaml
says stdout '^# triangles +[0-9]+$'
says stdout '^    kind: obstacle$'
call 0 check flag.yaml --json
says stdout '"triangles": [1-9]'
call 0 run flag.yaml -o run -q
says run/run.json '"triangles": ?[1-9]'
says run/steps.jsonl '"min_J"'
grep -aq 'Name="Obstacle"' run/frames/post_00003.vtu || fail "the post is not marked as an obstacle"
grep -aq 'Name="Obstacle"' run/frames/flag_00003.vtu && fail "the flag is marked as an obstacle"

# ---- an interrupted run goes on to the same end
call 0 run flag.yaml -o half -q --frames 1
call 0 run flag.yaml -o half -q --resume
cmp -s run/frames/flag_00003.vtu half/frames/flag_00003.vtu || fail "a resumed run ends elsewhere"

call 0 check --frames run
says stdout '^4 frames, 0 intersections, 0 inverted tetrahedra$'
for format in ply obj+pc2 glb usda vtkhdf; do
    call 0 export run --format "$format" -o "$format"
done
for part in flag post cube; do
    for file in "ply/${part}_00003.ply" "obj+pc2/$part.obj" "vtkhdf/$part.vtkhdf"; do
        [ -s "$file" ] || fail "$file is missing"
    done
    grep -q "\"$part\"" usda/*.usda || fail "$part is not in the usda file"
    grep -aq "\"$part\"" glb/*.glb || fail "$part is not in the glb file"
done
grep -q 'element face 96' ply/flag_00000.ply || fail "the flag is not 96 triangles"
call 0 render run -o pictures --size 64x48
[ "$(find pictures -name '*.png' | wc -l)" -eq 4 ] || fail "there are not four pictures"

# ---- without tetrahedra there is nothing to invert
sed '/^  cube:/,/position: \[2/d' flag.yaml >cloth.yaml
call 0 run cloth.yaml -o cloth -q
grep -q '"min_J"' cloth/steps.jsonl && fail "there is a J without tetrahedra"
grep -q 'Inversion' cloth/report.html && fail "a cloth is judged by tetrahedra that it does not have"

# ---- a wrong kind is told with its place
sed 's/kind: obstacle/kind: obstacle\n    material: cotton/' flag.yaml >wrong.yaml
call 2 check wrong.yaml
says stderr '^wrong.yaml:[0-9]+:[0-9]+: bodies.post.material: is not a key of an obstacle'
finish
