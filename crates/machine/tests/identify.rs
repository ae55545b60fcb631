//! Identifies every board of `boards/` and the running system. The expected output is one screen of text for each
//! board, in `tests/identify/NAME.txt`; `UPDATE_EXPECT=1 cargo test` updates it.

use crate::files;
use machine::{Root, Texts, identify, root_of_texts, state};
use record::{Cpu, Fact, Machine, Policy, Residency};
use std::fmt::{Display, Write};
use std::path::Path;

fn load(name: &str) -> Root {
    let text = testkit::board(name);
    Root::from_board(&text).unwrap_or_else(|(line, text)| panic!("{name} line {line}: {text}"))
}

#[test]
fn every_board_is_identified() {
    for name in testkit::boards() {
        let root = load(&name);
        let mut text = render(&identify(&root));
        let state = state(&root, 0);
        writeln!(text, "online: {}", list(&state.online_cpus)).unwrap();
        for swap in state.swaps.known().into_iter().flatten() {
            let (path, used) = (&swap.path, swap.used_kib);
            writeln!(text, "swap: {path} {:?} {} KiB, {used} used", swap.kind, swap.size_kib).unwrap();
        }
        for Residency { cpus, khz_ms } in &state.residencies {
            let times: Vec<String> = khz_ms.iter().map(|(khz, ms)| format!("{khz}:{ms}")).collect();
            writeln!(text, "residency {}: {}", list(cpus), times.join(" ")).unwrap();
        }
        expect_test::expect_file![format!("{}/tests/identify/{name}.txt", env!("CARGO_MANIFEST_DIR"))]
            .assert_eq(&readable(&text));
    }
}

/// Identification from the text alone, as in a browser, gives the same machine.
#[test]
fn texts_alone_are_identified_like_roots() {
    for name in testkit::boards() {
        let board = identify::BoardFile::parse(&testkit::board(&name)).unwrap();
        // Supplies are read by the survey, not by identification.
        let read = machine::identify(&load(&name));
        assert_eq!(identify::identify(&board), record::Machine { supplies: Vec::new(), ..read }, "{name}");
    }
    let composed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests/composed/cpuinfo");
    let published = files::corpus().map(|corpus| corpus.join("more/results/cpuinfo"));
    for path in [composed].into_iter().chain(published).flat_map(|folder| folder.read_dir().unwrap()) {
        let path = path.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let texts = Texts { cpuinfo: Some(&bytes), ..Texts::default() };
        assert!(identify::is_cpuinfo(&String::from_utf8_lossy(&bytes)), "{}", path.display());
        assert_eq!(identify::identify(&texts.machine()), machine::identify(&root_of_texts(None, &texts)));
    }
}

/// Replaces control characters of hostile boards, so that the file can be displayed.
fn readable(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let plain = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
        plain.take(1000).collect::<String>() + "\n"
    });
    lines.collect()
}

#[test]
fn clusters_follow_core_types_and_policies() {
    for (name, expected) in [
        ("rk3588", &["0-3", "4-5", "6-7"][..]),
        ("rk3399", &["0-3", "4-5"]),
        ("raspberry-pi-3", &["0-3"]),
        ("x86-hybrid-laptop", &["0-7", "8-15"]),
        ("server-96-cores", &["0-95"]),
        ("ryzen-32-policies", &["0-30"]),
        ("cix-p1", &["0-1", "2-5", "6-7", "8-9", "10-11"]),
        ("spacemit-k1", &["0-7"]),
        ("beaglebone-black", &["0"]),
        ("nothing", &[]),
    ] {
        let machine = identify(&load(name));
        let clusters: Vec<String> = machine.clusters.iter().map(|c| list(&c.cpus)).collect();
        assert_eq!(clusters, expected, "{name}");
    }
}

#[test]
fn two_policies_of_one_cpu_each_are_two_clusters() {
    let policy = |number: u32, opps: &str| {
        let folder = format!("/sys/devices/system/cpu/cpufreq/policy{number}");
        format!("== {folder}/related_cpus\n{number}\n== {folder}/scaling_available_frequencies\n{opps}\n")
    };
    // The host's cpuinfo is visible: both cores look the same.
    let board = format!(
        "== /sys/devices/system/cpu/present\n0-1\n== /proc/cpuinfo\nprocessor : 0\nmodel name : x\n\n\
         processor : 1\nmodel name : x\n{}{}",
        policy(0, "408000 1416000"),
        policy(1, "408000 2016000")
    );
    let machine = identify(&Root::from_board(&board).unwrap());
    let policies: Vec<_> = machine.clusters.iter().map(|c| c.policy).collect();
    assert_eq!(policies, [Some(0), Some(1)]);
}

#[test]
fn unreadable_facts_have_reasons() {
    let machine = identify(&load("nothing"));
    let json = serde_json::to_value(&machine).unwrap();
    for (name, value) in json.as_object().unwrap() {
        let empty = value.as_array().is_some_and(Vec::is_empty);
        assert!(empty || value.get("missing").is_some(), "{name}: {value}");
    }
}

