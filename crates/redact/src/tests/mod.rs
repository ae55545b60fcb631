//! Redacted and kept texts, and consistency of replacements.

mod words;

use super::*;

fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::default().text(text), expected, "{text}");
}

#[test]
fn line_that_was_plain_is_blanked_once_its_name_is_known() {
    let mut redactor = Redactor::default();
    for _ in 0..2 {
        assert_eq!(redactor.line("up on johns-pi"), "up on johns-pi");
    }
    redactor.know_host("johns-pi");
    assert_eq!(redactor.line("up on johns-pi"), "up on redacted");
    assert_eq!(redactor.line("disk of the day"), "disk of the day");
    redactor.line("by-label/disk of the day");
    redactor.line("by-label/disk-of-the-day");
    assert_eq!(redactor.line("on disk-of-the-day"), "on redacted");
    assert_eq!(redactor.counts().values().sum::<u32>(), 4);
}

#[test]
fn addresses_and_identifiers() {
    check("mac DC:A6:32:01:02:03.", "mac 00:00:00:00:00:00.");
    check("a 3f2504e0-4f89-11d3-9a0c-0305e82c3301 b", "a 00000000-0000-0000-0000-000000000000 b");
    check("PARTUUID=6c586e13-02", "PARTUUID=00000000-00");
    check("hid-aa:bb:cc:dd:ee:01-battery", "hid-00:00:00:00:00:00-battery");
    check("01-dc-a6-32-01-02-03", "00-00-00-00-00-00-00");
    check("by-uuid-3f2504e0-4f89-11d3-9a0c-0305e82c3301", "by-uuid-00000000-0000-0000-0000-000000000000");
    check("id 0123456789abcdef0123456789abcdef", "id 00000000000000000000000000000000");
    check("inet 192.168.178.20/24 fe80::1a2b:3c4d", "inet 0.0.0.0/24 0000::0000:0001");
    check("enx001122334455: link up", "enx000000000000: link up");
    // The same address twice, and another one.
    check(
        "11:22:33:44:55:66 11:22:33:44:55:67 11:22:33:44:55:66",
        "00:00:00:00:00:00 00:00:00:00:00:01 00:00:00:00:00:00",
    );
    for stays in [
        "0-3,8 12:34 2024-05-06 12:34:56",
        "0000:01:00.0: PCI bridge",
        "127.0.0.1:9478 0.0.0.0",
        "version 10.24.1.3",
        "std::vector a::b",
        "5.10.160-rk35xx",
        "2:4:8",
        "ffffffff,ffffffff",
        "MemTotal:  8000000 kB",
        "1.2.3.4.5",
        "",
    ] {
        check(stays, stays);
    }
}

#[test]
fn names_and_serial_numbers() {
    check("Serial\t\t: 10000000abcdef01", "Serial\t\t: 0000000000000000");
    check("usb 3-1: SerialNumber: AB12CD", "usb 3-1: SerialNumber: 000000");
    check("serialno=abc123 Serial Number: X-9, y", "serialno=000000 Serial Number: 0-0, y");
    check("/dev/disk/by-id/ata-Samsung_S5Y2NG0R", "/dev/disk/by-id/redacted");
    check("mount /media/alice/KEYS: ok", "mount /media/redacted/redacted: ok");
    check("/home\u{2f}wonderland/bin of wonderland", "/home\u{2f}redacted/bin of redacted");
    check("https://me:pass@example.org/x", "https://redacted@redacted/x");
    check("Linux version 6.1 (me@laptop) (gcc)", "Linux version 6.1 (redacted@redacted) (gcc)");
    check(
        "Linux 5.10 (snowwhite) \t05/12/23 \t_aarch64_\t(8 CPU)\nsnowwhite: x",
        "Linux 5.10 (redacted) \t05/12/23 \t_aarch64_\t(8 CPU)\nredacted: x",
    );
    check("> Linux 5.10 (snowwhite) \t_aarch64_\t(8 CPU)", "> Linux 5.10 (redacted) \t_aarch64_\t(8 CPU)");
    for stays in [
        "mmc@fe320000 ufshc@1d84000 soc@0",
        "Linux version 6.1 (debian-kernel@lists.debian.org)",
        "cpuminer by tpruvot@github",
        "Linux version 6.6 (build@armbian)",
        "Linux 5.10 (raspberrypi) \t05/12/23\t(8 CPU)\nraspberrypi,4-model-b",
        "Serial: 8250/16550 driver, 4 ports",
        "console=serial0,115200",
        "program_serial_random=1",
        "plymouth.ignore-serial-consoles",
        "sysbench@1 CPU @ 1.80GHz",
    ] {
        check(stays, stays);
    }
}

