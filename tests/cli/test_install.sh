#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An installed tree is complete, can be moved, and programs compile against it by pkg-config and by
# CMake, the examples among them.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
[ "$PLIANT_INSTRUMENTED" = 0 ] || skip "instrumented libraries are not to be installed"

DESTDIR=$folder/stage cmake --install "$PLIANT_BUILD" --prefix /opt/pliant >log 2>&1 || {
    cat log
    fail "cmake --install"
    finish
}
# elsewhere than where it was installed to
mv stage/opt/pliant tree

# ---- everything is there
for file in bin/pliant include/pliant/pliant.h share/man/man1/pliant.1 \
    share/bash-completion/completions/pliant share/zsh/site-functions/_pliant \
    share/fish/vendor_completions.d/pliant.fish share/doc/pliant/docs/guide/first-steps.md \
    share/doc/pliant/examples/Makefile share/doc/pliant/examples/game_loop.c; do
    [ -s "tree/$file" ] || fail "$file was not installed"
done
(cd "$PLIANT_SOURCE/scenes" && find . -name '*.yaml') | while read -r scene; do
    cmp "$PLIANT_SOURCE/scenes/$scene" "tree/share/pliant/scenes/$scene" || exit 1
done || fail "the scenes were not installed as they are"
library=$(dirname "$(find tree -name 'libpliant.so' | head -1)")
[ -f "$library/libpliant.a" ] || fail "the static library was not installed"
tree/bin/pliant --version | grep -q '^pliant ' || fail "the installed program does not run"

# ---- pkg-config
PKG_CONFIG_PATH=$folder/$library/pkgconfig
export PKG_CONFIG_PATH
consumer=$PLIANT_SOURCE/tests/cli/consumer
# shellcheck disable=SC2046 # a list of options
"$PLIANT_COMPILER" -std=c17 -o by_pkg_config "$consumer/main.c" $(pkg-config --cflags --libs pliant) ||
    fail "compiling by pkg-config"
LD_LIBRARY_PATH=$library ./by_pkg_config | grep -q '^pliant ' || fail "running what pkg-config made"
# the static library, with everything that it needs
# shellcheck disable=SC2046
"$PLIANT_COMPILER" -std=c17 -o by_archive "$consumer/main.c" $(pkg-config --cflags pliant) \
    "$library/libpliant.a" $(pkg-config --static --libs pliant | sed 's/-lpliant//') ||
    fail "compiling with the static library by pkg-config"
./by_archive | grep -q '^pliant ' || fail "running with the static library"

# ---- examples: the folder as a user would copy it, built and run by pkg-config and by CMake
for example in "$PLIANT_SOURCE"/examples/*.c; do
    lines=$(wc -l <"$example")
    [ "$lines" -lt 100 ] || fail "$example has $lines lines; an example has less than 100"
    grep -qw "$(basename "$example" .c)" "$PLIANT_SOURCE/examples/Makefile" ||
        fail "the Makefile of the examples does not build $example"
    grep -qw "$(basename "$example" .c)" "$PLIANT_SOURCE/examples/CMakeLists.txt" ||
        fail "the CMakeLists.txt of the examples does not build $example"
done
cp -r tree/share/doc/pliant/examples examples
make -s -C examples CC="$PLIANT_COMPILER" CFLAGS="-O2 -Wall -Wextra -Wpedantic -Werror" >log 2>&1 &&
    (cd examples && LD_LIBRARY_PATH=$folder/$library timeout 200 make -s check) >>log 2>&1 || {
    cat log
    fail "the examples by make and pkg-config"
}
if ! cmake -S examples -B examples/build -G Ninja -DCMAKE_PREFIX_PATH="$folder/tree" \
    -DCMAKE_C_COMPILER="$PLIANT_COMPILER" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" \
    >log 2>&1 || ! cmake --build examples/build >>log 2>&1 ||
    ! timeout 200 ctest --test-dir examples/build --no-tests=error --output-on-failure >>log 2>&1; then
    cat log
    fail "the examples by CMake"
fi

# ---- CMake
if ! cmake -S "$consumer" -B by_cmake -G Ninja -DCMAKE_PREFIX_PATH="$folder/tree" \
    -DCMAKE_C_COMPILER="$PLIANT_COMPILER" >log 2>&1 || ! cmake --build by_cmake >>log 2>&1; then
    cat log
    fail "compiling by CMake"
else
    by_cmake/consumer_pliant | grep -q '^pliant ' || fail "running with the shared library"
    by_cmake/consumer_static | grep -q '^pliant ' || fail "running with the static library"
fi
finish
