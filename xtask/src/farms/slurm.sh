#!/bin/sh
# Runs deploy/slurm under a real scheduler on this machine: three nodes, one of them down, boards.txt in all six orders,
# all on one power supply. A job must run on its board only, and a job whose board is down must wait without blocking others.
# Exit status 77: Slurm or munge is not installed (Debian: slurm-wlm, munge). Needs root.
set -eu
checkout=$(realpath "$(dirname "$0")/../../..")
for program in slurmctld slurmd sbatch munged; do
    command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
done
place=$(mktemp -d)
cd "$place"
finish() {
    scancel --user="$(id -un)" 2>/dev/null || true
    cat ./*.pid 2>/dev/null | xargs -r kill 2>/dev/null || true
    cd /
    # The scheduler writes its state when it ends.
    for _ in 1 2 3 4 5; do
        rm -rf "$place" 2>/dev/null && break
        sleep 1
    done
}
trap finish EXIT

chmod 755 "$place"
# The command of the document.
sed -n '/^while read/,/^done/p' "$checkout/docs/farms.md" >submit
cp "$checkout/deploy/slurm/sbc-bench.sbatch" .
mkdir munge
dd if=/dev/urandom of=munge/key bs=1024 count=1 2>/dev/null
chmod 600 munge/key
munged --key-file="$place/munge/key" --socket="$place/munge/socket" --pid-file="$place/munged.pid" \
    --log-file="$place/munge/log" --seed-file="$place/munge/seed" --force 2>/dev/null
host=$(hostname -s)
cat >slurm.conf <<CONF
ClusterName=boards
SlurmctldHost=$host(127.0.0.1)
AuthInfo=socket=$place/munge/socket
SlurmUser=root
SlurmdUser=root
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SlurmctldPidFile=$place/controller.pid
SlurmdPidFile=$place/%n.pid
SlurmdSpoolDir=$place/spool-%n
StateSaveLocation=$place/state
SlurmctldLogFile=$place/controller.log
SlurmdLogFile=$place/%n.log
SlurmctldPort=16817
SchedulerParameters=sched_interval=1,bf_interval=1
SelectType=select/cons_tres
Licenses=psu1:1
NodeName=board-01 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001
NodeName=board-02 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002
NodeName=board-03 NodeHostname=$host NodeAddr=127.0.0.1 Port=17003
PartitionName=boards Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
mkdir state
export SLURM_CONF="$place/slurm.conf"
# Ends with the status of a degraded result.
cat >program <<'PROGRAM'
#!/bin/sh
echo "$SLURMD_NODENAME"
exit 2
PROGRAM
chmod +x program
export SBC_BENCH="$place/program"
slurmctld
for node in board-01 board-02; do slurmd -N "$node"; done
for _ in $(seq 30); do
    [ "$(sinfo --Node --noheader --states=idle | wc -l)" = 2 ] && break
    sleep 1
done

count=0
for order in "1 2 3" "1 3 2" "2 1 3" "2 3 1" "3 1 2" "3 2 1"; do
    for number in $order; do echo "board-0$number psu1"; done >boards.txt
    sh -eu submit >/dev/null
    for _ in $(seq 60); do
        [ "$(squeue --noheader | wc -l)" = 1 ] && break
        sleep 1
    done
    waiting=$(squeue --noheader --format=%n)
    [ "$waiting" = board-03 ] || { echo "$order: the job of board-03 alone has to wait, and these do: $waiting"; cat ./*.log; exit 1; }
    for board in board-01 board-02; do
        [ "$(cat "results/$board.json")" = "$board" ] || { echo "$order: no result of $board on $board"; exit 1; }
        count=$((count + 1))
    done
    scancel --user="$(id -un)"
    rm -rf results
done
echo "Slurm $(slurmd -V | cut -d' ' -f2): $count jobs ran on their boards, that of a board that is down waited"
