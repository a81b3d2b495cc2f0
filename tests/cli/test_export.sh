#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every format of `pliant export` writes its files, and what cannot be done is refused.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >cube.yaml
call 0 run cube.yaml -o run -q

# exported FORMAT FILE...: the files are there and not empty
exported() {
    format=$1
    shift
    call 0 export run --format "$format" -o "$format"
    says stderr "wrote $# files with 4 frames"
    for file in "$@"; do
        [ -s "$format/$file" ] || fail "$format/$file is missing"
    done
}

exported ply cube_00000.ply cube_00001.ply cube_00002.ply cube_00003.ply
exported obj+pc2 cube.obj cube.pc2
call 0 export run --format glb -o glb
[ "$(head -c4 "$(find glb -name '*.glb')")" = glTF ] || fail "the glb file is not one"
call 0 export run --format usda -o usda
[ "$(head -c5 "$(find usda -name '*.usda')")" = '#usda' ] || fail "the usda file is not one"
exported vtkhdf cube.vtkhdf

# ---- a collider is a surface of its own beside the body, in every format
small_scene >beside.yaml
cat >>beside.yaml <<'END'
gravity: [0, 0, 0]
colliders:
  wall: {shape: {plane: {point: [-2, 0, 0], normal: [1, 0, 0]}}}
  disc:
    shape: {cylinder: {start: [2, 0, 0], end: [2, 0.1, 0], radius: 0.5}}
    motion: {segments: [{duration: 1, velocity: [0, 1, 0], axis: [0, 0, 1], spin: 90}]}
END
call 0 run beside.yaml -o beside -q
for part in cube wall disc; do
    [ "$(find beside/frames -name "${part}_0000[0-3].vtu" | wc -l)" -eq 4 ] || fail "no frames of $part"
    grep -aq 'Name="Collider"' "beside/frames/${part}_00000.vtu"
    marked=$?
    [ "$part" = cube ] && [ "$marked" -eq 0 ] && fail "the body is marked as a collider"
    [ "$part" != cube ] && [ "$marked" -ne 0 ] && fail "$part is not marked as a collider"
done
for format in ply obj+pc2 glb usda vtkhdf; do
    call 0 export beside --format "$format" -o "beside-$format"
done
for part in cube wall disc; do
    for file in "ply/${part}_00003.ply" "obj+pc2/$part.obj" "obj+pc2/$part.pc2" "vtkhdf/$part.vtkhdf"; do
        [ -s "beside-$file" ] || fail "beside-$file is missing"
    done
    grep -q "\"$part\"" beside-usda/*.usda || fail "$part is not in the usda file"
    grep -aq "\"$part\"" beside-glb/*.glb || fail "$part is not in the glb file"
done
grep -q 'element face 2' beside-ply/wall_00000.ply || fail "the plane is not two triangles"

call 0 export run --first 1 --last 2 -o two
[ "$(find two -name '*.ply' | wc -l)" -eq 2 ] || fail "--first and --last do not choose two frames"
call 0 export run -q
silent stderr
[ -s run/export/cube_00003.ply ] || fail "the default folder is not run/export"
call 2 export run --first 7
mkdir empty
call 3 export empty
says stderr 'empty'
call 3 export run -o cube.yaml/below
finish
