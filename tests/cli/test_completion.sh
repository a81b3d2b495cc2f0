#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The completion scripts are understood by their shells, which offer what there is: commands, options,
# scenes, solvers, materials, keys. The man page names every command and option.
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
offer run demo --solver pd-m
says stdout '^pd-multigrid$'
offer live rubber/crea
says stdout '^rubber/creature$'
offer live --pau
says stdout '^--paused$'
offer view --no
says stdout '^--no-open$'
offer completion f
says stdout '^fish$'
: >"a scene.yaml"
offer check 'a s'
says stdout '^a scene.yaml$'

# ---- zsh: typed on a terminal of its own; reading waits for what is wanted
if command -v zsh >/dev/null 2>&1; then
    mkdir -p functions
    cp pliant.zsh functions/_pliant
    cat >type.zsh <<'END'
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; print rea""dy"
zpty -r shell answer '*ready*'
while [ $# -gt 0 ]; do
    zpty -w -n shell "$1"$'\t'
    zpty -r shell answer "*$2*" && print -r -- "offered $2"
    zpty -w -n shell $'\C-u'
    shift 2
done
zpty -d shell
END
    set -- 'pliant comp' letion 'pliant run rubber/str' etch 'pliant live rubber/crea' ture \
        'pliant view --no-o' pen 'pliant run demo --solver pd-mul' tigrid 'pliant solvers hot-q' uadratic \
        'pliant materials rubb' er 'pliant run demo --set time.fp' 's=' 'pliant completion fi' sh
    PATH=$(dirname "$PLIANT"):$PATH timeout 60 zsh -f type.zsh "$@" >stdout 2>stderr </dev/null
    while [ $# -gt 0 ]; do
        grep -qx "offered $2" stdout || fail "zsh does not complete '$1' by '$2'"
        shift 2
    done
fi

# ---- fish
if command -v fish >/dev/null 2>&1; then
    # completes TYPED WANTED
    completes() {
        PATH=$(dirname "$PLIANT"):$PATH HOME=$folder fish --no-config -c \
            "source pliant.fish; complete -C '$1'" >stdout 2>stderr
        cut -f1 stdout | grep -qxF -- "$2" || fail "fish does not complete '$1' by '$2'"
    }
    completes 'pliant comp' completion
    completes 'pliant run rubber/str' rubber/stretch
    completes 'pliant live rubber/crea' rubber/creature
    completes 'pliant live --pau' --paused
    completes 'pliant view --no-o' --no-open
    completes 'pliant run demo --solver pd-mul' pd-multigrid
    completes 'pliant solvers hot-q' hot-quadratic
    completes 'pliant materials rubb' rubber
    completes 'pliant run demo --set time.fp' time.fps=
    completes 'pliant completion fi' fish
fi

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
