//! A simulated board: sshd with its own processes, network, and files below /run, /tmp, /root, /var and /usr/local/bin.
//! /var/lib and the installed programs survive a restart.

use anyhow::{Context, Result};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Bridge of boards and controller, in a separate network.
pub(super) const BRIDGE: &str = "farm0";
/// Address of the controller with its prefix length.
pub(super) const CONTROLLER: &str = "10.213.0.1/16";

/// Home of the controller: a separate file system, with a short path because it contains sockets.
pub(super) const HOME: &str = "/mnt";

/// Event on a board during its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Well,
    /// The run takes longer.
    Slow,
    /// /var/lib and /var/log are full.
    Full,
    /// All processes and the network end at once.
    PowerCut,
    /// A power cut, with a restart seconds later.
    Restarted,
    /// The board runs on without network.
    Unreachable,
    /// The program is killed; the board runs on.
    Killed,
}

impl Fate {
    /// Name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Slow => "slow",
            Self::Full => "/var full",
            Self::PowerCut => "power cut",
            Self::Restarted => "power cut, restarted",
            Self::Unreachable => "unreachable",
            Self::Killed => "program killed",
        }
    }

    /// Whether the board stays unreachable.
    pub(super) fn is_gone(self) -> bool {
        matches!(self, Self::PowerCut | Self::Unreachable)
    }

    /// Whether the run does not finish.
    pub(super) fn is_death(self) -> bool {
        matches!(self, Self::PowerCut | Self::Restarted | Self::Unreachable | Self::Killed)
    }
}

/// A board; dropping it ends all its processes.
pub(super) struct Board {
    pub(super) number: usize,
    pub(super) fate: Fate,
    folder: PathBuf,
    init: Option<Child>,
}

/// Starts a board. `$1` contains the keys of sshd and of the controller.
const SCRIPT: &str = include_str!("board.sh");

impl Board {
    /// Starts a board with its files in this folder.
    pub(super) fn start(number: usize, fate: Fate, folder: &Path) -> Result<Self> {
        let mut board = Self { number, fate, folder: folder.to_path_buf(), init: None };
        for kept in ["lib", "bin"] {
            fs::create_dir_all(board.kept().join(kept))?;
        }
        board.boot()?;
        Ok(board)
    }

    /// Name in the inventory.
    pub(super) fn name(&self) -> String {
        format!("board-{:02}", self.number)
    }

    pub(super) fn address(&self) -> String {
        format!("10.213.1.{}", self.number)
    }

    /// Hardware address, which survives a restart.
    fn hardware_address(&self) -> String {
        format!("02:00:00:00:01:{:02x}", self.number)
    }

    /// Two neighbours share a power supply.
    pub(super) fn power_supply(&self) -> usize {
        self.number.div_ceil(2)
    }

    fn kept(&self) -> PathBuf {
        self.folder.join(self.name())
    }

    fn link(&self) -> String {
        format!("farm-{}", self.number)
    }

    fn boot(&mut self) -> Result<()> {
        let mut unshare = Command::new("unshare");
        unshare.args(super::ALONE).args(["sh", "-c", SCRIPT, "board"]);
        unshare.arg(self.folder.join("keys")).arg(self.kept()).arg(self.address());
        unshare.arg(if self.fate == Fate::Full { "full" } else { "room" });
        let log = fs::File::create(self.folder.join(format!("{}.log", self.name())))?;
        let mut child = unshare.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().context("unshare")?;
        let mut said = [0; 6];
        child.stdout.as_mut().context("no output")?.read_exact(&mut said).context("the board does not start")?;
        let (link, namespace) = (self.link(), child.id().to_string());
        let address = self.hardware_address();
        ip(&format!("link add {link} type veth peer name eth0 address {address} netns {namespace}"))?;
        ip(&format!("link set {link} master {BRIDGE} up"))?;
        child.stdin.as_mut().context("no input")?.write_all(b"go\n")?;
        self.init = Some(child);
        Ok(())
    }

    /// All processes of the board, by their ids in this namespace.
    pub(super) fn processes(&self) -> Vec<u32> {
        let mut found = Vec::new();
        let mut next: Vec<u32> = self.init.iter().map(Child::id).collect();
        while let Some(pid) = next.pop() {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            next.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            found.push(pid);
        }
        found
    }

    /// The benchmark process, if it runs.
    pub(super) fn program(&self) -> Option<u32> {
        self.processes().into_iter().find(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            words[0].ends_with(b"/sbc-bench") && words.contains(&b"--json".as_slice())
        })
    }

    /// Applies the fate of the board.
    pub(super) fn strike(&mut self) -> Result<()> {
        match self.fate {
            Fate::Well | Fate::Slow | Fate::Full => Ok(()),
            Fate::PowerCut => self.cut(),
            Fate::Restarted => {
                self.cut()?;
                std::thread::sleep(std::time::Duration::from_secs(2));
                self.boot()
            }
            Fate::Unreachable => ip(&format!("link set {} down", self.link())),
            Fate::Killed => match self.program() {
                Some(pid) => run("kill", &["-KILL", &pid.to_string()]),
                None => Ok(()),
            },
        }
    }

    /// Ends all processes at once; the kernel removes network and mounts.
    fn cut(&mut self) -> Result<()> {
        if let Some(mut init) = self.init.take() {
            init.kill()?;
            init.wait()?;
        }
        // The kernel removes the network with a delay.
        let _ = Command::new("ip").args(["link", "delete", &self.link()]).stderr(Stdio::null()).status();
        Ok(())
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.cut();
    }
}

/// Runs a program, which has to succeed.
pub(super) fn run(program: &str, words: &[&str]) -> Result<()> {
    crate::workspace::said(Command::new(program).args(words)).with_context(|| words.join(" ")).map(drop)
}

/// Runs ip(8) with these words.
pub(super) fn ip(words: &str) -> Result<()> {
    run("ip", &words.split(' ').collect::<Vec<_>>())
}
