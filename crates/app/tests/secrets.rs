//! A board with a secret in every file that is read: none of them is in its snapshot, and none in Record, stream,
//! recording and log once they were blanked.

use logs::redact::redact;
use machine::{Root, Sampler, SamplerOptions, Timeline};
use record::{
    Event, Fact, Failure, FailureKind, Invocation, KernelMessage, Mode, Outcome, Record, Run, Source, Step, Tool,
};
use std::path::PathBuf;

/// Secrets in small letters.
const SECRETS: [&str; 36] = [
    "de:ad:5e:c2:e7:01",
    "dead5ec2e701",
    "203.0.113.77",
    "2001:db8::5ec2",
    "5ec2e700-1111",
    "5ec2e7015ec2e701",
    "wonderland",
    "snowwhite",
    "plantedser",
    "plantedlabel",
    "plantedpassword",
    "plantedword",
    "5ec2e701-02",
    "plantedkey",
    "plantednet",
    "plantedhost",
    "plantedshare",
    "plantedtag",
    "alicemiller",
    "dead5ec2e702",
    "dead.5ec2.e703",
    "5000c5005ec2e701",
    "0025385b5ec2e701",
    "5000c5 05ec2e7",
    "002538 5b5ec2e7",
    "5ec2e7015ec2e7f1",
    "356938035643809",
    "8949000005643809001",
    "262015643809001",
    "4915156438090",
    "a502855ec2",
    "5ec2-e704",
    "5ec2.7018.0001",
    "wd-wcc5ec2",
    "plantedpool",
    "470815",
];
/// Put behind the content of any text file.
const LINE: &str = "HWaddr de:ad:5e:c2:e7:01 on enxdead5ec2e701 inet 203.0.113.77/24 2001:db8::5ec2 id \
    5ec2e700-1111-2222-3333-444455556666 machine 5ec2e7015ec2e7015ec2e7015ec2e701 PARTUUID=5ec2e701-02 by wonderland@snowwhite \
    (wonderland@snowwhite) in /home\u{2f}wonderland/x and /media/wonderland/PLANTEDLABEL SerialNumber=PLANTEDSER1AL9 \
    LABEL=PLANTEDLABEL /dev/disk/by-id/ata-X_PLANTEDSER1AL9 https://wonderland:plantedpassword@example.org/ of snowwhite";

