#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Frames of particles, alone and beside meshes, through check, export and render.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

samples="$PLIANT_BUILD/tests/oracle_samples"
[ -x "$samples" ] || skip "$samples was not built"
"$samples" . || fail "the samples could not be written"

# ---- check: particles alone are no failure, and it is said what was looked at
call 0 check --frames cloud
says stdout '^5 frames, 0 intersections'
says stderr 'no surfaces: of particles only the coordinates were tested'
call 0 check --frames cloud --json
says stdout '"particles": 705'
call 0 check --frames raw --json
says stdout '"particles": 27'
silent stderr

# ---- export: what a format cannot say is refused with one that can
for format in ply usda vtkhdf; do
    call 0 export cloud --format $format -o "out-$format"
done
[ -f out-ply/sand_00004.ply ] || fail "no PLY file of particles"
for format in glb obj+pc2; do
    call 2 export cloud --format $format -o "out-$format"
    says stderr "body 'sand' changes its points.*ply, usda and vtkhdf can"
done

# ---- render: no particles, one, many
"$PLIANT" --version | grep -q 'pictures on' || finish
call 0 render cloud -o pictures --size 96x64 --color material -q
[ "$(find pictures -name '*.png' | wc -l)" -eq 5 ] || fail "not every frame of particles was drawn"
call 0 render raw -o mixed --size 96x64 --color speed -q
call 2 render cloud -o none --size 96x64 --color speed
says stderr "no field 'speed'; they have velocity J material count radius$"
finish
