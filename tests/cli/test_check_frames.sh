#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `pliant check --frames`: a clean run, a broken one, and what cannot be read.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

# ---- a clean run
small_scene >cube.yaml
call 0 run cube.yaml -o clean -q
call 0 check --frames clean
says stdout '^4 frames, 0 intersections, 0 inverted tetrahedra$'
[ "$(wc -l <stdout)" -eq 1 ] || fail "a clean run gives more than one line"
silent stderr
call 0 check --frames clean --every 2
says stdout '^2 frames, 0 intersections'
call 0 check --frames clean --quiet
silent stdout
call 0 check --frames=clean --json
says stdout '"frames": 4'
says stdout '"findings": \[\]'

# ---- two cubes, one in the other, which nothing keeps apart
cat >through.yaml <<'END'
about: A soft cube falls beside another that stands in it.
materials:
  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}
bodies:
  upper:
    geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}
    material: soft
    position: [0.13, 0.71, 0.17]
  lower:
    geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}
    material: soft
contact: none
time: {fps: 24, frames: 2}
END
call 0 run through.yaml -o broken -q
call 4 check --frames broken
says stdout '^frame 0, 0 s: [1-9][0-9]* intersections, 0 inverted tetrahedra; (upper|lower) cell [0-9]+ \(vertices'
says stdout '^3 frames, [1-9][0-9]* intersections, 0 inverted tetrahedra$'
[ "$(wc -l <stdout)" -eq 4 ] || fail "three bad frames give other than four lines"
silent stderr
call 4 check --frames broken --stop-at-first
says stdout '^1 frame, '
call 4 check --frames broken --verbose
says stdout '^  (upper|lower) cell [0-9]+ .* meets .* near \('
call 4 check --frames broken --json
says stdout '"bad_frames": 3'
python3 -c 'import json, sys
report = json.load(open("stdout"))
pair = report["findings"][0]["pairs"][0]
parts = {triangle["part"] for triangle in pair["triangles"]}
sys.exit(parts != {"upper", "lower"} or len(pair["place"]) != 3)' || fail "the JSON does not say what meets"
# the same for any number of threads
call 4 check --frames broken --json -j1
cp stdout one
call 4 check --frames broken --json -j3
cmp -s stdout one || fail "findings depend on the number of threads"

# ---- files that cannot be read
call 3 check --frames nowhere
says stderr 'series.pvd'
silent stdout
rm clean/frames/cube_00002.vtu
call 3 check --frames clean
says stderr 'cube_00002.vtu'
says stdout '^2 frames, '

# ---- usage; beside a scene --frames stays the number of frames
call 2 check
says stderr 'a SCENE, or --frames DIR, is missing'
call 0 check cube.yaml --frames 5 --json
says stdout '"frames": 5'
call 2 check cube.yaml --frames clean
says stderr 'a whole number'
call 2 check cube.yaml --stop-at-first
says stderr 'go with --frames DIR'
call 2 check --frames clean --set time.fps=3
says stderr 'no scene to change'
call 2 check --frames clean --every 0
call 0 help --man
says stdout 'DIR\|N'
call 0 completion bash
says stdout 'colliders'
finish
