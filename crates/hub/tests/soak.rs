//! Months of a hub in fast motion: random uploads, reads, deletions, backups, derivations, compactions and kills.
//! Nothing acknowledged is lost, and memory, open files and disk stay flat.

use crate::common;
use crate::common::hub_process::HubProcess;
use crate::common::{made, on_hubs};
use hub::store::write;
use std::time::{Duration, Instant};
use testkit::virtual_board::Chance;

/// Time per database; `SBC_BENCH_HUB_SOAK_S` overrides it, in seconds.
fn duration() -> Duration {
    Duration::from_secs(common::from_environment("SBC_BENCH_HUB_SOAK_S", 10))
}

/// Number of results kept; the oldest are deleted.
const RESULTS_MAX: usize = 40;
/// Tolerated growth from the third to the fourth quarter: a worker more or less, a write-ahead log before it is
/// emptied.
const GROWTH_KIB_MAX: u64 = 48 << 10;
const GROWTH_FILES_MAX: u64 = 16;

#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    memory_kib: u64,
    files: u64,
    disk_kib: u64,
}

#[test]
fn hub_stays_whole_and_flat_over_months() {
    on_hubs(&[], |hub| {
        let (began, whole) = (Instant::now(), duration());
        let mut chance = Chance::new(1);
        let mut kept: Vec<String> = Vec::new();
        let (mut number, mut counts) = (0, [0_u32; 7]);
        let mut quarters = [Uses::default(); 4];
        while began.elapsed() < whole {
            let quarter = ((began.elapsed().as_millis() * 4 / whole.as_millis()) as usize).min(3);
            let deed = match chance.whole(0, 99) {
                0..40 => 0,
                40..85 => 1,
                85..88 => 2,
                88..91 => 3,
                91..93 => 4,
                // Later restarts would hide growth.
                93..97 if quarter < 2 => 5,
                _ => 6,
            };
            counts[deed] += 1;
            match deed {
                0 => {
                    number += 1;
                    kept.push(
                        hub.keep("?publish=1", &made::log("Board S", number % 300, f64::from(7000 + number % 900))),
                    );
                }
                1 => reads(hub, &kept, &mut chance),
                2 => backup(hub),
                3 => {
                    let spoil = "UPDATE result SET derived_by = 0";
                    write(&*hub.store(), |session| session.run(spoil, &[])).unwrap();
                }
                // A reader may prevent it.
                4 => drop(hub.store().compact()),
                5 => hub.kill_and_restart(),
                _ => {}
            }
            while kept.len() > RESULTS_MAX {
                let status = hub.ask("DELETE", &format!("/api/results/{}", kept.remove(0))).status;
                assert!(matches!(status, 200 | 204), "{status}");
            }
            let (memory_kib, files) = hub.uses();
            let now = Uses { memory_kib, files, disk_kib: disk_kib(&hub.data) };
            let most = &mut quarters[quarter];
            most.memory_kib = most.memory_kib.max(now.memory_kib);
            most.files = most.files.max(now.files);
            most.disk_kib = most.disk_kib.max(now.disk_kib);
        }
        println!(
            "uploads, reads, backups, derivations, compactions, kills, pauses: {counts:?}; by quarter {quarters:?}"
        );
        for id in &kept {
            assert_eq!(hub.get(&format!("/api/results/{id}")).status, 200, "{id} was acknowledged");
        }
        hub.verify();
        let [_, _, third, last] = quarters;
        assert!(last.memory_kib <= third.memory_kib + GROWTH_KIB_MAX, "{quarters:?}");
        assert!(last.disk_kib <= third.disk_kib + GROWTH_KIB_MAX, "{quarters:?}");
        assert!(last.files <= third.files + GROWTH_FILES_MAX, "{quarters:?}");
    });
}

fn reads(hub: &HubProcess, kept: &[String], chance: &mut Chance) {
    let pages = ["/", "/api/results", "/stability", "/feed.atom", "/metrics"];
    assert_eq!(hub.get(pages[chance.whole(0, pages.len() as u64 - 1) as usize]).status, 200);
    if let Some(last) = kept.len().checked_sub(1) {
        let id = &kept[chance.whole(0, last as u64) as usize];
        assert_eq!(hub.get(&format!("/r/{id}")).status, 200, "{id} was acknowledged");
    }
}

fn backup(hub: &HubProcess) {
    let file = hub.data.join("backup");
    hub.run(&["backup", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();
}

fn disk_kib(folder: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len() >> 10).sum()
}
