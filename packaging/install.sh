#!/bin/sh
# Installs the files of a package: DESTDIR=FOLDER packaging/install.sh BINARY PARTS
# PARTS is the list of what BINARY contains, as cargo-cyclonedx writes it. PREFIX defaults to /usr and SYSCONFDIR to /etc;
# SYSTEMD=no omits the units. BINARY must run on the build machine, as it prints its own manual and completions.
set -eu
binary=$1
parts=$2
prefix=${PREFIX:-/usr}
here=$(dirname "$0")
root=${DESTDIR:-}
at="$root$prefix"

install -Dm755 "$binary" "$at/bin/sbc-bench"
mkdir -p "$at/share/man/man1" "$at/share/bash-completion/completions" "$at/share/zsh/site-functions" \
    "$at/share/fish/vendor_completions.d"
"$binary" manual "$at/share/man/man1"
"$binary" completions bash > "$at/share/bash-completion/completions/sbc-bench"
"$binary" completions zsh > "$at/share/zsh/site-functions/_sbc-bench"
"$binary" completions fish > "$at/share/fish/vendor_completions.d/sbc-bench.fish"
install -Dm644 -t "$at/share/licenses/sbc-bench" "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE"
"$binary" licences > "$at/share/licenses/sbc-bench/third-party.txt"
doc="$at/share/doc/sbc-bench"
install -Dm644 "$parts" "$doc/sbc-bench.cdx.json"
install -Dm644 "$here/../CHANGELOG.md" "$doc/changelog"
install -Dm644 -t "$doc" "$here/../README.md"
for name in reading-results.md farms.md grafana.json json.md other-systems.md power-meters.md; do
    install -Dm644 -t "$doc" "$here/../docs/$name"
done
for page in "$here"/../docs/rules/*.md; do
    cat "$page"
    echo
done > "$doc/rules.md"
chmod 644 "$doc/rules.md"
mkdir -p "$doc/examples"
for name in ansible grafana kubernetes labgrid lava prometheus slurm; do
    cp -r "$here/../deploy/$name" "$doc/examples/"
done
# Settings of linters, and what a test may have left.
find "$doc/examples" \( -name '.*' -o -name __pycache__ \) -prune -exec rm -r {} +
install -Dm644 "$here/workloads.d/README" "${SYSCONFDIR:-$root/etc}/sbc-bench/workloads.d/README"
if [ "${SYSTEMD:-yes}" = yes ]; then
    mkdir -p "$at/lib/systemd/system"
    for unit in "$here"/systemd/*; do
        sed "s,/usr/bin/sbc-bench,$prefix/bin/sbc-bench,g" "$unit" > "$at/lib/systemd/system/$(basename "$unit")"
    done
fi
