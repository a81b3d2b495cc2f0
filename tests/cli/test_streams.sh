#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Standard streams that are full, closed or gone: a clear end with the code of failed output, and
# nothing printed after a broken pipe.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

# end CODE WHAT: the exit code of the command before
end() {
    [ "$code" -eq "$1" ] || fail "$2 ended with $code instead of $1"
}

# ---- full
if [ -w /dev/full ]; then
    "$PLIANT" help >/dev/full 2>stderr
    code=$?
    end 3 "a full device"
    says stderr 'standard output cannot be written: No space left'
fi

# ---- closed
"$PLIANT" help >&- 2>stderr
code=$?
end 3 "a closed output"
says stderr 'standard output cannot be written'
"$PLIANT" help >stdout 2>&- <&-
code=$?
end 0 "closed input and errors"
says stdout '^usage: pliant'
"$PLIANT" chek >stdout 2>&-
code=$?
end 2 "a usage error that nobody hears"
# a file that is opened later must not become standard output
"$PLIANT" help --log-file 2>/dev/null >&- || true
"$PLIANT" check demo --log-file log.txt >&- 2>/dev/null
grep -q '^about:' log.txt 2>/dev/null && fail "the log file became standard output"

# ---- gone: the reader leaves before the first word
for inherited in "" "trap '' PIPE;"; do
    sh -c "$inherited \"\$PLIANT\" help --man 2>stderr; echo \$? >code" | true
    code=$(cat code)
    # the pipe may have held it all
    [ "$code" -eq 3 ] || [ "$code" -eq 0 ] || fail "a broken pipe ended with $code"
    silent stderr
done
finish
