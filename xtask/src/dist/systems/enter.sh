#!/bin/sh
# Enters a root ($1) with private mounts and network, registers a binary format ($3) if one is given, and runs a command ($2) there.
set -eu
mount --make-rprivate /
# The hub is asked over loopback.
ip link set lo up
if [ -n "$3" ]; then
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    cat "$3" > /proc/sys/fs/binfmt_misc/register
fi
mount --bind "$1" "$1"
# Devices cannot be made in a user namespace, so those of the machine are mounted, and null for missing ones.
for device in null zero full random urandom tty console ptmx; do
    source="/dev/$device"
    [ -e "$source" ] || source=/dev/null
    [ -e "$1/dev/$device" ] || : > "$1/dev/$device"
    mount --bind "$source" "$1/dev/$device"
done
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
exec env -i HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$1" sh -euc "$2"
