#!/bin/sh
# used.sh PROGRAM COMMAND...: runs a command as on a machine where the program is used and which is busy. Two loops take
# CPUs; /var/lib/sbc-bench has a run that died, a reference and a journal, the configuration a definition of a workload.
# Nothing of this machine changes: it is called in a mount namespace of its own (`cargo xtask test --used N`).
set -eu
program=$1
shift
state=$(mktemp -d)
loops=
trap 'kill $loops; rm -rf "$state"' EXIT
mkdir -p /var/lib/sbc-bench "$state/lib/references" "$state/config/sbc-bench/workloads.d"
mount --bind "$state/lib" /var/lib/sbc-bench
printf '[[workload]]\nname = "users"\ncommand = "echo total 12"\ncpus = "all"\nscore_regex = %s\nunit = "files/s"\nbetter = "higher"\n' \
    "'total (\\S+)'" >"$state/config/sbc-bench/workloads.d/users.toml"
export XDG_CONFIG_HOME="$state/config"
NOTUNING=yes "$program" run --force --wait 0s --repeat 1 --log "$state/lib/references/of-user.log" -- true >/dev/null 2>&1 || true
rm -rf "$state/lib/references/sbc-bench-runs"
NOTUNING=yes timeout --signal=KILL 5 "$program" run --force --wait 0s --repeat 1 -- sleep 60 >/dev/null 2>&1 || true
: >>"$state/lib/settings.journal"
for _ in 1 2; do
    sh -c 'while :; do :; done' &
    loops="$loops $!"
done
"$@"
