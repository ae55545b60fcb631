# shellcheck shell=sh
# Starts a board: its name, folder of the keys, kept folder, address, "full" or "room".
set -e
mount -t tmpfs -o size=256m board /run
cp "$1"/host_key "$1"/user_key.pub /run/
chmod 600 /run/host_key
mkdir -p /run/sshd
mount --bind "$2/lib" /var/lib
mount --bind "$2/bin" /usr/local/bin
for place in /tmp /var/tmp /root /var/log; do mount -t tmpfs -o size=128m board $place; done
if [ "$4" = full ]; then
    for place in /var/lib /var/log; do
        mount -t tmpfs -o size=64k board $place
        dd if=/dev/zero of=$place/ballast bs=4k 2>/dev/null || true
    done
fi
echo ready
read -r go
ip address add "$3"/16 dev eth0
ip link set eth0 up
ip link set lo up
exec /usr/sbin/sshd -D -e -f /dev/null -o HostKey=/run/host_key -o AuthorizedKeysFile=/run/user_key.pub \
    -o StrictModes=no -o UsePAM=no -o PermitRootLogin=yes -o PidFile=none -o UseDNS=no -o MaxStartups=100
