#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A run never deletes or replaces what it did not write: files of others in its folder, links, scenes and reports of the
# user's, locks, and what --log-file names.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >cube.yaml

# listing DIR: every name in it, what links lead to, and all contents
listing() {
    (cd "$1" && find . | sort && find . -type l -exec readlink {} \; && find . -type f -exec cksum {} + | sort -k 3)
}

# unchanged DIR BEFORE WHAT
unchanged() {
    listing "$1" | cmp -s - "$2" || fail "$3 changed $1"
}

# ---- a new run: nothing of others goes, and what is in the way is a reason to refuse
mkdir -p mine/frames
echo mine >mine/frames/cube_00000.vtu
echo mine >mine/frames/other_00099.vtu
echo mine >mine/frames/.pliant-1-1.tmp
listing mine >before
call 3 run cube.yaml -o mine
says stderr 'frames/cube_00000\.vtu'
says stderr 'no run of pliant wrote'
unchanged mine before "a refused run"
call 3 run cube.yaml -o mine --force
says stderr 'frames/other_00099\.vtu'
unchanged mine before "a refused --force"
call 3 run cube.yaml -o mine --resume
unchanged mine before "a refused --resume"
for file in scene.yaml report.html run.json steps.jsonl series.pvd .lock .pliant-files; do
    mkdir "has_$file"
    echo "mine" >"has_$file/$file"
    listing "has_$file" >before
    call 3 run cube.yaml -o "has_$file"
    says stderr "$file"
    unchanged "has_$file" before "a refused run"
    call 3 run cube.yaml -o "has_$file" --force
    unchanged "has_$file" before "a refused --force"
done

# ---- what is not in the way stays and is told
mkdir beside
echo mine >beside/notes.txt
call 0 run cube.yaml -o beside
says stderr 'beside: holds what no run of pliant wrote, and it stays as it is: notes\.txt'
says beside/notes.txt '^mine$'

# ---- --force refuses where anything else is, lists it, and removes the run alone where nothing is
listing beside >before
call 3 run cube.yaml -o beside --force
says stderr 'beside: is not replaced.*: notes\.txt; move it away'
unchanged beside before "a refused --force"
rm beside/notes.txt
mkdir -p beside/pictures beside/export
echo mine >beside/pictures/frame_00000.png
echo '{}' >beside/view.json
call 0 run cube.yaml -o beside --force --frames 1 -q
says beside/pictures/frame_00000.png '^mine$'
[ "$(find beside/frames -name '*.vtu' | wc -l)" -eq 2 ] || fail "--force left frames of the run before"
for file in 1 2 3 4 5 6 7; do echo mine >"beside/$file"; done
call 3 run cube.yaml -o beside --force
says stderr ' and 2 more; '

# ---- what the user changed since is the user's
call 0 run cube.yaml -o edited -q
sed 's/fps: 24/fps: 25/' edited/scene.yaml >edited.yaml && cp edited.yaml edited/scene.yaml
call 3 run cube.yaml -o edited --force
says stderr 'scene\.yaml'
cmp -s edited.yaml edited/scene.yaml || fail "a scene that was edited was replaced"
call 3 run cube.yaml -o edited --resume --frames 4
says stderr 'edited/scene\.yaml'
cmp -s edited.yaml edited/scene.yaml || fail "a scene that was edited was replaced"
call 0 run cube.yaml -o reported -q
echo mine >reported/report.html
call 3 run cube.yaml -o reported --resume --frames 4
says stderr 'reported/report\.html'
says reported/report.html '^mine$'

# ---- a frame of the user's is not written over by a run that goes on
call 0 run cube.yaml -o going -q --frames 2
echo mine >going/frames/cube_00003.vtu
call 3 run cube.yaml -o going --resume --frames 4
says stderr 'going/frames/cube_00003\.vtu'
says going/frames/cube_00003.vtu '^mine$'
rm going/frames/cube_00003.vtu
call 0 run cube.yaml -o going --resume --frames 4 -q

