#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the demo scene and shows the result: on a terminal the page is served until Ctrl-C, elsewhere
# only said how.
#
#   tools/run_demo.sh PROGRAM FOLDER
set -eu
pliant=$1
folder=$2

"$pliant" run demo --output "$folder" --force

picture=
if "$pliant" doctor --json | grep -q '"pictures": "yes"'; then
    # the moment when it is pulled the farthest
    "$pliant" render "$folder" --output "$folder/demo.png" --frame 24 --quiet &&
        picture=$folder/demo.png
fi

# a file and what it is for
list() {
    printf '  %-28s %s\n' "$1" "$2"
}
echo
echo "The result:"
[ -z "$picture" ] || list "$picture" "a picture of frame 24"
list "$folder/report.html" "energies, iterations and times; open it in a browser"
list "$folder/series.pvd" "every frame; open it in ParaView: paraview $folder/series.pvd"
[ -z "$picture" ] || list "a film" "$pliant render $folder -o $folder/demo.mp4 (needs ffmpeg)"
list "more scenes" "$pliant scenes"
list "in the browser" "$pliant view $folder"

# nobody is there to end it where input or output is no terminal
if [ -t 0 ] && [ -t 1 ] && [ -z "${CI:-}" ]; then
    echo
    exec "$pliant" view "$folder"
fi