/// More shapes that logs of boards contain, one in each line.
const SHAPES: &str = "\
    Serial number PLANTEDSER1AL900\n\
    Bluetooth: hci0: BD address dead5ec2e702\n\
    sda: wwn-0x5000c5005ec2e701 nvme-eui.0025385b5ec2e701 naa.5000c5005ec2e701\n\
    iBFT iqn.2001-04.com.example:storage.plantedshare\n\
    cmd=\"/usr/bin/x --password=plantedpassword --token plantedkey12\" psk=plantedpassword\n\
    {\"password\": \"plantedpassword\"} passphrase: plantedpassword token=plantedkey\n\
    wlan0: associated SSID=\"PlantedNet\" wifi_ssid=PlantedNet (SSID='PlantedNet 5' freq=2437 MHz) ESSID:\"PlantedNet\"\n\
    SSID: My PlantedNet\n\
    wireguard: wg0: peer public key PlantedKey5ec2e7bTIBA5rboUvnH4htodjb6e697Qj= PublicKey=PlantedKey5ec2e7bTIBA5rboUvnH4htodjb6e697Qj=\n\
    ssh-rsa AAAAB3NzaC1yc2EAAAADAQPlantedKey wonderland@snowwhite\n\
    CIFS: Attempting to mount \\\\plantedhost\\plantedshare and //plantedhost/plantedshare\n\
    NFS: server plantedhost.example.com not responding\n\
    modem: IMEI 356938035643809 iccid: 8949000005643809001 imsi=262015643809001\n\
    E: ID_SERIAL_SHORT=PLANTEDSER1AL9\n\
    LU WWN Device Id: 5 5000c5 05ec2e701\n\
    Namespace 1 IEEE EUI-64:            002538 5b5ec2e701\n\
    serial#=PLANTEDSER1AL9\n\
    Asset Tag: PLANTEDTAG 7\n\
    sshd[7]: Accepted publickey for alicemiller from 203.0.113.77 port 22: RSA SHA256:PlantedKey5ec2e7bTIBA5rboUvnH4htodjb6e697Qj\n\
    alicemiller started it\n\
    switch: port of dead.5ec2.e703 is up, call +4915156438090\n\
    Authorization: Bearer plantedkey123 ghp_plantedkey5ec2e75ec2e75ec2e75ec2e75ec2\n\
    contacted plantedhost.fritz.box and plantedhost.tail12.ts.net\n\
    plantedhost:/plantedshare on /mnt type nfs4\n\
    MIIPlantedKey5ec2e7bTIBA5rboUvnH4htodjb6e697QjLErt1NAB4mZqp8DgXY\n\
    SoC UID: 5EC2E7015EC2E7F1\n\
    scrub of usb-Generic_Flash_A502855EC2-0:0 done\n\
    UUID=5EC2-E704 hostname=plantedhost2 pin=470815\n\
    curl -u alice:plantedpassword2 --user alice:plantedpassword3 --key=plantedkey4 --key plantedkey5 --pass plantedpassword4\n\
    MYSQL_PWD=plantedpassword5 DB_PASS=plantedpassword6 sshpass -p plantedpassword7 ssh x\n\
    wlan0: SSID PlantedNet5\n\
    BTRFS: device label PlantedLabel2 devid 1 transid 5 /dev/sda1\n\
    ED25519 key fingerprint is SHA256:plantedkeyghijklmnopqrstuvwxyzABCDEFGHIJKLM\n\
    ip=203.0.113.77::203.0.113.1:255.255.255.0:plantedhost3:eth0:off\n\
    plantedhost4 login: alicemiller\n\
    Nov 22 14:00:01 plantedhost5 kernel: plantedhost3 plantedhost4 plantedhost6\n\
    Linux plantedhost6 6.1.0-18 #1 SMP PREEMPT\n\
    MAC 0ec2.7018.0001 and mac 5ec2.7018.0001\n\
    scsi 0:0:0:0: Direct-Access     ATA      WD-WCC5EC2E701\n\
    /mnt/plantedlabel3/x /dev/plantedpool1/root /dev/mapper/plantedpool2-root\n\
    plantedpool3/home on /home type zfs (rw)";

/// Files in which secrets have no shape.
const FILES: [(&str, &str); 13] = [
    ("/proc/sys/kernel/hostname", "snowwhite\n"),
    ("/proc/version", "Linux version 6.1.0 (wonderland@snowwhite) (gcc 12) #1 SMP\n"),
    (
        "/proc/cmdline",
        "root=LABEL=PLANTEDLABEL resume=/dev/disk/by-id/ata-PLANTEDSER1AL9 ds=nocloud;h=snowwhite plantedword \
        cifsroot=//snowwhite/x,username=wonderland,password=plantedpassword systemd.machine_id=5ec2e7015ec2e7015ec2e7015ec2e701 \
        ip=203.0.113.77::203.0.113.1:255.255.255.0:snowwhite smsc95xx.macaddr=de:ad:5e:c2:e7:01 console=tty1 quiet\n",
    ),
    (
        "/proc/self/mountinfo",
        "21 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw\n22 1 8:1 /wonderland /media/wonderland/PLANTEDLABEL rw - \
        ext4 /dev/mapper/PLANTEDLABEL rw\n23 1 0:4 / /mnt/plantedword rw - cifs //snowwhite/x rw,username=wonderland,addr=203.0.113.77\n\
        24 1 0:5 / /srv/plantedword rw - fuse.sshfs wonderland@snowwhite:/x rw\n25 1 8:2 / /srv/plantedword rw - ext4 /dev/sdb1 rw\n",
    ),
    (
        "/proc/swaps",
        "Filename\tType\tSize\tUsed\tPriority\n/srv/plantedword/swap file 100 0 -2\n/home\u{2f}wonderland/swap file 100 0 -3\n",
    ),
    ("/proc/1/cgroup", "1:cpu:/lxc/plantedword\n0::/lxc.payload.plantedword/snowwhite\n"),
    ("/proc/1/environ", "container=lxc\0SECRET=plantedpassword\0"),
    ("/run/.containerenv", "engine=\"podman\"\nname=\"plantedword\"\nid=\"5ec2e7015ec2e7015ec2e7015ec2e701\"\n"),
    (
        "/boot/firmware/config.txt",
        "# plantedword\n[all]\narm_boost=1\ndecode_MPG2=0xplantedkey\nwifi_psk=plantedpassword\n[0x5ec2e701]\nmy=plantedword\n",
    ),
    ("/sys/class/dmi/id/product_serial", "PLANTEDSER1AL9\n"),
    ("/sys/class/dmi/id/product_uuid", "5ec2e700-1111-2222-3333-444455556666\n"),
    ("/sys/class/power_supply/hid-de:ad:5e:c2:e7:01-battery/type", "Battery\n"),
    (
        "/dev/kmsg",
        "6,1,0,-;mmc0: new card de:ad:5e:c2:e7:01 of snowwhite\n6,2,0,-;usb 1-1: SerialNumber: PLANTEDSER1AL9\n",
    ),
];

