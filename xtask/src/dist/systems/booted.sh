#!/bin/sh
# Runs a command as on a system that systemd has started, and prints the calls of systemctl. Only those that change links are
# made, because nothing runs.
set -eu
stub=$(mktemp -d)
cat >"$stub/systemctl" <<STUB
#!/bin/sh
echo "systemctl \$*" >>"$stub/calls"
case " \$* " in
*" disable "*) SYSTEMD_OFFLINE=1 exec /usr/bin/systemctl "\$@" ;;
esac
STUB
chmod 755 "$stub" "$stub/systemctl"
mkdir -p /run/systemd/system
status=0
PATH="$stub:$PATH" "$@" || status=$?
cat "$stub/calls"
rm -r "$stub"
rmdir -p --ignore-fail-on-non-empty /run/systemd/system
exit "$status"
