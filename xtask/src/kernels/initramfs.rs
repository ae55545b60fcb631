//! Root file system of a machine: busybox, the binary, modules, and cases as scripts.

use super::archive::Archive;
use super::cases::{self, Case};
use super::modules::Module;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Mounts the usual file systems, loads modules, and runs the plan named on the kernel's command line.
const INIT: &str = include_str!("init.sh");

/// A distribution, so that it has a name.
const OS_RELEASE: &str = "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\nVERSION_ID=\"13\"\n";

/// The archive for these cases.
pub(super) fn image(busybox: &Path, binary: &Path, modules: &[Module], cases: &[&'static Case]) -> Result<Vec<u8>> {
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    let mut archive = Archive::default();
    for folder in [
        "bin", "cases", "dev", "etc", "lib", "modules", "plans", "proc", "root", "run", "sys", "tmp", "var", "var/lib",
        "var/log",
    ] {
        archive.folder(folder);
    }
    archive.device("dev/console", (5, 1));
    archive.file("bin/busybox", &read(&busybox.join("usr/bin/busybox"))?);
    archive.file("bin/sbc-bench", &read(binary)?);
    for module in modules {
        archive.file(&format!("modules/{}.ko", module.name), &module.bytes);
    }
    let order: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    archive.file("modules/order", order.join("\n").as_bytes());
    archive.file("etc/os-release", OS_RELEASE.as_bytes());
    archive.file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n");
    archive.file("etc/group", b"root:x:0:\n");
    archive.file("init", INIT.as_bytes());
    for case in cases {
        archive.file(&format!("cases/{}", case.name), case.script.as_bytes());
    }
    for plan in cases::plans(cases) {
        let of_plan = cases.iter().filter(|case| case.plan == plan);
        let lines: Vec<String> = of_plan.map(|case| format!("case_of {} {}\n", case.name, case.seconds_max)).collect();
        archive.file(&format!("plans/{plan}"), lines.concat().as_bytes());
    }
    Ok(archive.finish())
}