/// A board with secrets behind the content of every text, and in the files above.
fn planted(name: &str) -> Root {
    let mut root = Root::from_board(&testkit::board(name)).unwrap();
    for (path, text) in root.board_files() {
        let is_text = !text.contains(['\0', '\u{fffd}']);
        if is_text {
            // A single value or list of words replaces a sentence.
            let shapes = if text.lines().count() > 1 { SHAPES } else { "" };
            let text = format!("{text}{LINE}\n{shapes}\n");
            root = root.with_file(&path, text.as_bytes());
        }
    }
    for (path, text) in FILES {
        root = root.with_file(path, text.as_bytes());
    }
    root
}

/// Every secret in a text, with its context.
fn found(what: &str, text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let around = |secret: &&str| {
        let at = lower.find(*secret)?;
        let line = lower[..at].matches('\n').count() + 1;
        let near: String = lower[..at].chars().rev().take(120).collect();
        let near: String = near.chars().rev().collect();
        Some(format!("{what}, line {line}: {secret} behind {near:?}"))
    };
    SECRETS.iter().filter_map(around).collect()
}

fn check(what: &str, text: &str) {
    let found = found(what, text);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn snapshot_is_redacted() {
    let mut left = Vec::new();
    for name in testkit::boards() {
        let text = machine::snapshot(&planted(&name));
        assert!(text.lines().count() > 20, "{name}");
        left.extend(found(&name, &text));
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// A Record with everything that is read of a board, and with what a user's command and its surroundings leave.
fn record_of(root: &Root) -> Record {
    let run = Run {
        mode: Mode::Command,
        boot_id: "5ec2e700-1111-2222-3333-444455556666".into(),
        options: vec!["ExecuteCommand=sh plantedword".into(), "MODE=extensive".into(), "--force".into()],
        sides: vec!["governor=performance".into(), "sh -c plantedpassword".into()],
        asked: Some(Invocation {
            command_line: vec!["run".into(), "--".into(), "--password=plantedpassword".into()],
            variables: vec!["ExecuteCommand=sh plantedword".into()],
            folder: "/home\u{2f}wonderland/plantedword".into(),
            user: Some("wonderland".into()),
        }),
        ..Run::default()
    };
    let version = String::new();
    let mut record = Record::new(Source::Run { version: "1".into(), target: "x".into() }, run);
    record.machine = machine::identify(root);
    record.surveys = vec![machine::survey(root, 0)];
    record.states = vec![machine::state(root, 0)];
    record.kernel_messages = Fact::Known(vec![KernelMessage { at_ms: Some(1), text: LINE.into(), line: None }]);
    let shapes = SHAPES.lines().map(|line| KernelMessage { at_ms: Some(2), text: line.into(), line: None });
    if let Fact::Known(messages) = &mut record.kernel_messages {
        messages.extend(shapes);
    }
    let words = ["/home\u{2f}wonderland/bin/tool", "--password", "plantedpassword"];
    let argv: Vec<String> = words.map(str::to_owned).to_vec();
    let failure = Failure {
        kind: FailureKind::ExitStatus,
        message: "tool exited with status 1.".into(),
        output_tail: "plantedword".into(),
        exit_status: Some(1),
    };
    record.steps.push(Step {
        tool: Some(Tool { name: "tool".into(), path: argv[0].clone(), version, argv }),
        ..Step::new("tool", 1, "--password plantedpassword", Outcome::Failed(failure))
    });
    let sampler = Sampler::new(root, &SamplerOptions::default());
    record.apply(sampler.channels_event());
    record
}

#[test]
fn redacted_record_has_no_secret() {
    let mut left = Vec::new();
    for name in testkit::boards() {
        let record = record_of(&planted(&name));
        let json = serde_json::to_string(&record).unwrap();
        let out = redact(json.as_bytes());
        let text = String::from_utf8(out.bytes).unwrap();
        left.extend(found(&name, &text));
        let blanked: Record = serde_json::from_str(&text).unwrap();
        assert_eq!(blanked.steps.len(), 1);
        assert_eq!(blanked.run.options[1..], record.run.options[1..]);
        assert_eq!(blanked.run.sides[0], record.run.sides[0]);
        let ids = |record: &Record| {
            let findings = rules::check(&facts::Facts::of(record));
            findings.iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(ids(&blanked), ids(&record), "{name}");
        for format in ["log", "text", "review"] {
            let report = report::find(format).unwrap();
            let text = report.text(&explain::explain(&blanked), compare::reference::Reference::builtin);
            left.extend(found(&format!("{name} {format}"), &text));
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// Both outputs of `sbc-bench redact`.
fn by_program(file: &str, content: &str) -> (String, String) {
    let path: PathBuf = std::env::temp_dir().join(format!("sbc-bench-{}-{file}", std::process::id()));
    std::fs::write(&path, content).unwrap();
    let output = crate::outcome::sbc_bench(["redact"]).arg(&path).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn redact_handles_streams_recordings_and_boards() {
    let root = planted("rk3588");
    let record = record_of(&root);
    let sampler = Sampler::new(&root, &SamplerOptions::default());
    let events = [
        Event::Machine { machine: Box::new(record.machine.clone()) },
        Event::Step { step: Box::new(record.steps[0].clone()) },
        sampler.channels_event(),
    ];
    let lines: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let stream: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let recording: String = lines.iter().map(|line| record::recording::frame(line)).collect();
    let row = record::recording::RowWriter::default().row(Timeline::start().now_ms(), [Some(5)]);
    let recording = recording + &record::recording::frame(&row);
    let header = format!("# made by wonderland@snowwhite\n{}", testkit::board("rk3588"));
    // The notation of boards has a meaning for them.
    let shapes = SHAPES.replace('\\', "\\\\");
    let board = header.replace("== /proc/cpuinfo\n", &format!("== /proc/cpuinfo\n{LINE}\n{shapes}\n"));
    let board = board + "== /proc/sys/kernel/hostname\nsnowwhite\n";
    for (file, content) in [("events.jsonl", stream.clone()), ("night.rec", recording.clone()), ("my.board", board)] {
        let (out, said) = by_program(file, &content);
        check(file, &out);
        assert!(said.contains("redacted") && said.contains("addresses"), "{said}");
        if file == "night.rec" {
            let whole = out.lines().filter_map(|line| record::recording::payload(line.as_bytes()));
            assert_eq!(whole.count(), 4, "{out}");
            assert!(out.ends_with(&record::recording::frame(&row)));
        }
        if file == "my.board" {
            assert!(Root::from_board(&out).is_ok());
        }
    }
}
