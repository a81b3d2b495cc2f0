#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Former names of shipped scenes are known wherever a scene is named, and a note says today's.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

# every former name is the text of the scene of today's, which is one that is listed
call 0 scenes
awk '{ print $1 }' <stdout >names
while read -r former name; do
    grep -qx "$name" names || fail "'$former' is said to be called '$name' now, which there is not"
    grep -qx "$former" names && fail "'$former' is the name of a scene, too"
    call 0 scenes "$former"
    says stderr "the scene '$former' is called '$name' now"
    cmp -s stdout "$PLIANT_SOURCE/scenes/$name.yaml" || fail "'$former' is another scene than '$name'"
done <"$PLIANT_SOURCE/scenes/former-names.txt"

# in what reads scenes
call 0 check s4/stretch
says stderr "the scene 's4/stretch' is called 'rubber/stretch' now"
says stdout 'rubber:'
call 0 run s4/map --frames 1 -o out --quiet
says stderr "the scene 's4/map' is called 'rubber/map' now"
[ -s out/steps.jsonl ] || fail "a scene by its former name does not run"

# a file or today's name says nothing
call 0 check rubber/stretch
silent stderr
mkdir s4
cp "$PLIANT_SOURCE/scenes/demo.yaml" s4/stretch
call 0 check s4/stretch
silent stderr

# former keys run, and say so
cat >old.yaml <<'END'
materials: {soft: {preset: rubber, young: 1e5}}
bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft}}
time: {frames: 1}
solver: {rest_guess: false}
END
call 0 run old.yaml -o old --quiet
says stderr "old.yaml:4:10: solver: 'rest_guess' is called 'rest_shape_guess' now"
says old/scene.yaml 'rest_shape_guess: false'
call 0 check old.yaml --set solver.rest_guess=true
finish
