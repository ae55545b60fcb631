#!/bin/sh
# Goes into a root ($1) in mounts of its own, registers a format of programs ($3) where one is given, and runs a line ($2) there.
set -eu
mount --make-rprivate /
if [ -n "$3" ]; then
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    cat "$3" > /proc/sys/fs/binfmt_misc/register
fi
mount --bind "$1" "$1"
# Devices cannot be made in a user namespace: those of this machine are lent, and null for one that it has not.
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
