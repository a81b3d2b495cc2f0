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

# ---- a view, as the page saves it
cat >view.json <<'END'
{"pliant_view": 1, "camera": {"position": [3, 2, 4], "target": [0.5, 0.5, 0.5], "up": [0, 1, 0], "fov": 35},
 "color": {"field": "velocity", "component": -1, "range": [0, 2], "map": "sequential"}, "edges": true, "dark": true,
 "colliders": "hide", "hidden": [], "section": null, "size": [80, 50]}
END
call 0 render beside -o view.png --view view.json -q
[ "$(size_of view.png)" = 80x50 ] || fail "the picture has not the size of the view"
call 0 render beside -o same.png --view view.json -q --size 80x50 --color velocity --range 0:2 --colliders hide
cmp view.png same.png || fail "saying again what the view says changes the picture"
call 0 render beside -o won.png --view view.json -q --size 64x40 --colliders show --azimuth 10
[ "$(size_of won.png)" = 64x40 ] || fail "--size does not win over the view"
# a view in the run's folder waits until it is asked for
cp view.json beside/view.json
call 0 render beside -o quiet.png --size 64x40 -q
cmp quiet.png default.png || fail "a view was used without being asked for"
sed 's/"hidden": \[\]/"hidden": ["cube"]/' view.json >hidden.json
call 0 render beside -o hidden.png --view hidden.json -q
cmp -s view.png hidden.png && fail "a hidden body is seen"
sed 's/"section": null/"section": {"normal": [1, 0, 0], "offset": 0.3}/' view.json >section.json
call 0 render beside -o section.png --view section.json -q
cmp -s view.png section.png && fail "the section cuts nothing"
sed 's/"camera"/"camra"/' view.json >wrong.json
call 2 render beside -o x.png --view wrong.json
says stderr "wrong.json: a view: unknown key 'camra'.*did you mean 'camera'"
sed 's/"velocity"/"speed"/' view.json >wrong.json
call 2 render beside -o x.png --view wrong.json
says stderr "no field 'speed'"
call 3 render beside -o x.png --view nothing.json
says stderr 'nothing.json'
call 2 render beside -o x.png --view
[ ! -e x.png ] || fail "a refused picture was written"

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
