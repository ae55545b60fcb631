#!/bin/busybox sh
# First process of a machine: mounts the usual file systems, loads modules, and runs the plan named on the kernel's command line.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root TERM=linux
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
# The archive has no device nodes, so the kernel gave no console to this process.
exec </dev/console >/dev/console 2>&1
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t pstore pstore /sys/fs/pstore 2>/dev/null
for word in $(cat /proc/cmdline); do
    case $word in
    plan=*) plan=${word#plan=} ;;
    disks=*) disks=${word#disks=} ;;
    esac
done
for module in $(cat /modules/order); do
    [ $module = ramoops ] || insmod /modules/$module.ko 2>/dev/null
done
# A disk on USB is found some seconds after its driver was loaded.
for disk in $(echo $disks | tr , ' '); do
    for try in 1 2 3 4 5 6 7 8 9 10; do [ -e /dev/$disk ] || sleep 1; done
done
[ -e /dev/vda ] && mkdir -p /var/lib/sbc-bench && mount -t ext4 /dev/vda /var/lib/sbc-bench
ip link set lo up
dmesg -n 1
case_of() {
    echo
    echo "@@begin $1"
    began=$(cut -d' ' -f1 /proc/uptime)
    timeout $2 sh /cases/$1 </dev/null 2>&1
    status=$?
    echo
    echo "@@end $1 $status $began $(cut -d' ' -f1 /proc/uptime)"
}
. /plans/$plan
echo
echo @@halt
poweroff -f
