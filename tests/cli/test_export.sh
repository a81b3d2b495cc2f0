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