#[test]
fn secrets_named_by_a_key() {
    for (text, expected) in [
        ("Serial number 10000000abcdef01", "Serial number 0000000000000000"),
        ("ID_SERIAL_SHORT=4C53", "ID_SERIAL_SHORT=0000"),
        ("serial#=AB-1", "serial#=00-0"),
        ("hci0: BD address aabbccddeeff", "hci0: BD address 000000000000"),
        ("cmd=\"x --password=a b\"", "cmd=\"x --password=redacted b\""),
        ("x --token t1, --secret s1", "x --token redacted, --secret redacted"),
        ("{\"psk\": \"my own\"}", "{\"psk\": \"redacted\"}"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer redacted"),
        ("wlan0: SSID=\"My Net\", x", "wlan0: SSID=\"redacted\", x"),
        ("\tSSID: My Net", "\tSSID: redacted"),
        ("(SSID='Net' freq=2437 MHz)", "(SSID='redacted' freq=2437 MHz)"),
        ("IMEI 356938035643809.", "IMEI 000000000000000."),
        ("LU WWN Device Id: 5 0014ee 2b1234567", "LU WWN Device Id: 0 000000 000000000"),
        ("IEEE EUI-64:   002538 5b21404b5c", "IEEE EUI-64:   000000 0000000000"),
        ("Asset Tag: Alice 7", "Asset Tag: redacted"),
        ("nfs: server files.home not responding", "nfs: server redacted not responding"),
        ("SoC UID: 5C3B2A1D0F0E0C0B", "SoC UID: 0000000000000000"),
        ("Accepted publickey for alice from x\nalice's", "Accepted publickey for redacted from x\nredacted's"),
    ] {
        check(text, expected);
    }
    for stays in [
        "serial 00:05: ttyS0 at I/O 0x3f8 is a 16550A",
        "serial fe650000.serial: unable to get clock",
        "serial number is not set",
        "serial8250: ttyS0",
        "systemd-ask-password-console.path: Changed",
        "Started Forward Password Requests to Plymouth.",
        "password: ",
        "passwd: files systemd",
        "max_tokens=100 token=no",
        "iommu: Default domain type: identity",
        "wlan0 ESSID:off/any scan_ssid=1",
        "bssid is not known",
        "mac 5.10 supports",
        "chip id 0x2711, Chip ID: 0x2710",
        "Asset Tag: Not Specified",
        "Asset Tag: Fill By OEM",
        "WWN is not supported",
        "nfs: server",
    ] {
        check(stays, stays);
    }
}

/// A long line with thousands of keywords is scanned once.
#[test]
fn endless_lines_are_gone_through_once() {
    for word in ["mac:", "asset tag: no ", "psk=--", "ssid=\"", "wwn ", "LOGNAME=", "serial number x"] {
        let line = word.repeat((1 << 16) / word.len());
        Redactor::default().text(&line);
    }
    // A long secret is redacted completely.
    let token = "t0".repeat(2000);
    check(&format!("token={token} x"), "token=redacted x");
}

#[test]
fn secrets_known_by_their_shape() {
    let key = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg";
    let pem = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo";
    for (text, expected) in [
        ("wwn-0x5000c500a1b2c3d4-part1", "wwn-0x0000000000000000-part1"),
        ("nvme-eui.0025385b21404b5c", "nvme-eui.0000000000000000"),
        ("iBFT iqn.2001-04.com.example:x", "iBFT iqn.redacted"),
        ("scrub ata-X_870_S5Y2NG0R123456-part1", "scrub ata-redacted"),
        ("at \\\\nas01\\share, //nas/share", "at \\\\redacted\\redacted, //redacted/redacted"),
        ("nas:/volume on /mnt type nfs4", "redacted:/redacted on /mnt type nfs4"),
        ("laptop.fritz.box: up", "redacted.fritz.box: up"),
        ("call +4915112345678", "call +0000000000000"),
        ("port aabb.ccdd.ee12", "port 0000.0000.0000"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1 x", "ssh-ed25519 redacted redacted"),
        (&format!("peer {key}= PublicKey={key}="), "peer redacted PublicKey=redacted"),
        (&format!("RSA SHA256:{key}"), "RSA redacted"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "redacted"),
        (pem, "redacted"),
    ] {
        check(text, expected);
    }
    for stays in [
        "mmc-ddr-1_8v mmc-hs200-1_8v usb-xhci_hcd usb-storage",
        "/etc/rc.local rc.local ~/.local/share localhost.localdomain",
        "//sys/devices/x // a comment",
        "https://example.org/a/b",
        "NFS: Registering the id_resolver key type",
        "x=/usr/lib:/lib nfsd",
        "+0200 +1000 a+4915112345678",
        "2023.1001.0101 1.2.3 5.10.160-rk",
        "/usr/lib/aarch64-linux-gnu/libstdc++.so.6.0.28.aaaaaaaaaaaaaaaaaaaa",
        "BogoMIPS\t: 108.00",
        "dev-disk-by\\x2dlabel\\x2dx.swap",
    ] {
        check(stays, stays);
    }
}

#[test]
fn kernel_command_line_allow_list() {
    let text = "console=serial0,115200 androidboot.serialno=abc123 smsc95xx.macaddr=DC:A6:32:01:02:03 \
                root=PARTUUID=6c586e13-02 bcm2708_fb.fbwidth=0 systemd.hostname=mine quiet mitigations=off \
                resume=/dev/disk/by-id/ata-X root=LABEL=mine root=/dev/mmcblk0p2 cifsroot=//srv/x,username=me secretword \
                systemd.machine_id=0123456789abcdef0123456789abcdef usb-storage.quirks=152d:0578:u my.flag=y my.number=12";
    assert_eq!(
        Redactor::default().cmdline(text),
        "console=serial0,115200 androidboot.serialno=redacted smsc95xx.macaddr=redacted root=PARTUUID=00000000-00 \
         bcm2708_fb.fbwidth=0 systemd.hostname=redacted quiet mitigations=off resume=/dev/redacted \
         root=LABEL=redacted root=/dev/mmcblk0p2 cifsroot=redacted redacted systemd.machine_id=redacted \
         usb-storage.quirks=152d:0578:u my.flag=y my.number=12"
    );
}

#[test]
fn mount_allow_list() {
    let text = "21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw,discard\n\
                22 1 8:1 / /media/alice/KEYS rw - ext4 /dev/sda1 rw,user_id=0\n\
                23 1 0:50 / /mnt/nas rw - cifs //nas/alice rw,username=alice,domain=HOME\n\
                24 1 0:5 / /proc rw - proc proc rw\n\
                25 1 253:0 /@alice /home rw - btrfs /dev/mapper/alice--vg-home rw\n\
                26 1 0:40 / /var/log rw - tmpfs log2ram rw,size=40M\nbroken\n";
    assert_eq!(
        Redactor::default().mountinfo(text),
        "21 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw,discard\n\
         22 1 8:1 / /media/redacted rw - ext4 /dev/sda1 rw\n\
         25 1 253:0 /redacted-1 /home rw - btrfs /dev/redacted rw\n\
         26 1 0:40 / /var/log rw - tmpfs redacted rw\n"
    );
}

#[test]
fn allow_lists_of_other_files() {
    let mut redactor = Redactor::default();
    let config = "# by alice\n[pi4]\narm_boost=1 # fast\n[0x12345678]\ndecode_MPG2=0x1234abcd\nmy_name=alice\ndtparam=audio=on\n";
    assert_eq!(
        redactor.config_txt(config),
        "[pi4]\narm_boost=1\n[0x0]\ndecode_MPG2=redacted\nmy_name=redacted\ndtparam=audio=on\n"
    );
    assert_eq!(redactor.counts().get(&Kind::Key), Some(&1));
    let groups = "1:cpu:/docker/0123abcd\n0::/system.slice/alice.service\n";
    assert_eq!(redactor.control_groups(groups), "1:cpu:/docker/redacted\n0::/system.slice/redacted\n");
    let swaps = "Filename\tType\n/home\u{2f}alice/swap file 10 0 -2\n/dev/zram0 partition 10 0 5\n";
    let swaps = redactor.swaps(swaps);
    assert!(
        swaps.contains("/home\u{2f}redacted") && swaps.contains("/dev/zram0 partition") && !swaps.contains("alice"),
        "{swaps}"
    );
}

proptest::proptest! {
    #[test]
    fn redaction_is_idempotent_and_never_panics(text in "(\\PC|[0-9a-f:\\- \n@/=.]|serial|/home\u{2f}|LABEL=){0,60}") {
        let once = Redactor::default().text(&text);
        proptest::prop_assert_eq!(once.lines().count(), text.lines().count());
        let mut redactor = Redactor::default();
        redactor.cmdline(&text);
        redactor.mountinfo(&text);
        redactor.swaps(&text);
        redactor.config_txt(&text);
        redactor.control_groups(&text);
    }

    #[test]
    fn addresses_are_always_redacted(bytes: [u8; 6], before in "[a-z]{0,3}[-_ ./(]", after in "[-_ .,)]") {
        let mac: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mac = mac.join(":");
        proptest::prop_assume!(mac.chars().any(|c| !"0f:".contains(c)));
        let out = Redactor::default().text(&format!("{before}{mac}{after}"));
        proptest::prop_assert!(!out.contains(&mac), "{}", out);
    }
}

/// A line of one word, repeated, does not overflow the stack of a thread of the hub (2 MiB), and keeps its shape.
#[test]
fn repeated_words_in_one_line_are_redacted() {
    let words = [
        "/home\u{2f}",
        "/home\u{2f}a ",
        "/mnt/a ",
        "/media/",
        "a@b ",
        "1.2.3.4:",
        "fe80::1:",
        "://a:b@",
        "02:aa:bb:cc:dd:01-",
        "01234567-89ab-cdef-0123-456789abcdef-",
        "[ 1.0] ",
        "ip=",
        "/dev/",
        "\\Users\\a",
        "Alice's Pods ",
        "48\u{b0}08' ",
        "-----BEGIN ",
        "$GPGGA,",
        "devid 1 label a ",
        "user=a ",
        "C\\\\h\\s ",
    ];
    let all = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for word in words {
            let line = word.repeat(64 * 1024 / word.len());
            assert!(Redactor::default().line(&line).len() >= line.len() / 4, "{word}");
        }
    });
    all.unwrap().join().unwrap();
}
