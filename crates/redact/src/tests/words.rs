//! Values after keywords and at known places, in the notations of people and programs, and lines of boards in which the
//! same words have another meaning.

use super::check;

#[test]
fn words_and_options() {
    for (text, expected) in [
        ("UUID=ABCD-1234 x", "UUID=0000-0000 x"),
        ("UUID=\"01D5A0B1C2D3E4F5\"", "UUID=\"0000000000000000\""),
        ("by-uuid/ABCD-1234 -> sda1", "by-uuid/0000-0000 -> sda1"),
        ("hostname=johns-server", "hostname=redacted"),
        ("Static hostname: johns-server", "Static hostname: redacted"),
        ("curl -u alice:pw1 -s x", "curl -u redacted -s x"),
        ("curl --user alice:pw1", "curl --user redacted"),
        ("curl --proxy-user=alice:pw1", "curl --proxy-user=redacted"),
        ("MYSQL_PWD=swordfish DB_PASS='a b'", "MYSQL_PWD=redacted DB_PASS='redacted'"),
        ("sshpass -p pw ssh x", "sshpass -p redacted ssh x"),
        ("sshpass -ppw ssh x", "sshpass -predacted ssh x"),
        ("mysql -uroot -ppw db", "mysql -uroot -predacted db"),
        ("x --key=zork --key zork -key zork", "x --key=redacted --key redacted -key redacted"),
        ("x --pass zork --pin 4711", "x --pass redacted --pin redacted"),
        ("{\"pass\": \"zork\", \"token\": \"t1\"}", "{\"pass\": \"redacted\", \"token\": \"redacted\"}"),
        ("pin=4711 puk: 12345678", "pin=redacted puk: redacted"),
        ("wep_key=a1b2c3d4e5", "wep_key=redacted"),
        ("the password is zork, yes", "the password is redacted, yes"),
        ("wlan0: SSID MyHomeNet5", "wlan0: SSID redacted"),
        ("connected to network MyHomeNet5", "connected to network redacted"),
        ("BTRFS: device label JohnLabel devid 1", "BTRFS: device label redacted devid 1"),
        ("zfs pool johntank/home online", "zfs pool redacted online"),
        ("RSA SHA256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ", "RSA redacted"),
        ("port 0011.2233.4455, MAC 1111.2222.3333", "port 0000.0000.0001, MAC 0000.0000.0000"),
        ("Direct-Access     ATA      WD-WCC4E1234567 1A01", "Direct-Access     ATA      WD-000000000000 1A01"),
    ] {
        check(text, expected);
    }
}

#[test]
fn places_of_hosts_disks_and_pools() {
    for (text, expected) in [
        (
            "ip=10.0.0.1::10.0.0.2:255.255.255.0:myboardname:eth0:off\nmyboardname: up",
            "ip=0.0.0.0::0.0.0.1:255.255.255.0:redacted:eth0:off\nredacted: up",
        ),
        ("ip=[fe80::1]::::myboardname:eth0", "ip=[0000::0]::::redacted:eth0"),
        ("raspberrypi-alice login: pi\nraspberrypi-alice", "redacted login: pi\nredacted"),
        ("johns-pi login: john\nof john", "redacted login: redacted\nof redacted"),
        ("Nov 22 14:00:01 johns-pi kernel: usb\non johns-pi.", "Nov 22 14:00:01 redacted kernel: usb\non redacted."),
        (
            "2026-11-22T14:00:01.123456+00:00 johns-pi sshd[7]: x",
            "2026-11-22T14:00:01.123456+00:00 redacted sshd[7]: x",
        ),
        ("Linux johns-pi 6.1.0-18 #1 SMP", "Linux redacted 6.1.0-18 #1 SMP"),
        ("$ uname -a: Linux johns-pi 6.1.0", "$ uname -a: Linux redacted 6.1.0"),
        ("hostname=johns-pi.example.org\njohns-pi", "hostname=redacted\nredacted"),
        ("john@johns-pi:~$ ls\nto johns-pi", "redacted@redacted:~$ ls\nto redacted"),
        ("/mnt/johnsdisk/x\njohnsdisk is full", "/mnt/redacted/x\nredacted is full"),
        ("/media/alice/KEYS-OF-A x KEYS-OF-A", "/media/redacted/redacted x redacted"),
        ("/dev/johnvg/root and johnvg", "/dev/redacted/redacted and redacted"),
        ("/dev/mapper/johnvg-root on / type ext4", "/dev/mapper/redacted on / type ext4"),
        ("/dev/zvol/johnpool/swap", "/dev/zvol/redacted/redacted"),
        ("johnpool/home on /home type zfs (rw)", "redacted on /home type zfs (rw)"),
        ("johnpool /x zfs rw 0 0\njohnpool", "redacted /x zfs rw 0 0\nredacted"),
        ("x --password hunter2s\nhunter2s", "x --password redacted\nredacted"),
        ("Serial: AB12CD34EF56\nof AB12CD34EF56", "Serial: 000000000000\nof 000000000000"),
        ("SSID: My Net\njoined My Net.", "SSID: redacted\njoined redacted."),
    ] {
        check(text, expected);
    }
}

