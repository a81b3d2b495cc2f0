#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs a package into a clean Debian and uses it there: program, page, pictures, library, Python
# module, removal. Makes a minimal root by debootstrap with the mirror that this machine uses.
#
#   tools/try_package.sh FILE.deb [ROOT]
#
# Needs to be root, and debootstrap. ROOT is kept if it is given, and used again when it is there; a
# temporary one is removed. SUITE chooses another release than bookworm.
set -eu

package=${1:?"usage: tools/try_package.sh FILE.deb [ROOT]"}
suite=${SUITE:-bookworm}
[ "$(id -u)" -eq 0 ] || { echo "debootstrap needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "install debootstrap first" >&2; exit 1; }
[ -f "$package" ] || { echo "there is no file $package" >&2; exit 1; }

keep=${2:-}
root=${keep:-$(mktemp -d "${TMPDIR:-/tmp}/pliant_root.XXXXXX")}

tidy() {
    for place in dev/pts dev proc; do
        mountpoint -q "$root/$place" && umount "$root/$place"
    done
    [ -n "$keep" ] || rm -rf --one-file-system "$root"
}
trap tidy EXIT
trap 'exit 1' INT TERM

say() {
    echo
    echo "==== $*"
}

proxy=
eval "$(apt-config shell proxy Acquire::http::Proxy)"
[ "$proxy" != DIRECT ] || proxy=

# what runs inside: a clean environment without a display, and no question asked
inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive TERM=dumb ${proxy:+http_proxy="$proxy"} "$@"
}

# ---- the root, with this machine's mirror and proxy of apt
# shellcheck disable=SC2016 # apt fills in
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Release: $suite" | head -1)
[ -n "$mirror" ] || { echo "apt knows no mirror of $suite" >&2; exit 1; }
if [ ! -x "$root/usr/bin/apt-get" ]; then
    say "debootstrap $suite"
    env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -20 "$root.log"
        exit 1
    }
    rm -f "$root.log"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
inside apt-get update -qq
inside sh -c 'cat /etc/debian_version; dpkg -l | grep -c ^ii' | paste -s -d' ' |
    sed 's/\(.*\) \(.*\)/Debian \1 with \2 packages/'

# ---- installing
say "apt-get install ./$(basename "$package")"
cp "$package" "$root/root/package.deb"
inside sh -c 'find / -xdev \( -path /proc -o -path /dev -o -path /var -o -path /tmp \) -prune -o -print |
    sort >/root/before'
inside apt-get install -y -qq /root/package.deb >"$root/root/install.log" 2>&1 || {
    tail -20 "$root/root/install.log"
    exit 1
}
inside dpkg -s pliant | grep -E '^(Status|Version|Installed-Size)'
inside sh -c 'dpkg -L pliant >/root/files'

# ---- using
try() {
    echo
    echo "$ $*"
    inside sh -c "cd /root/work && $*" || { echo "FAILED: $*" >&2; exit 1; }
}
rm -rf "$root/root/work"
mkdir "$root/root/work"
say "the program"
try "pliant --version"
try "pliant doctor"
try "pliant check demo | tail -12"
try "pliant run demo --frames 3"
try "pliant check --frames out/demo"
try "pliant render out/demo -o picture.png --size 320x200 && test -s picture.png && ls -l picture.png"
try "pliant export out/demo --format ply -o ply | tail -2"
try "pliant scenes | wc -l"
try "diff -r /usr/share/pliant/scenes/demo.yaml - <<END && echo same text
\$(pliant scenes demo)
END"
try "gzip -t /usr/share/man/man1/pliant.1.gz && test -s /usr/share/bash-completion/completions/pliant \\
    && test -s /usr/share/zsh/vendor-completions/_pliant \\
    && test -s /usr/share/fish/vendor_completions.d/pliant.fish \\
    && gzip -t /usr/share/doc/pliant/changelog.gz && test -s /usr/share/doc/pliant/copyright \\
    && test -s /usr/share/doc/pliant/docs/guide/first-steps.md && echo man page, completions, guide: there"

say "the library"
inside apt-get install -y -qq gcc make pkgconf libc6-dev >>"$root/root/install.log" 2>&1
try "cp -r /usr/share/doc/pliant/examples . && make -s -C examples check"

say "the Python module"
if inside sh -c 'grep -q "/pliant/__init__.py$" /root/files'; then
    try "python3 -c 'import pliant; print(pliant.__file__)'"
    try "python3 -c 'import pliant
sim = pliant.Simulation(\"demo\")
for report in sim.frames(2):
    print(sim.time, report.stop, sim.bodies[\"cube\"].positions.max(axis=0))'"
else
    echo "is not in this package"
fi

# ---- removing
say "apt-get purge pliant"
inside apt-get purge -y -qq pliant >>"$root/root/install.log" 2>&1
# shellcheck disable=SC2016 # for the shell inside
left=$(inside sh -c 'while read -r file; do
    grep -qxF "$file" /root/before || { [ -d "$file" ] && [ -n "$(ls -A "$file")" ]; } ||
        [ ! -e "$file" ] || echo "$file"
done </root/files; find / -xdev -path /proc -prune -o -path /root -prune -o -name "*pliant*" -print')
if [ -n "$left" ]; then
    echo "FAILED: left behind:" >&2
    echo "$left" >&2
    exit 1
fi
echo "nothing is left"
say "the package works"
