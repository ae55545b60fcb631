//! Examples of `deploy`, and the unit of regular runs, without a farm: with stand-ins of their programs, for each exit
//! status of a run.

use super::options;
use crate::workspace;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use testkit::Scratch;

/// Exit status of a run that finished (docs/commands.md); every other status is a failure of the job.
const WITH_RESULT: [i32; 5] = [0, 2, 3, 5, 7];

/// Ends a run with the status in `$STATUS`, and lists all calls.
const PROGRAM: &str = "#!/bin/sh\necho \"sbc-bench $*\" >> \"$CALLS\"\n[ \"$1\" != run ] || { echo '{\"schema\": 1}'; exit \"$STATUS\"; }\n";
/// Lists its calls.
const LISTED: &str = "#!/bin/sh\necho \"${0##*/} $*\" >> \"$CALLS\"\n";

fn example(path: &str) -> String {
    fs::read_to_string(workspace::root().join("deploy").join(path)).unwrap()
}

/// Makes programs that a script finds first.
fn stand_in(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a script in the folder with its programs, in which runs end with this status.
fn run(folder: &Path, script: &[&str], status: i32) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut command = Command::new("sh");
    command.args(script).current_dir(folder).env("PATH", path).env("STATUS", status.to_string());
    command.env("CALLS", folder.join("calls")).output().unwrap()
}

/// Steps of a test definition of LAVA; those of several lines are folded into one.
fn lava_steps(definition: &str) -> Vec<String> {
    let (_, steps) = definition.split_once("\n  steps:\n").unwrap();
    let mut found: Vec<String> = Vec::new();
    for line in steps.lines().filter(|line| !line.trim_start().starts_with('#')) {
        match (line.strip_prefix("    - "), found.last_mut()) {
            (Some(step), _) => found.push(step.trim_end_matches(">-").to_owned()),
            (None, Some(step)) => *step += &format!("{} ", line.trim()),
            (None, None) => panic!("no step: {line}"),
        }
    }
    found
}

#[test]
fn lava_definition_fails_where_the_run_failed() {
    let definition = example("lava/test.yaml");
    let steps = lava_steps(&definition);
    assert!(steps.len() >= 4, "{steps:?}");
    for status in 0..=9 {
        let folder = Scratch::new("lava");
        stand_in(&folder, "sbc-bench", PROGRAM);
        stand_in(&folder, "lava-test-case", LISTED);
        // The dispatcher writes parameters in front of the steps, one a line.
        let script = format!("PROGRAM_URL=\nARGUMENTS='--wait 10min'\n{}\n", steps.join("\n"));
        let output = run(&folder, &["-e", "-c", &script], status);
        let calls = fs::read_to_string(folder.join("calls")).unwrap();
        let has_result = WITH_RESULT.contains(&status);
        let expected = if has_result { 0 } else { status };
        assert_eq!(output.status.code(), Some(expected), "{status}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(calls.contains("sbc-bench run --quiet --json --wait 10min\n"), "{calls}");
        let verdict = format!("lava-test-case sbc-bench-run --result {}", if has_result { "pass" } else { "fail" });
        assert!(calls.contains(&verdict), "{status}: {calls}");
        assert_eq!(calls.contains("sbc-bench report result.json --format lava"), has_result, "{status}: {calls}");
    }
}

#[test]
fn slurm_job_keeps_results_and_fails_where_the_run_failed() {
    let script = workspace::root().join("deploy/slurm/sbc-bench.sbatch").display().to_string();
    for status in 0..=9 {
        let folder = Scratch::new("slurm");
        stand_in(&folder, "sbc-bench", PROGRAM);
        stand_in(&folder, "srun", "#!/bin/sh\nexec \"$@\"\n");
        let line = format!("SLURM_JOB_NODELIST=board-01 SBC_BENCH=sbc-bench exec sh '{script}' results");
        let output = run(&folder, &["-c", &line], status);
        let has_result = WITH_RESULT.contains(&status);
        assert_eq!(output.status.code(), Some(if has_result { 0 } else { status }));
        let left = workspace::entries(&folder.join("results")).unwrap();
        let names: Vec<String> = left.iter().map(|path| workspace::name(path)).collect();
        assert_eq!(names, if has_result { vec!["board-01.json"] } else { Vec::new() }, "{status}");
    }
}

/// systemd before 249 (Debian 11) ignores `OnSuccess=`; a line of the unit takes its place, with the variables of
/// systemd.exec(5).
#[test]
fn upload_follows_a_run_that_succeeded_on_every_systemd() {
    let unit = include_str!("../../../packaging/systemd/sbc-bench-regular.service");
    assert!(!unit.lines().any(|line| line.starts_with("OnSuccess=")));
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStopPost=-+")).unwrap();
    for (result, expected) in [
        ("success", "systemctl --no-block start sbc-bench-upload.service\n"),
        ("exit-code", ""),
        ("signal", ""),
        ("timeout", ""),
    ] {
        let folder = Scratch::new("stop");
        stand_in(&folder, "systemctl", LISTED);
        let output = run(&folder, &["-c", &format!("export SERVICE_RESULT={result}; {line}")], 0);
        assert_eq!(output.status.code(), Some(0), "{result}");
        assert_eq!(fs::read_to_string(folder.join("calls")).unwrap_or_default(), expected, "{result}");
    }
}

/// The image of a Job has no shell that could change the status, so its file explains it.
#[test]
fn kubernetes_and_labgrid_name_every_status_of_a_result() {
    let list = |separator: &str| WITH_RESULT.map(|status| status.to_string()).join(separator);
    let job = example("kubernetes/job.yml").replace(" and 7 ", ", 7 ");
    assert!(job.contains(&format!("# Exit status {} have a result", list(", "))));
    assert!(example("labgrid/sbc_bench_labgrid.py").contains(&format!("WITH_RESULT = ({})", list(", "))));
    let documented = include_str!("../../../docs/commands.md");
    for status in WITH_RESULT {
        assert!(documented.contains(&format!("\n| `{status}` | ")), "{status}");
    }
}

#[test]
fn every_variable_of_the_playbooks_is_documented() {
    let document = include_str!("../../../docs/farms.md");
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    for path in workspace::entries(&workspace::root().join("deploy/ansible/playbooks")).unwrap() {
        let text = fs::read_to_string(&path).unwrap();
        let registered: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("register: ")).collect();
        let words = text.split(|letter| !is_of_word(letter)).filter(|word| word.starts_with("sbc_bench_"));
        for word in words.filter(|word| !registered.contains(word)) {
            assert!(document.contains(word), "{}: {word} is not in docs/farms.md", workspace::name(&path));
        }
    }
}

