#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the demo scene and says how to look at the result.
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

echo
echo "The result is in $folder:"
[ -z "$picture" ] || echo "  $picture         a picture of frame 24"
echo "  $folder/report.html      energies, iterations and times; open it in a browser"
echo "  $folder/series.pvd       every frame; open it in ParaView: paraview $folder/series.pvd"
[ -z "$picture" ] || {
    echo "A film, when ffmpeg is installed: $pliant render $folder -o $folder/demo.mp4"
}
echo "More scenes: $pliant scenes"
