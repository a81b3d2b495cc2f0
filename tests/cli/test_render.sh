#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Frames become pictures, one picture, or a film, by the name of the output.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
"$PLIANT" --version | grep -q 'pictures on' || skip "built without pictures"
small_scene >cube.yaml
call 0 run cube.yaml -o run -q

# width and height of a PNG, from its header
size_of() {
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'
}

call 0 render run --size 64x40
says stderr 'wrote run/pictures'
[ "$(find run/pictures -name 'frame_0000[0-3].png' | wc -l)" -eq 4 ] || fail "not a picture per frame"
[ "$(size_of run/pictures/frame_00003.png)" = 64x40 ] || fail "the picture is not 64x40"
call 0 render run -o some --every 2 --size 64x40 -q
silent stderr
[ "$(find some -name '*.png' | wc -l)" -eq 2 ] || fail "--every 2 did not take two of four frames"

# ---- one picture
call 0 render run -o last.png --size 64x40 -q -j1
call 0 render run -o again.png --size 64x40 --frame 3 -q -j2
cmp last.png again.png || fail "frame 3 is not the last one, or threads change the picture"
call 0 render run -o color.png --size 64x40 --color velocity --range 0:2 --edges --dark --azimuth 10 \
    --elevation 45 --up z --samples 1 -q
cmp -s last.png color.png && fail "the options change nothing"
call 2 render run -o x.png --frame 9
says stderr 'there is no frame 9; the last one is 3'
call 2 render run -o x.png --color speed
says stderr "no field 'speed'; they have .*velocity"
[ ! -e x.png ] || fail "a refused picture was written"

# ---- colliders
small_scene >beside.yaml
cat >>beside.yaml <<'END'
gravity: [0, 0, 0]
colliders:
  ball: {shape: {sphere: {center: [1.2, 0, 0.3], radius: 0.5}}}
END
call 0 run beside.yaml -o beside -q --frames 1
for look in show hide glass; do
    call 0 render beside -o "$look.png" --size 64x40 --colliders "$look" -q
done
call 0 render beside -o default.png --size 64x40 -q
cmp show.png default.png || fail "colliders are not shown by default"
cmp -s show.png hide.png && fail "hidden colliders are seen"
cmp -s show.png glass.png && fail "glass looks like stone"
cmp -s hide.png glass.png && fail "glass is not seen"
call 2 render beside -o x.png --colliders wood
says stderr 'show'

# ---- a film
if command -v ffmpeg >/dev/null 2>&1; then
    call 0 render run -o film.mp4 --size 64x40 -q
    [ -s film.mp4 ] || fail "no film"
    call 2 render run -o odd.mp4 --size 65x40
    says stderr 'even'
    [ ! -e odd.mp4 ] || fail "a refused film was written"
fi

# ---- what is not a run
mkdir empty
call 3 render empty
says stderr 'empty'
call 3 render run -o cube.yaml/below
finish
