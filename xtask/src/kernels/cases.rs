//! Commands with their expected results. One command is one row; the commands of a plan run in one boot.

use super::console::Booted;
use super::machines::Machine;

/// Boots in order, with the same disk.
pub(super) const PLANS: [&str; 4] = ["plain", "trouble", "after-cut", "crash"];

/// A command.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) plan: &'static str,
    /// Shell script, run by busybox as root.
    pub(super) script: &'static str,
    /// Expected exit status; `None` if the machine dies during the command.
    status: Option<i32>,
    /// Expected output. `BOARD` is the name of the machine's board, `DISKS` the names of its disks.
    says: &'static [&'static str],
    /// Forbidden output.
    never: &'static [&'static str],
    /// Maximum duration by the machine's clock.
    pub(super) seconds_max: u32,
    /// Whether `--quick` runs it.
    is_quick: bool,
}

/// Default command.
const PLAIN: Case = Case {
    name: "",
    plan: PLANS[0],
    script: "",
    status: Some(0),
    says: &[],
    never: &["panicked"],
    seconds_max: 60,
    is_quick: true,
};

/// The clock of an emulated CPU is not reported.
const CLOCK: Case = Case {
    status: Some(1),
    says: &["this CPU is emulated"],
    never: &["panicked", "believe", "arrives over longer times"],
    ..PLAIN
};

/// Command for machines with a disk and a CPU that can be switched off.
const TROUBLE: Case =
    Case { plan: PLANS[1], is_quick: false, seconds_max: 200, never: &["panicked", "Results are valid"], ..PLAIN };