/// Prometheus reaches a monitor that one variable opens; a list of hosts limits it.
#[test]
fn monitor_of_ansible_limits_addresses_only_where_they_are_named() {
    let playbook = example("ansible/playbooks/monitor.yml");
    let (_, rest) = playbook.split_once("{% if sbc_bench_prometheus_hosts is defined %}").unwrap();
    let (limited, open) = rest.split_once("{% endif %}").unwrap();
    assert!(limited.contains("IPAddressDeny=any") && !open.contains("IPAddressDeny"), "{playbook}");
}

/// Commands of docs/farms.md, by their beginning, and the file of this task that runs them.
const COMMANDS: [(&str, &str); 8] = [
    ("ansible-galaxy collection build deploy/ansible && ansible-galaxy collection install ", include_str!("mod.rs")),
    ("ansible-playbook sbc_bench.boards.install ", include_str!("play.rs")),
    ("ansible-playbook sbc_bench.boards.bench ", include_str!("play.rs")),
    ("ansible-playbook sbc_bench.boards.compare ", include_str!("after.rs")),
    ("echo SBC_BENCH_LISTEN=0.0.0.0:9478 | ", include_str!("monitors.rs")),
    ("sudo systemctl enable sbc-bench-monitor && ", include_str!("monitors.rs")),
    ("while read -r board supply; do", include_str!("slurm.sh")),
    ("    sbatch --nodelist=", include_str!("slurm.sh")),
];

#[test]
fn every_command_of_the_document_is_run() {
    let blocks = include_str!("../../../docs/farms.md").split("```sh\n").skip(1);
    let lines = blocks.flat_map(|rest| rest.split("```").next().unwrap_or_default().lines());
    let mut count = 0;
    for line in lines.filter(|line| !line.starts_with("done")) {
        count += 1;
        let row = COMMANDS.iter().find(|(start, _)| line.starts_with(start));
        let (start, file) = row.unwrap_or_else(|| panic!("nobody runs {line}"));
        // The playbook, the unit, or the name of the document.
        let word = start.split([' ', '=']).find(|word| word.starts_with("sbc_bench.") || word.starts_with("SBC_"));
        assert!(file.contains(word.unwrap_or("farms.md")) || start.starts_with("ansible-galaxy"), "{line}");
    }
    assert_eq!(count, COMMANDS.len());
}

#[test]
fn options_are_numbers_in_bounds() {
    let asked = options(&["--boards", "3", "--names", "10"]).unwrap();
    assert_eq!((asked.boards, asked.names, asked.is_inside), (3, 10, false));
    for words in [&["--boards"][..], &["--boards", "x"], &["--boards", "0"], &["--names", "0"], &["3"]] {
        assert!(options(words).is_err(), "{words:?}");
    }
}
