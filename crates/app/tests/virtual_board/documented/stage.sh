#!/bin/bash
# The place where a documented line runs: state, logs and programs of its own in the board's mount
# namespace. $1 is the folder with programs and for results, $2 the program, $3 the line.
set -e
here=$1 line=$3
mkdir -p /var/lib/sbc-bench
for folder in /var/lib/sbc-bench /var/log /srv; do mount -t tmpfs -o mode=0755 tmpfs "$folder"; done
mkdir -p /srv/bin /srv/home /srv/desk
cp -a "$here"/bin/. /srv/bin/
ln -s "$2" /srv/bin/the-program
# The original documents use this name.
ln -s sbc-bench /srv/bin/sbc-bench.sh
ln -s /srv/bin/sbc-bench /srv/desk/sbc-bench.sh
cd /srv/desk
export HOME=/srv/home PATH=/srv/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin SAID="$here/stderr"
# Readings of clocks, heating and pauses are an eighth as long: what a line does counts here, not how well it is known.
export SBC_BENCH_FAULTS_HASTE=8
set +e
bash -c "$line" >"$here/stdout" 2>"$here/stderr" </dev/null
echo $? >"$here/status"
cat /var/log/sbc-bench.log >"$here/log" 2>/dev/null
cat /var/log/sbc-bench.json >"$here/log.json" 2>/dev/null
exit 0