/// The same words and shapes in logs of boards.
#[test]
fn figures_and_devices_stay() {
    for stays in [
        "openssl speed -evp aes-256-cbc -elapsed -seconds 3",
        "7zz b -mmt1 ; stress-ng --cpu 4 -t 60 ; powercap-info -p intel-rapl",
        "taskset -c 0 cpuminer --benchmark -p x",
        "ps -u root ; docker run -u 1000:1000 ; sort --key=2,2n --key 3",
        "systemctl --user start x ; PWD=/root ; pass=2 passes=3 2pass=x",
        "pin=17 gpio pin 4711 PIN-5, pinctrl: pin 14 (gpio0-14)",
        "cfg80211_rtw_add_key(wlan0) key_len=16, key_index=1 key_mask(0) keyid(2)",
        "set group key camid:5, type:AES ; key: performance",
        "audit: key=(null) hostname=? addr=? terminal=?",
        "brcmfmac: SSID not found ; ssid scan failed ; SSID len=4 ESSID: off/any",
        "volume name is missing ; Filesystem volume name: <none>",
        "UUID: not set ; uuid=(null)",
        "Linux version 6.1.0 ; Linux Mint 21.2.1 ; Arch Linux ARM 6.1.0 ; Linux 5.10.160-rk35xx #1",
        "Last login: Mon Nov 22 14:00:01 2026",
        "Mon Nov 22 14:00:01 UTC 2026",
        "Nov 22 14:00:01 raspberrypi kernel: x",
        "raspberrypi login: pi",
        "ip=dhcp zip=a:b:c:d:e ip=::::orangepi5:eth0:dhcp",
        "/dev/disk/x /dev/snd/pcmC0D0p /dev/dri/card0 /dev/input/event0 /dev/bus/usb/001",
        "/dev/mmcblk0p2 on / type ext4 ; /dev/nvme0n1p1 /dev/sda1",
        "/mnt /mnt/ssd /mnt/nvme0n1p1 /mnt/usb1 /mnt/data2",
        "zfs: module loaded ; modprobe zfs",
        "2023.1001.0101 1.2.3 5.10.160-rk 2011.2233.4455",
        "Direct-Access     ATA      WDC WD10EZEX-08W 1A01 PQ: 0 ANSI: 5",
        "   From  :   To\n            : 534000000132000000019680000002736000000   time(ms)",
        "version 82f3750a65fadae9a38077e3c2e217ad158c8d54 (clean) (release) (start_cd)",
        "  ThreadX: 82f3750a65fadae9a38077e3c2e217ad158c8d54 / Mar 17 2023 10:53:00",
        "[    1.2] EXT4-fs (sdf6): mounted, 2 hugepages_free",
        "[    1.2] raspberrypi-firmware soc:firmware: Firmware hash is 82f3750a65fadae9a38077e3c2e217ad158c8d54",
        "[    1.234567] cpu cpu4: pvtm=1528, volt sel: 4, OPP 2400 MHz at 987500 uV, SoC v1.2-rc3-00344-gc5c17547b778",
        "[    1.234567] mmc0: new HS400 MMC card at address 0001, mmcblk0boot0 4.00 MiB, nvme0n1p1, sun50iw9p1, 0xffff80000a3bbd90",
        "> [   12.345678] pc : regmap_read+0x1c/0x2f8 lr : 0000007f7d5c04f0 Comm: openssl Tainted: G        W  O      6.1.43-rk2312",
        "kern  :warn  : [    1.234567] thermal thermal_zone0: critical temperature reached (105 C)",
        "Thermal source: /sys/devices/virtual/thermal/thermal_zone0/ (cpu-thermal)",
        "Cpufreq OPP: 1800    Measured: 1796 (1797.9/1796.2/1795.8)",
    ] {
        check(stays, stays);
    }
}

/// Thousands of values are searched in one pass.
#[test]
fn many_values_are_looked_for_once() {
    let lines = (0..20_000).map(|n| format!("token=secret{n}a x secret{n}a\n"));
    let text: String = lines.collect();
    let out = super::Redactor::default().text(&text);
    assert!(!out.contains("secret"), "{}", &out[..200]);
}
