#!/bin/sh
# Adds md5sums to a .deb ($1) for `dpkg --verify`, which cargo-deb omits, and removes empty fields. SOURCE_DATE_EPOCH is the date
# of all files.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
dpkg-deb --raw-extract "$1" "$place/root"
cd "$place/root"
sed -i '/^[A-Z][A-Za-z-]*: *$/d' DEBIAN/control
find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums
chmod 644 DEBIAN/md5sums DEBIAN/control
find . -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build . "$1" >/dev/null
