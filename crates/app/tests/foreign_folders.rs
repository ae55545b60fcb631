//! A drive is measured in a folder of another user's, who exchanges the folder that the run has made there for
//! another one, or for a link, at the worst moment: while fio runs. Nothing that the run, its guard and the next start
//! write or remove is that user's. The exchange is made by a fio of the test itself, so that it
//! always comes in time.

use crate::outcome::{errors, put_tool, record};
use record::{Outcome, StepMeasurement};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::Scratch;

/// Stands in for fio and rsync. The first time it exchanges the folder of the run: `SWAP` puts something in its place.
const TOOL: &str = r#"
if [ "$1" = --version ]; then
  echo fio-3.33; echo 'rsync  version 3.5.0  protocol version 32'; exit
fi
PATH=/usr/bin:/bin
if [ ! -e "$GROUND/moved" ]; then
  (cd "$GROUND/home" && for it in sbc-bench-*; do mv "$it" "$GROUND/moved"; eval "$SWAP"; done)
fi
for word; do
  case $word in
    --filename=*) echo overwritten > "${word#--filename=}" ;;
    --directory=*) echo overwritten > "${word#--directory=}/mine" ;;
    --output=*) cat "$REAL" > "${word#--output=}" ;;
  esac
done
touch "$GROUND/ran"
[ -z "$WAITS" ] || sleep 600
"#;

const SSH: &str = "echo 'OpenSSH_9.2p1 Debian-2, OpenSSL 3.0.22 25 Aug 2026' >&2; exit 0\n";

/// A link to precious files.
const LINK: &str = r#"ln -s "$GROUND/precious" "$it""#;
/// A folder full of it.
const FOLDER: &str = r#"cp -r "$GROUND/precious" "$it""#;
/// A folder with links to all of it.
const LINKS: &str = r#"mkdir "$it"; ln -s "$GROUND"/precious/* "$it""#;

/// Directories for programs, for the measurement, and with precious files.
struct TestFolders(Scratch);

impl TestFolders {
    fn new(name: &str) -> Self {
        let ground = Self(Scratch::new(&format!("swapped-{name}")));
        for folder in ["bin", "home", "precious/small", "state"] {
            std::fs::create_dir_all(ground.0.join(folder)).unwrap();
        }
        for file in ["large", "copied", "fio.json", "small/mine"] {
            std::fs::write(ground.0.join("precious").join(file), "precious").unwrap();
        }
        for (name, body) in [("fio", TOOL), ("rsync", TOOL), ("ssh", SSH)] {
            put_tool(&ground.0.join("bin"), name, body);
        }
        ground
    }

    fn command(&self, load: &str, swap: &str) -> Command {
        let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads/tool_output/fio/3.33-x86_64-write.txt");
        let words = ["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1"];
        let mut command = testkit::untuned_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
        command
            .args(["--workload", load, "--dir"])
            .arg(self.0.join("home"))
            .arg("--log")
            .arg(self.0.join("state/run.log"))
            .args(["--host", "localhost"].iter().filter(|_| !load.starts_with("drive")))
            .current_dir(&*self.0)
            .env("PATH", self.0.join("bin"))
            .env("HOME", self.0.join("state"))
            .env("GROUND", &*self.0)
            .env("REAL", real)
            .env("SWAP", swap)
            .stdin(Stdio::null());
        command
    }

    fn start(&self, swap: &str) -> Child {
        let mut command = self.command("drive:write", swap);
        let command = command.env("WAITS", "1").stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn().unwrap();
        testkit::wait_until("fio runs", || self.0.join("ran").exists());
        child
    }

    /// Names in a folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    /// Checks that precious files in a directory are unchanged.
    fn check(&self, folder: &Path, output: &str) {
        for file in ["large", "copied", "fio.json", "small/mine"] {
            let text = std::fs::read_to_string(folder.join(file));
            let text = text.unwrap_or_else(|why| format!("{file}: {why}"));
            assert_eq!(text, "precious", "{file} of {} {output}", folder.display());
        }
    }
}

fn check_exchanged(load: &str, forms: &[&str]) {
    for (name, swap) in [("link", LINK), ("folder", FOLDER), ("links", LINKS)] {
        let ground = TestFolders::new(&format!("{}-{name}", load.replace(':', "-")));
        let output = ground.command(load, swap).output().unwrap();
        let what = format!("{load} {name}: {}", errors(&output));
        ground.check(&ground.0.join("precious"), &what);
        let left = ground.names("home");
        assert_eq!(left.len(), 1, "{what} {left:?}");
        if name == "folder" {
            ground.check(&ground.0.join("home").join(&left[0]), &what);
        }
        // The run's own directory was measured and is empty.
        assert_eq!(ground.names("moved"), [""; 0], "{what}");
        let record = record(ground.0.join("state/run.json"));
        for form in forms {
            let is_done = |step: &record::Step| {
                step.variant.as_str() == *form && matches!(&step.outcome, Outcome::Done(StepMeasurement::Scores(_)))
            };
            assert!(record.steps.iter().any(is_done), "{what} {:?}", record.steps);
        }
    }
}

#[test]
fn a_drive_is_measured_in_the_folder_that_was_made_and_in_no_other() {
    check_exchanged("drive", &["write", "small-files"]);
}

#[test]
fn a_copy_is_made_in_the_folder_that_was_made_and_in_no_other() {
    check_exchanged("rsync:receive", &[]);
}

#[test]
fn a_guard_removes_what_its_run_made_and_nothing_else() {
    // Nobody exchanges anything.
    let ground = TestFolders::new("guard");
    std::fs::create_dir(ground.0.join("moved")).unwrap();
    let mut child = ground.start("");
    assert_eq!(ground.names("home").len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    testkit::wait_until("the folder goes", || ground.names("home").is_empty());
    for (name, swap) in [("guard-folder", FOLDER), ("guard-link", LINK)] {
        let ground = TestFolders::new(name);
        let mut child = ground.start(swap);
        child.kill().unwrap();
        child.wait().unwrap();
        // The next start sees to what the guard may have left, and has more time than that one took.
        let output = ground.command("drive:write", "").output().unwrap();
        let home = ground.names("home");
        assert_eq!(home.len(), 1, "{home:?} {}", errors(&output));
        ground.check(&ground.0.join("home").join(&home[0]), name);
        ground.check(&ground.0.join("precious"), name);
    }
}
