#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is typed wrongly ends with 2 and a message that says what would be right; help and version go
# to standard output and end with 0.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

# ---- help
call 2
silent stdout
says stderr '^usage: pliant COMMAND'
for general in --help -h help; do
    call 0 "$general"
    says stdout '^usage: pliant COMMAND'
    silent stderr
done
commands=$("$PLIANT" help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
for expected in run check scenes solvers materials render export bench schema doctor completion help; do
    echo "$commands" | grep -qx "$expected" || fail "'$expected' is not listed by pliant help"
done
for command in $commands; do
    call 0 "$command" --help
    says stdout "^usage: pliant $command"
    says stdout '--help +shows this text'
    silent stderr
    cp stdout by_option
    call 0 help "$command"
    cmp -s stdout by_option || fail "'pliant help $command' differs from 'pliant $command --help'"
    # help wins over whatever else is there
    call 0 "$command" --help nonsense --more-nonsense
done
COLUMNS=60 "$PLIANT" run --help | awk 'length > 60 && !/^ *pliant|^usage/ { bad = 1 } END { exit bad }' ||
    fail "help does not keep to COLUMNS"

# ---- version
call 0 --version
says stdout '^pliant [0-9]+\.[0-9]+\.[0-9]+'
says stdout 'gcc|clang'
says stdout 'CHOLMOD (on|off)'

# ---- commands and options that are not there
call 2 chek
silent stdout
says stderr "unknown command 'chek'; did you mean 'check'\?"
call 2 qqqqqq
says stderr "'pliant help' lists"
call 2 help qqqqqq
call 2 run demo --thread 3
says stderr 'unknown option --thread; did you mean --threads\?'
call 2 run demo --ouptut x
says stderr 'did you mean --output\?'
call 2 run demo --qqqqqq
says stderr "'pliant run --help' lists"
call 2 run demo -Z
says stderr 'unknown option -Z'

# ---- operands
call 2 run
says stderr 'SCENE is missing; usage: pliant run SCENE'
call 2 run one two
says stderr "unexpected argument 'two'"
call 2 doctor extra
call 2 completion
call 2 completion csh
says stderr "'csh' is not known"
call 2 completion bsh
says stderr 'did you mean bash\?'

# ---- values
call 2 run demo --frames
says stderr '--frames needs a value: N'
call 2 run demo --frames many
says stderr "--frames does not take 'many'; it takes a whole number from 0 to"
call 2 run demo --frames=-1
call 2 run demo --frames 1e3
call 2 run demo -j0
says stderr "--threads does not take '0'; it takes a whole number from 1 to 256"
call 2 run demo -j
says stderr '-j needs a value'
call 2 run demo --resume=yes
says stderr '--resume takes no value'
call 2 run demo --max-wall 5x
says stderr 'a time such as 90s, 15m, 2h or 1d'
call 2 run demo --log-level loud
says stderr 'it takes default, error, warn, info, debug, trace'
call 2 render x --size 960
says stderr 'WxH such as 960x600, each from 16 to'
call 2 render x --size 8x8
call 2 render x --range 2:1
says stderr 'LOW < HIGH'
call 2 export x --format stl
says stderr "--format does not take 'stl'; it takes ply, obj\+pc2, glb, usda, vtkhdf"
call 0 export --help
says stdout 'vtkhdf: one HDF5 file'

# ---- underscores count as dashes, and letters bundle
call 2 run demo --log_level loud
says stderr "--log-level does not take 'loud'"
call 0 run --log_level=debug --help
call 0 run -qvv -j2 -h
says stdout '^usage: pliant run'

# ---- a scene that does not exist
call 2 run no-such-scene-anywhere
says stderr "'no-such-scene-anywhere' is neither a file nor the name of a shipped scene; 'pliant scenes'"
call 2 run dmo
says stderr 'did you mean demo\?'
call 2 check .
says stderr 'is a folder'
call 2 run -- --help
says stderr "'--help' is neither a file"
call 2 run demo --solver newtn
says stderr 'there is no solver .newtn.; did you mean newton'

# ---- lists
call 2 scenes no-such-scene-anywhere
call 2 solvers newtn
says stderr 'did you mean newton'
call 2 materials ruber
says stderr 'did you mean rubber'
finish
