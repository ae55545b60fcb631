# shellcheck shell=sh
# Starts PostgreSQL, whose programs are in $1, and the hub $2.
set -e
mount -t tmpfs hub /var/lib
mkdir /mnt/pg
chown postgres /mnt/pg
cd /mnt/pg
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
as "$1/initdb" --no-sync --auth=trust --username=hub --encoding=UTF8 --locale=C -D data >/dev/null
as "$1/postgres" -D data -k /mnt/pg -c listen_addresses= -c fsync=off >/mnt/postgres.log 2>&1 &
until "$1/psql" -q -h /mnt/pg -U hub -d postgres -c 'CREATE DATABASE hub' 2>/dev/null; do sleep 0.2; done
"$2" serve --data /mnt/hub --database 'host=/mnt/pg user=hub dbname=hub' >/mnt/hub.log 2>&1 &
until grep -q Listening /mnt/hub.log; do sleep 0.2; done
"$2" token make farm --database 'host=/mnt/pg user=hub dbname=hub' >/mnt/hub.token
