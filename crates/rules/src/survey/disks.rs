//! Checks of disks and file systems: schedulers that cost CPU time, NTFS by FUSE, synchronous mounts.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::{DiskBus, RuleId};

pub(crate) const SCHEDULER: Rule = Rule::of_storage(RuleId::own("disk-scheduler"), scheduler);
pub(crate) const FUSE: Rule = Rule::of_storage(RuleId::own("disk-fuse"), fuse);
pub(crate) const SYNC: Rule = Rule::of_storage(RuleId::own("mount-options"), options);

fn scheduler(facts: &Facts<'_>) -> Vec<Finding> {
    let disks = first(facts).map_or(&[][..], |survey| &survey.disks);
    disks
        .iter()
        .filter_map(|disk| {
            let scheduler = disk.scheduler.as_deref()?;
            let fast = matches!(disk.bus, DiskBus::Nvme | DiskBus::Virtual);
            let rotating = disk.rotational == Some(true) && !fast && disk.bus != DiskBus::Mmc;
            let (severity, sure, template) = match scheduler {
                "bfq" | "cfq" if fast => (
                    Severity::Degraded,
                    85,
                    "Scheduler {scheduler} costs CPU time on {disk} without benefit; use none or mq-deadline.",
                ),
                "none" | "noop" if rotating => (
                    Severity::Info,
                    75,
                    "Hard disk {disk} has no I/O scheduler; concurrent accesses are not reordered.",
                ),
                _ => return None,
            };
            Some(
                Finding::new(SCHEDULER.id, severity, template)
                    .confidence(sure)
                    .with("scheduler", Quantity::Text(scheduler.into()))
                    .with("disk", Quantity::Text(disk.name.clone()))
                    .at(place("disks")),
            )
        })
        .collect()
}

fn fuse(facts: &Facts<'_>) -> Vec<Finding> {
    let mounts = first(facts).map_or(&[][..], |survey| &survey.mounts);
    mounts
        .iter()
        .filter(|mount| {
            mount.kind == "fuseblk" || mount.kind.starts_with("fuse.ntfs") || mount.kind.starts_with("fuse.exfat")
        })
        .map(|mount| {
            Finding::new(
                FUSE.id,
                Severity::Degraded,
                "{device} at {place} is mounted through FUSE (NTFS or exFAT): all data pass through a user-space \
                 process, which limits throughput and loads one core.",
            )
            .with("device", Quantity::Text(mount.device.clone()))
            .with("place", Quantity::Text(mount.place.clone()))
            .at(place("mounts"))
        })
        .collect()
}

fn options(facts: &Facts<'_>) -> Vec<Finding> {
    let mounts = first(facts).map_or(&[][..], |survey| &survey.mounts);
    mounts
        .iter()
        .filter_map(|mount| {
            let slow: Vec<&str> = mount.options.iter().map(String::as_str).collect();
            let waits = slow.iter().any(|option| matches!(*option, "sync" | "dirsync" | "data=journal"));
            // Trimming at once is harmless on good SSDs and slow on cards.
            let (severity, sure, template) = match () {
                () if waits => (
                    Severity::Degraded,
                    95,
                    "{device} at {place} is mounted with {options}: every write is synchronous.",
                ),
                () if slow.contains(&"discard") && mount.device.contains("mmcblk") => (
                    Severity::Info,
                    70,
                    "{device} at {place} is mounted with {options}: deleting files is slow (synchronous discard).",
                ),
                () => return None,
            };
            Some(
                Finding::new(SYNC.id, severity, template)
                    .confidence(sure)
                    .with("device", Quantity::Text(mount.device.clone()))
                    .with("place", Quantity::Text(mount.place.clone()))
                    .with("options", Quantity::Text(slow.join(",")))
                    .at(place("mounts")),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use record::{Disk, DiskBus, Fact, Health, Mount};

    #[test]
    fn disks_and_mounts() {
        let disk = |health: Health| Disk {
            name: "sda".into(),
            rotational: Some(true),
            health: Fact::Known(health),
            ..Disk::default()
        };
        check(|_, s| s.disks = vec![disk(Health::default())], &[]);
        check(|_, s| s.disks = vec![disk(Health { passed: Some(false), ..Health::default() })], &["disk-health !"]);
        check(
            |_, s| {
                let health = Health { temp_celsius: Some(50), reallocated: Some(8), ..Health::default() };
                s.disks = vec![disk(health)];
            },
            &["disk-health !", "disk-health !"],
        );
        let mount = |kind: &str, option: &str| Mount {
            place: "/mnt".into(),
            kind: kind.into(),
            device: "/dev/sda1".into(),
            options: vec![option.into()],
        };
        check(|_, s| s.mounts = vec![mount("fuseblk", "")], &["disk-fuse !"]);
        check(|_, s| s.mounts = vec![mount("ntfs3", "")], &[]);
        check(|_, s| s.mounts = vec![mount("ext4", "sync")], &["mount-options !"]);
        check(
            |_, s| {
                s.disks = vec![Disk { bus: DiskBus::Nvme, scheduler: Some("bfq".into()), ..Disk::default() }];
            },
            &["disk-scheduler !"],
        );
    }
}
