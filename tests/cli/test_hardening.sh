#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is built ends when its memory is overrun, instead of running what was written there: programs
# at any address, tables of addresses that are read-only, no memory that is both written and run,
# canaries, and checked calls of the C library. Environment: PLIANT_HARDENING is what CMake was told.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
[ "$PLIANT_HARDENING" = 1 ] || skip "built without hardening: sanitizers, or PLIANT_HARDENING=OFF"
command -v readelf >/dev/null 2>&1 || skip "there is no readelf (Debian: binutils)"

# has FILE PATTERN WHAT: a line of what readelf said of the file
has() {
    grep -qE -- "$2" elf || fail "$1 $3"
}
lacks() {
    ! grep -qE -- "$2" elf || fail "$1 $3"
}

look() {
    file=$1
    LC_ALL=C readelf -W --file-header --segments --dynamic --dyn-syms "$file" >elf 2>log || {
        cat log
        fail "readelf cannot read $file"
        return
    }
    has "$file" '^ +GNU_RELRO ' "has addresses that stay writable (-Wl,-z,relro)"
    has "$file" '\((FLAGS|BIND_NOW)\).*BIND_NOW|\(BIND_NOW\)' "finds functions when they are called, so that their addresses stay writable (-Wl,-z,now)"
    has "$file" '\(FLAGS_1\).*NOW' "is not marked to be bound at the start (-Wl,-z,now)"
    has "$file" '^ +GNU_STACK ' "does not say whether its stack is run (-Wl,-z,noexecstack)"
    lacks "$file" '^ +GNU_STACK .* RWE ' "has a stack that can be run (-Wl,-z,noexecstack)"
    lacks "$file" '^ +LOAD .* RWE ' "has memory that is written and run"
    has "$file" 'Type: +DYN' "is at the same address in every run (-pie)"
    has "$file" ' UND __stack_chk_fail' "has no canaries (-fstack-protector-strong)"
    has "$file" ' UND __[a-z]+_chk(@| |$)' "has no checked calls (-D_FORTIFY_SOURCE)"
}

look "$PLIANT"
has "$PLIANT" '\(FLAGS_1\).* PIE' "is not a program for any address (-pie)"
look "$PLIANT_BUILD/libpliant.so"

# what the Python module loads is that library, and nothing else of ours
python=/usr/bin/python3
if [ -x "$python" ] && "$python" -c 'import numpy' 2>/dev/null; then
    PYTHONPATH=$PLIANT_SOURCE/python PLIANT_LIBRARY=$PLIANT_BUILD/libpliant.so "$python" -B -c '
import pliant
for name in sorted({line.split()[-1] for line in open("/proc/self/maps") if "pliant" in line}):
    print(name)' >loaded || fail "the Python module does not load"
    [ -s loaded ] || fail "the Python module loads no library"
    while read -r file; do
        look "$file"
    done <loaded
fi
finish