#[test]
fn running_system_is_identified() {
    let machine = identify(&Root::system());
    assert!(!machine.cpus.is_empty() && !machine.clusters.is_empty());
    let clustered: usize = machine.clusters.iter().map(|c| c.cpus.len()).sum();
    let online = machine.cpus.iter().filter(|cpu| cpu.online).count();
    assert!(clustered >= online, "every online CPU is in a cluster");
    assert!(machine.kernel_release.known().is_some());
    assert!(machine.memory_kib.known().is_some_and(|kib| *kib > 0));
    assert!(machine.page_size_bytes.known().is_some_and(|bytes| bytes.is_power_of_two()));
    assert!(!state(&Root::system(), 0).online_cpus.is_empty());
}

/// One screen of text that shows whether everything was parsed.
fn render(machine: &Machine) -> String {
    let mut out = String::new();
    line(&mut out, "board", &machine.board);
    line(&mut out, "soc", &machine.soc);
    writeln!(out, "compatible: {}", machine.compatible.join(" ")).unwrap();
    for value in machine.firmware.iter().chain(&machine.features) {
        writeln!(out, "  {} = {}", value.name, value.value).unwrap();
    }
    let mut cpus = machine.cpus.iter().peekable();
    while let Some(first) = cpus.next() {
        // Neighbours that differ only in their numbers share a line.
        let mut numbers = vec![first.cpu];
        while let Some(next) = cpus.next_if(|next| describe(next) == describe(first)) {
            numbers.push(next.cpu);
        }
        writeln!(out, "cpu {}: {}", list(&numbers), describe(first)).unwrap();
    }
    for cluster in &machine.clusters {
        let policy = cluster.policy.map_or("-".into(), |policy| policy.to_string());
        let name = fact(&cluster.core_type);
        writeln!(out, "cluster {}: {name}, policy {policy}", list(&cluster.cpus)).unwrap();
    }
    let mut last = String::new();
    for policy in &machine.policies {
        let text = describe_policy(policy);
        if text != last {
            writeln!(out, "policy {} of {}: {text}", policy.policy, list(&policy.cpus)).unwrap();
        }
        last = text;
    }
    line(&mut out, "memory", &machine.memory_kib);
    line(&mut out, "zswap", &machine.zswap);
    line(&mut out, "kernel", &machine.kernel_release);
    line(&mut out, "cmdline", &machine.kernel_cmdline);
    line(&mut out, "arch", &machine.kernel_arch);
    line(&mut out, "userland", &machine.userland_arch);
    line(&mut out, "page size", &machine.page_size_bytes);
    line(&mut out, "distribution", &machine.distribution);
    line(&mut out, "build system", &machine.build_system);
    line(&mut out, "virtualisation", &machine.virtualisation);
    out
}

fn describe(cpu: &Cpu) -> String {
    let caches: Vec<String> = cpu
        .caches
        .iter()
        .map(|cache| {
            let (level, kind) = (cache.level, &cache.kind[..1]);
            format!("L{level}{kind} {}K/{}", cache.size_bytes >> 10, cache.shared_cpus.len())
        })
        .collect();
    format!(
        "{}{} {}, package {}, {} siblings, capacity {}, {}, {}",
        if cpu.online { "" } else { "off, " },
        fact(&cpu.core_type),
        fact(&cpu.stepping),
        cpu.package,
        cpu.siblings.len(),
        cpu.capacity.known().map_or("-".into(), u32::to_string),
        if caches.is_empty() { "no caches".to_owned() } else { caches.join(" ") },
        cpu.features.join(" "),
    )
}

fn describe_policy(policy: &Policy) -> String {
    let opps: Vec<String> = policy.opps_khz.iter().map(u32::to_string).collect();
    format!(
        "{} {} ({}), {}..{}, limits {}..{}, OPPs {}",
        fact(&policy.driver),
        fact(&policy.governor),
        policy.governors.join(" "),
        fact(&policy.clock_khz_min),
        fact(&policy.clock_khz_max),
        fact(&policy.limit_khz_min),
        fact(&policy.limit_khz_max),
        if opps.is_empty() { "-".to_owned() } else { opps.join(" ") },
    )
}

fn line(out: &mut String, name: &str, value: &Fact<impl Display>) {
    writeln!(out, "{name}: {}", fact(value)).unwrap();
}

fn fact(value: &Fact<impl Display>) -> String {
    match value {
        Fact::Known(value) => value.to_string(),
        Fact::Missing { missing } => format!("({missing})"),
    }
}

fn list(cpus: &[u32]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[test]
fn no_sensor_of_a_board_is_taken_for_its_input() {
    let mut found = 0;
    for name in testkit::boards() {
        let sampler = machine::Sampler::new(&load(&name), &machine::SamplerOptions::default());
        for channel in sampler.channels().iter().filter(|channel| channel.is_power()) {
            let sensor = record::PowerSensor::of(channel);
            assert!(!sensor.role.is_whole(), "{name}: {} {:?}", channel.id, channel.label);
            found += 1;
        }
    }
    assert!(found > 0);
}