# ---- links are not followed
for place in frames checkpoint cache residuals; do
    mkdir "far_$place" "link_$place"
    echo mine >"far_$place/cube_00000.vtu"
    cp going/checkpoint/step_00000004.h5 "far_$place/step_00000001.h5"
    ln -s "../far_$place" "link_$place/$place"
    listing "far_$place" >before
    call 3 run cube.yaml -o "link_$place"
    call 3 run cube.yaml -o "link_$place" --force
    call 3 run cube.yaml -o "link_$place" --resume
    says stderr "link_$place.*$place.*link"
    unchanged "far_$place" before "a run through a link"
done
call 0 run cube.yaml -o linked -q --frames 2
mv linked/frames far_frames_2 && ln -s ../far_frames_2 linked/frames
listing far_frames_2 >before
call 3 run cube.yaml -o linked --force
call 3 run cube.yaml -o linked --resume --frames 3
unchanged far_frames_2 before "a run through a link"
call 0 run cube.yaml -o pointing -q --frames 2
echo mine >far.json && ln -sf ../far.json pointing/run.json
call 3 run cube.yaml -o pointing --force
says far.json '^mine$'

# ---- a lock is written by who takes the folder, and by nobody else
call 0 run cube.yaml -o locked -q
echo 4711 >locked/.lock
call 3 run cube.yaml -o locked
says locked/.lock '^4711$'
mkdir unlocked && echo mine >unlocked/scene.yaml
call 3 run cube.yaml -o unlocked
[ ! -e unlocked/.lock ] || fail "a refused run left a lock"

# ---- a killed run is known as one: its files may be replaced
"$PLIANT" run cube.yaml -o killed -q --frames 1000000 &
process=$!
while [ "$(find killed/frames -name '*.vtu' 2>/dev/null | wc -l)" -lt 5 ]; do sleep 0.05; done
kill -9 "$process"
wait "$process" 2>/dev/null
call 0 run cube.yaml -o killed --force -q
[ "$(find killed/frames -name '*.vtu' | wc -l)" -eq 4 ] || fail "frames of a killed run are left"

# ---- a folder of a version without lists of files: the run in it is known, what is not of it is not touched
older() {
    rm -rf older && cp -rp going older && rm older/.pliant-files
}
older
call 0 run cube.yaml -o older --resume --frames 5 -q
[ -s older/.pliant-files ] || fail "a run that went on made no list"
cmp -s older/frames/cube_00004.vtu going/frames/cube_00004.vtu || fail "going on changed a frame"
older
call 0 run cube.yaml -o older --force --frames 1 -q
[ "$(find older/frames -name '*.vtu' | wc -l)" -eq 2 ] || fail "frames of the older run are left"
older
cp older/frames/cube_00001.vtu older/frames/copy_00001.vtu
call 3 run cube.yaml -o older --force
says stderr 'frames/copy_00001\.vtu'
older
touch -d '+1 hour' older/scene.yaml
call 3 run cube.yaml -o older --force
says stderr 'scene\.yaml'
older
rm older/run.json
listing older >before
call 3 run cube.yaml -o older --force
unchanged older before "a refused --force"

# ---- --log-file adds to logs of pliant's and never touches another file
cp cube.yaml kept.yaml
call 3 run cube.yaml -o logged --log-file cube.yaml
says stderr 'cube\.yaml: .*log'
cmp -s cube.yaml kept.yaml || fail "--log-file changed the scene"
[ ! -e logged ] || fail "a run began without its log"
echo mine >notes.txt
call 3 check cube.yaml --log-file notes.txt
says notes.txt '^mine$'
ln -s notes.txt pointer
call 3 check cube.yaml --log-file pointer
says notes.txt '^mine$'
call 0 run cube.yaml -o logged -q --log-file log
lines=$(wc -l <log)
[ "$lines" -gt 0 ] || fail "the log is empty"
call 0 run cube.yaml -o logged -q --force --log-file log
[ "$(wc -l <log)" -gt "$lines" ] || fail "a second run did not add to the log"
: >empty
call 0 run cube.yaml -o logged -q --force --log-file empty
[ -s empty ] || fail "an empty file is no log"
call 0 run cube.yaml -o logged -q --force --log-file /dev/null
mkfifo pipe
timeout 20 "$PLIANT" check cube.yaml --log-file pipe >stdout 2>stderr
[ $? -eq 3 ] || fail "a pipe that nobody reads was waited for"
finish