const CASES: &[Case] = &[
    Case { name: "identify", script: "sbc-bench identify", says: &["BOARD", "Emulated  ", "Memory"], ..PLAIN },
    Case { name: "kernel", script: "sbc-bench -k", says: &["debian-kernel@lists.debian.org"], ..PLAIN },
    Case { name: "storage", script: "sbc-bench -S", says: &["DISKS"], ..PLAIN },
    Case { name: "look", script: "sbc-bench review --look", says: &["# BOARD", "This CPU is emulated"], ..PLAIN },
    Case {
        name: "snapshot",
        script: "
sbc-bench identify | grep -v ^Emulated >/tmp/live
sbc-bench snapshot >/tmp/my.board
sbc-bench --root /tmp/my.board identify >/tmp/again
diff /tmp/live /tmp/again && cat /tmp/my.board",
        says: &["# Snapshot by sbc-bench", "/proc/cpuinfo"],
        ..PLAIN
    },
    Case {
        name: "monitor",
        script: "sbc-bench -m 0.5 --count 4 --record /tmp/m.rec && sbc-bench -m --replay /tmp/m.rec --speed max --lines",
        says: &["Time ", "%cpu"],
        ..PLAIN
    },
    // A serial console reports 0 columns and rows.
    Case {
        name: "screen",
        script: "timeout -s INT 8 sbc-bench -m 0.5 --tui </dev/console",
        says: &["\u{1b}[?1049h", "cpu0", "q quit", "\u{1b}[?1049l"],
        never: &["panicked", "too small"],
        ..PLAIN
    },
    Case {
        name: "bar",
        script: "sbc-bench run --force --repeat 1 -- sleep 3",
        status: Some(3),
        says: &["00:00:0", "left: sleep 3", "Results are invalid"],
        seconds_max: 200,
        is_quick: false,
        ..PLAIN
    },
    Case { name: "clock-quick", script: "sbc-bench clock --quick", ..CLOCK },
    Case { name: "clock-full", script: "sbc-bench clock", seconds_max: 200, is_quick: false, ..CLOCK },
    Case {
        name: "watched",
        script: "sbc-bench -R -- sleep 2",
        says: &["This CPU is emulated"],
        is_quick: false,
        ..PLAIN
    },
    Case {
        name: "standard",
        script: "sbc-bench --force -q",
        status: Some(3),
        says: &["This CPU is emulated", "Results are invalid", "check the log"],
        never: &["panicked", "MB/s", " ns at ", "MHz measured"],
        seconds_max: 800,
        is_quick: false,
        ..PLAIN
    },
    Case {
        name: "killed",
        script: "
sbc-bench run --force --others-off --cpus 0 -- sleep 300 >/tmp/run 2>&1 &
until [ \"$(cat /sys/devices/system/cpu/online)\" = 0 ]; do sleep 0.2; done
kill -9 $(pidof sbc-bench)
sleep 1
sbc-bench restore
echo online: $(cat /sys/devices/system/cpu/online)",
        says: &["online: 0-3"],
        ..TROUBLE
    },
    Case {
        name: "unplugged",
        script: "
(sleep 2; echo 0 >/sys/devices/system/cpu/cpu3/online; sleep 2; echo 1 >/sys/devices/system/cpu/cpu3/online) &
sbc-bench -m 0.5 --count 12",
        says: &["CPUs offline", "cpu3"],
        ..TROUBLE
    },
    // The command switches the CPU off during a step.
    Case {
        name: "unplugged-run",
        script: "
cat >/tmp/unplug <<'END'
sleep 2
echo 0 >/sys/devices/system/cpu/cpu3/online
sleep 4
echo 1 >/sys/devices/system/cpu/cpu3/online
sleep 2
END
sbc-bench run --force -q --repeat 1 -- sh /tmp/unplug
echo online: $(cat /sys/devices/system/cpu/online)",
        says: &["offline", "after ", "online: 0-3"],
        ..TROUBLE
    },
    Case {
        name: "no-memory",
        script: "sbc-bench run --force -q -- sh -c 'tail /dev/zero'",
        status: Some(137),
        says: &["memory"],
        ..TROUBLE
    },
    Case {
        name: "full-disk",
        script: "
mkdir -p /tmp/full && mount -t tmpfs -o size=8k full /tmp/full
sbc-bench run --force -q --log /tmp/full/x.log -- true
echo ended: $?
sbc-bench -m 0.1 --count 30 --quiet --record /tmp/full/m.rec
umount /tmp/full",
        says: &["No space left"],
        ..TROUBLE
    },
    // The disk of results and settings.
    Case {
        name: "full-ext4",
        script: "
cat /dev/zero >/var/lib/sbc-bench/ballast
sbc-bench run --force -q -- true
echo ended: $?
rm /var/lib/sbc-bench/ballast",
        says: &["No space left"],
        ..TROUBLE
    },
    Case {
        name: "cut",
        script: "
sync
sbc-bench run --force --others-off --cpus 0 -- sleep 300 >/tmp/run 2>&1 &
until [ \"$(cat /sys/devices/system/cpu/online)\" = 0 ]; do sleep 0.2; done
sleep 3
echo @@cut
sleep 60",
        status: None,
        ..TROUBLE
    },
    Case {
        name: "after-cut",
        plan: PLANS[2],
        script: "sbc-bench recover; sbc-bench restore; echo online: $(cat /sys/devices/system/cpu/online); sbc-bench recover",
        says: &["An earlier run did not finish", "online: 0-3"],
        never: &["panicked", "unreadable"],
        ..TROUBLE
    },
    // Reserved memory keeps the kernel's messages across a reset.
    Case {
        name: "crash",
        plan: PLANS[3],
        script: "
insmod /modules/ramoops.ko mem_name=oops record_size=0x10000 console_size=0x20000
sleep 1
if [ -z \"$(ls /sys/fs/pstore)\" ]; then
    sbc-bench run --force -- sleep 300 >/tmp/run 2>&1 &
    sleep 10
    echo c >/proc/sysrq-trigger
fi
sbc-bench recover",
        says: &["An earlier run did not finish", "sysrq triggered crash"],
        ..TROUBLE
    },
];

/// Script of a machine whose power is cut at `$moment`: prints result file and settings of the previous run, then starts or
/// resumes a run with more steps than all cuts can reach. In a pipe, unlike in a terminal, each step has a line.
pub(super) const CUTS: Case = Case {
    name: "cuts",
    plan: "cuts",
    script: "
sbc-bench recover
echo @@record
cat $(ls -t /var/lib/sbc-bench/runs/*.json 2>/dev/null | head -n 1) </dev/null
echo; echo @@recorded
sbc-bench restore
echo \"@@settings $? $(cat /sys/devices/system/cpu/online)\"
[ $moment = 0 ] && exit
(sleep $moment; [ $by = reboot ] && reboot -f; echo; echo @@cut) &
[ -n \"$again\" ] || rm -f /var/lib/sbc-bench/runs/*
ls /var/lib/sbc-bench/runs/*.json >/dev/null 2>&1 || again=
sbc-bench run --force --others-off --cpus 0 --repeat 5000 $again -- sleep 0.1 2>&1 | cat",
    status: None,
    seconds_max: 400,
    ..PLAIN
};

/// Commands for this machine.
pub(super) fn of(machine: &Machine, quick: bool) -> Vec<&'static Case> {
    let can = |case: &&Case| match case.plan {
        "plain" => true,
        "crash" => machine.has_disk && machine.kernel.has_ramoops,
        _ => machine.has_disk,
    };
    CASES.iter().filter(can).filter(|case| !quick || case.is_quick).collect()
}

/// The plans of these cases, in their order, which is that of [`PLANS`].
pub(super) fn plans(cases: &[&'static Case]) -> Vec<&'static str> {
    let mut plans: Vec<&str> = cases.iter().map(|case| case.plan).collect();
    plans.dedup();
    plans
}

/// Duration of a command, and errors of its result.
pub(super) fn judged(case: &Case, machine: &Machine, booted: &Booted) -> (f64, String) {
    let Some(expected) = case.status else {
        let complaint = if booted.begun(case.name).is_some() { "" } else { "did not begin" };
        return (0.0, complaint.to_owned());
    };
    let Some(told) = booted.told(case.name) else { return (0.0, "did not end".to_owned()) };
    let mut wrong = Vec::new();
    if told.status != expected {
        wrong.push(format!("ended with {}, not {expected}", told.status));
    }
    // Lines are broken where the terminal ends.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(told.text);
    let has = |sentence: &str| text.contains(&words(&sentence.replace("BOARD", machine.board)));
    let says =
        case.says.iter().flat_map(|says| if *says == "DISKS" { machine.disks } else { std::slice::from_ref(says) });
    wrong.extend(says.filter(|says| !has(says)).map(|says| format!("does not say {says:?}")));
    wrong.extend(case.never.iter().filter(|never| has(never)).map(|never| format!("says {never:?}")));
    (told.seconds, wrong.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::machines::MACHINES;
    use super::*;

    #[test]
    fn quick_cases_need_one_boot() {
        for machine in MACHINES {
            assert_eq!(plans(&of(machine, true)), [PLANS[0]], "{}", machine.name);
        }
        for machine in MACHINES.iter().filter(|machine| machine.has_disk) {
            let count = if machine.kernel.has_ramoops { 4 } else { 3 };
            assert_eq!(plans(&of(machine, false)), PLANS[..count], "{}", machine.name);
        }
    }

    #[test]
    fn unexpected_results_are_named() {
        let machine = &MACHINES[0];
        let case = CASES.iter().find(|case| case.name == "clock-quick").unwrap();
        let judged_of = |status, text: &str| {
            let console = format!("@@begin clock-quick\n{text}\n@@end clock-quick {status} 1.0 3.5\n");
            judged(case, machine, &Booted { console })
        };
        assert_eq!(judged_of(1, "Not measured: this CPU\n   is emulated"), (2.5, String::new()));
        let (_, complaint) = judged_of(0, "believe 3842 MHz as clock");
        assert_eq!(complaint, "ended with 0, not 1; does not say \"this CPU is emulated\"; says \"believe\"");
        assert_eq!(judged(case, machine, &Booted { console: String::new() }).1, "did not end");
    }
}
