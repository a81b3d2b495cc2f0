#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The completion scripts are understood by their shells, and bash offers what there is. The man page
# names every command and option.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

for shell in bash zsh fish; do
    call 0 completion "$shell"
    silent stderr
    cp stdout "pliant.$shell"
    if command -v "$shell" >/dev/null 2>&1; then
        "$shell" -n "pliant.$shell" || fail "$shell does not understand its script"
    fi
done

# offer WORD...: what bash offers for the last word
offer() {
    PATH=$(dirname "$PLIANT"):$PATH bash -c '
        source ./pliant.bash
        compopt() { :; }
        COMP_WORDS=(pliant "$@")
        COMP_CWORD=$#
        _pliant
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >stdout 2>stderr
    silent stderr
}

offer re
says stdout '^render$'
offer run dem
says stdout '^demo$'
offer run --log-level = d
says stdout '^debug$'
offer run --log-f
says stdout '^--log-file$'
offer run --set time.f
says stdout '^time\.fps=$'
offer solvers newt
says stdout '^newton$'
offer completion f
says stdout '^fish$'
: >"a scene.yaml"
offer check 'a s'
says stdout '^a scene.yaml$'

# ---- the man page
call 0 help --man
cp stdout pliant.1
if command -v man >/dev/null 2>&1; then
    MANWIDTH=80 man --warnings -l pliant.1 >page 2>warnings || fail "man cannot show the page"
    [ ! -s warnings ] || { fail "man warns:"; cat warnings; }
fi
for command in $("$PLIANT" help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p'); do
    grep -q "^\.SS pliant $command" pliant.1 || fail "the man page does not tell about '$command'"
    "$PLIANT" "$command" --help | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
        grep -vx -- --help | while read -r option; do
        grep -qF -- "$(printf '%s' "$option" | sed 's/-/\\-/g')" pliant.1 || exit 1
    done || fail "the man page lacks an option of '$command'"
done
for code in 0 1 2 3 4 130; do
    grep -qx ".B $code" pliant.1 || fail "the man page does not tell what exit code $code means"
done
finish
