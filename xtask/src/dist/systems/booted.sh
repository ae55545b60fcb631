#!/bin/sh
# Runs a command as on a system that systemd has started, and prints the calls of systemctl. Only those that change links are
# made, because nothing runs. rpm sets PATH for scripts of packages, so the program itself is replaced, in this namespace.
set -eu
# A folder that rpm does not hide from scripts, as it does /tmp.
stub=$(mktemp -d /package/stub.XXXXXX)
mkdir "$stub/true"
cp /usr/bin/systemctl "$stub/true/systemctl"
cat >"$stub/systemctl" <<STUB
#!/bin/sh
echo "systemctl \$*" >>"$stub/calls"
case " \$* " in
*" disable "*) SYSTEMD_OFFLINE=1 exec "$stub/true/systemctl" "\$@" ;;
esac
STUB
chmod 755 "$stub" "$stub/systemctl"
mkdir -p /run/systemd/system
mount --bind "$stub/systemctl" /usr/bin/systemctl
status=0
"$@" || status=$?
umount /usr/bin/systemctl
cat "$stub/calls"
rm -r "$stub"
rmdir -p --ignore-fail-on-non-empty /run/systemd/system
exit "$status"
