#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The gallery has every shipped scene, and every picture that it shows is there and small.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
docs=$(CDPATH='' cd -- "${0%/*}/../../docs" && pwd)
call 0 scenes
awk '{ print $1 }' <stdout >names
while read -r name; do
    grep -qx "### $name" "$docs/gallery.md" || fail "$name is not in the gallery; run tools/make_gallery.py"
done <names
sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$docs/gallery.md" >pictures
[ -s pictures ] || fail "the gallery has no pictures"
while read -r picture; do
    [ -s "$docs/$picture" ] || fail "$picture is missing"
    [ "$(wc -c <"$docs/$picture")" -le 60000 ] || fail "$picture is too large"
done <pictures
finish
