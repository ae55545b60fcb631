//! Words of people and customers, planted in messages of the kernel and in text of any origin, in Records and in logs:
//! none of them is left but those that `planted/kinds.tsv` says nothing tells.

#![allow(clippy::disallowed_methods)]

use logs::redact::redact;
use record::table::Table;
use record::{Fact, Failure, FailureKind, LastWords, Outcome, Record, Step, WorkloadId};
use testkit::records;

/// Words that rules, the cause of a death, and readers of a report look for.
const MESSAGES: [&str; 34] = [
    "Internal error: Oops: 96000004 [#1] SMP",
    "kernel BUG at mm/slub.c:305!",
    "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!",
    "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000008",
    "general protection fault, probably for non-canonical address 0xdead000000000108: 0000 [#1] PREEMPT SMP",
    "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [openssl:1234]",
    "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
    "rcu: INFO: rcu_preempt self-detected stall on CPU",
    "mce: [Hardware Error]: Machine check events logged",
    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1 offset:0x0)",
    "WARNING: CPU: 1 PID: 77 at drivers/gpu/drm/drm_atomic_helper.c:1577 drm_atomic_helper_wait_for_vblanks+0x228/0x234",
    "Call trace:",
    "INFO: task jbd2/mmcblk0p2-:123 blocked for more than 120 seconds.",
    "\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.",
    "openssl invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=7zr,pid=41,uid=0",
    "Out of memory: Killed process 4123 (7zr) total-vm:1800000kB, anon-rss:900000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:9kB",
    "CPU4: Core temperature above threshold, cpu clock throttled (total events = 12)",
    "thermal thermal_zone0: critical temperature reached (115 C), shutting down",
    "rockchip-thermal fec00000.tsadc: Temperature too high, power off",
    "hwmon hwmon1: Undervoltage detected!",
    "Under-voltage detected! (0x00050005)",
    "Kernel panic - not syncing: Fatal exception in interrupt",
    "psci: CPU3 killed (polled 0 ms)",
    "CPU3: shutdown",
    "CPU3: Booted secondary processor 0x0000000003 [0x410fd083]",
    "blk_update_request: I/O error, dev mmcblk0, sector 123456 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0",
    "mmc0: cache flush error -110",
    "usb 2-1: reset SuperSpeed USB device number 2 using xhci-hcd",
    "nvme nvme0: I/O 12 QID 3 timeout, aborting",
    "cpu cpu4: pvtm=1528",
    "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
    "rk_gmac-dwmac fe1c0000.ethernet end1: Link is Down",
    "cpufreq: __cpufreq_driver_target: Failed to change cpu frequency: -5",
];

/// Table of the kinds.
fn kinds() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted/kinds.tsv");
    std::fs::read_to_string(path).unwrap()
}

/// Words of a cell that a text still contains.
fn left<'a>(words: &'a str, text: &str) -> Vec<&'a str> {
    words.split(',').filter(|word| *word != "-" && text.contains(*word)).collect()
}

/// A redacted file without the escapes of JSON.
fn redacted(text: &str) -> String {
    String::from_utf8(redact(text.as_bytes()).bytes).unwrap().replace("\\\"", "\"").replace("\\\\", "\\")
}

fn json(record: &Record) -> String {
    redacted(&serde_json::to_string(record).unwrap())
}

#[test]
fn messages_of_the_kernel_name_nobody() {
    for row in Table::of(&kinds()).rows() {
        let (kind, line, secrets) = (row.get("kind"), row.get("line"), row.get("secrets"));
        assert_eq!(left(secrets, line), secrets.split(',').collect::<Vec<_>>(), "{kind}: the line has its secrets");
        let mut record = records::with_message(records::died_run(None), line);
        if let Some(Fact::Known(aftermath)) = record.run.died_in.as_mut().map(|died| &mut died.aftermath) {
            let words = LastWords { file: "console-ramoops-0".into(), lines: vec![line.into()], written_utc_ms: None };
            aftermath.last_words = Fact::Known(vec![words]);
            aftermath.hardware_messages.push(line.into());
        }
        assert_eq!(left(secrets, &json(&record)), [""; 0], "{kind} in a Record: {}", json(&record));
        for text in [
            format!("[   12.345678] {line}\n"),
            format!("Jan 06 10:00:00 raspberrypi kernel: {line}\n"),
            format!(
                "sbc-bench v0.9.72 Board (Fri, 30 Nov 2018 14:43:57 +0100)\n\ndmesg output while running the benchmarks:\n\n{line}\n"
            ),
        ] {
            assert_eq!(left(secrets, &redacted(&text)), [""; 0], "{kind} in a log: {}", redacted(&text));
        }
    }
}

#[test]
fn messages_that_say_how_the_machine_fared_stay() {
    for message in MESSAGES {
        let record = records::with_message(records::own_run(), message);
        let out: Record = serde_json::from_slice(&redact(&serde_json::to_vec(&record).unwrap()).bytes).unwrap();
        assert_eq!(out.kernel_messages, record.kernel_messages);
        let text = format!("[   12.345678] {message}\n");
        assert_eq!(String::from_utf8(redact(text.as_bytes()).bytes).unwrap(), text);
    }
}

#[test]
fn text_of_any_origin_keeps_only_what_nothing_tells() {
    let mut wrong = Vec::new();
    for row in Table::of(&kinds()).rows() {
        let (kind, line, secrets) = (row.get("kind"), row.get("line"), row.get("secrets"));
        let failure = Failure {
            kind: FailureKind::ExitStatus,
            message: line.into(),
            output_tail: line.into(),
            exit_status: Some(1),
        };
        let mut record = records::own_run();
        record.steps.push(Step::new(WorkloadId::SevenZip, 0, "single", Outcome::Failed(failure)));
        for text in [json(&record), redacted(&format!("Some log\n{line}\n"))] {
            let found = left(secrets, &text).join(",");
            if row.cell("left").unwrap_or_default() != found {
                wrong.push(format!("{kind}\t{found}"));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
