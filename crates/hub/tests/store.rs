//! Guarantees of the store, on both databases.

#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../benches/load/sources.rs"]
mod sources;

use crate::common::{on_both, on_migrated, submitted, workers};
use hub::counts::Counts;
use hub::derive::{derive, record};
use hub::hub_state::{Hub, Settings};
use hub::names::Kind;
use hub::originals::{CompressedOriginal, Unpacking};
use hub::results::{self, StoredResult};
use hub::store::{Dialect, Store, StoreError, Value, erase, first, migrate, number, read, write};
use hub::tokens::{self, Scope};
use hub::worker::Stop;
use hub::{originals, outdated, removal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A log of one board; each number makes another.
fn log(number: u32) -> Vec<u8> {
    format!(
        "sbc-bench v0.9.8 Raspberry Pi 4 Model B Rev 1.1 (Mon, 13 Jun 2022 10:{:02}:00 +0200)\n\n\
         Distributor ID:\tDebian\nDescription:\tDebian GNU/Linux 11 (bullseye)\nRelease:\t11\n\n\
         Executing benchmark single-threaded on cpu0\n\n7-Zip (a) [64] 16.02\n\n\
         Avr:             156  1{number:03}   1600  |              156   1800   1800\n\
         Tot:             156   1750   1700\n",
        number % 60
    )
    .into_bytes()
}

fn send(store: &dyn Store, owner: i64, bytes: Vec<u8>) -> StoredResult {
    submitted(store, owner, 1_000, 1, &bytes)
}

fn count(store: &dyn Store, table: &str) -> i64 {
    number(store, &format!("SELECT count(*) FROM {table}"), &[]).unwrap()
}

#[test]
fn migrations_run_once_and_a_newer_database_is_refused() {
    on_both(|store, name| {
        assert_eq!(
            migrate(&**store, 1).unwrap(),
            ["results", "changes", "counted", "died", "orders", "owners", "quotas", "hooks", "pages"],
            "{name}"
        );
        assert_eq!(migrate(&**store, 2).unwrap(), [""; 0], "{name}");
        let sql = "INSERT INTO migration (number, name, applied_utc_ms) VALUES ($1, $2, $3)";
        write(&**store, |session| session.run(sql, &[99.into(), "new".into(), 1.into()])).unwrap();
        let refused = migrate(&**store, 3).unwrap_err().message;
        assert!(refused.contains("use the newer program"), "{name}: {refused}");
    });
}

#[test]
fn several_hubs_migrate_at_the_same_time() {
    on_both(|store, name| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let store = Arc::clone(store);
                std::thread::Builder::new().spawn(move || migrate(&*store, 1).unwrap().len()).unwrap()
            })
            .collect();
        let taken: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(taken, 9, "{name}");
    });
}

#[test]
fn reads_that_do_not_end_are_ended_and_the_next_is_answered() {
    on_both(|store, name| {
        let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 - 1 FROM n) SELECT count(*) FROM n";
        let ended = read(&**store, |session| session.run(endless, &[])).unwrap_err();
        assert!(ended.is_slow && !ended.is_passing, "{name}: {ended}");
        assert_eq!(number(&**store, "SELECT 1 + 1", &[]).unwrap(), 2, "{name}");
        let some =
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300000) SELECT count(*) FROM n";
        assert_eq!(number(&**store, some, &[]).unwrap(), 300_000, "{name}");
    });
}

#[test]
fn values_come_back_as_they_were() {
    on_both(|store, name| {
        let values = [
            Value::Integer(i64::MIN),
            0.1.into(),
            "Ä'; DROP TABLE x; --\u{0}".into(),
            vec![0, 255].into(),
            Value::Null,
        ];
        write(&**store, |session| {
            session.run("CREATE TABLE x (a BIGINT, b DOUBLE PRECISION, c TEXT, d BYTEA, e TEXT)", &[])?;
            session.run("INSERT INTO x VALUES ($1, $2, $3, $4, $5)", &values)
        })
        .unwrap();
        let row = read(&**store, |session| first(session, "SELECT a, b, c, d, e FROM x", &[])).unwrap().unwrap();
        assert_eq!(row.0, values, "{name}");
        assert_eq!(row.text(2), Some("Ä'; DROP TABLE x; --\u{fffd}"), "{name}");
    });
}

#[test]
fn work_that_fails_leaves_nothing() {
    on_migrated(|store, name| {
        let failed = write(&**store, |session| {
            session.run("INSERT INTO build (name) VALUES ($1)", &["half".into()])?;
            session.run("INSERT INTO nowhere (name) VALUES ($1)", &["half".into()])
        });
        assert!(failed.is_err());
        assert_eq!(count(&**store, "build"), 0, "{name}");
        let duplicate = write(&**store, |session| {
            session.run("INSERT INTO build (name) VALUES ($1)", &["a".into()])?;
            session.run("INSERT INTO build (name) VALUES ($1)", &["a".into()])
        });
        assert!(duplicate.unwrap_err().is_duplicate, "{name}");
        let wrote = read(&**store, |session| session.run("INSERT INTO build (name) VALUES ($1)", &["a".into()]));
        assert!(wrote.is_err(), "{name}: a reader cannot write");
        assert_eq!(count(&**store, "build"), 0, "{name}");
    });
}

#[test]
fn result_is_kept_once_and_deleted_whole() {
    on_migrated(|store, name| {
        let kept = send(&**store, 1, log(1));
        assert!(!kept.was_there && kept.quarantined.is_none(), "{name}: {kept:?}");
        let again = send(&**store, 1, log(1));
        assert_eq!(again, StoredResult { was_there: true, ..kept.clone() }, "{name}");
        let of_other = send(&**store, 2, log(1));
        assert_ne!(of_other.slug, kept.slug, "{name}");
        // The slug must not follow from the file's hash and a small number.
        let is_of_hash = |text: &str| {
            let digits = originals::hash(text.as_bytes());
            let bytes = (0..12).map(|at| usize::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap() % 32);
            bytes.map(|letter| char::from(b"abcdefghjkmnpqrstuvwxyz023456789"[letter])).eq(kept.slug.chars())
        };
        let hash = originals::hash(&log(1));
        assert!(![hash.clone(), format!("1 {hash}"), format!("1{hash}")].iter().any(|text| is_of_hash(text)), "{name}");
        assert_eq!([count(&**store, "result"), count(&**store, "original")], [2, 1], "{name}");
        assert!(count(&**store, "name") > 0, "{name}");
        let delete = |owner: i64, slug: &str| write(&**store, |session| removal::delete(session, owner, slug)).unwrap();
        assert!(!delete(2, &kept.slug), "{name}: only its owner deletes it");
        assert!(delete(1, &kept.slug), "{name}");
        assert_eq!([count(&**store, "result"), count(&**store, "original")], [1, 1], "{name}");
        assert!(delete(2, &of_other.slug), "{name}");
        for table in ["result", "original", "name", "name_core"] {
            assert_eq!(count(&**store, table), 0, "{name}: {table}");
        }
        assert_ne!(send(&**store, 1, log(1)).slug, kept.slug, "{name}");
    });
}

/// Stops another thread when dropped.
struct StopGuard<'a>(&'a AtomicBool);

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn deletion_during_uploads_takes_nothing_of_them() {
    on_migrated(|store, name| {
        let ends = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let deleting = std::thread::Builder::new().spawn_scoped(scope, || {
                while !ends.load(Ordering::Relaxed) {
                    let kept = send(&**store, 1, log(1));
                    erase(&**store, |session| removal::delete(session, 1, &kept.slug)).unwrap();
                }
            });
            // A panic stops the other thread, too.
            let end = StopGuard(&ends);
            let mut taken = Vec::new();
            for owner in 2..60 {
                // The same board and original, which the deletion of their last result removes.
                let kept = send(&**store, owner, log(1));
                let sql = "SELECT name.words, original.size FROM result JOIN name ON name.id = result.board_id \
                           JOIN original ON original.hash = result.hash WHERE result.id = $1";
                let row = read(&**store, |session| first(session, sql, &[kept.id.into()])).unwrap();
                taken.extend(row.is_none().then_some(owner));
                erase(&**store, |session| removal::delete(session, owner, &kept.slug)).unwrap();
            }
            drop(end);
            deleting.unwrap().join().unwrap();
            assert_eq!(taken, [0; 0], "{name}");
        });
    });
}

#[test]
fn original_comes_back_redacted() {
    on_migrated(|store, name| {
        let text = String::from_utf8(log(2)).unwrap() + "wlan0: 00:11:22:33:44:55\n";
        let kept = send(&**store, 1, text.into_bytes());
        let sql = "SELECT hash, machine, sevenzip_single_mips, listed FROM result WHERE id = $1";
        let row = read(&**store, |session| first(session, sql, &[kept.id.into()])).unwrap().unwrap();
        let original = read(&**store, |session| originals::get(session, &row.words(0))).unwrap();
        let original = String::from_utf8(original).unwrap();
        assert!(original.contains("Raspberry Pi 4") && !original.contains("00:11:22"), "{name}: {original}");
        assert!(row.words(1).starts_with("Raspberry Pi 4 Model B"), "{name}: {row:?}");
        assert_eq!(row.real(2), Some(1700.0), "{name}");
        assert!(row.flag(3), "{name}");
    });
}

#[test]
fn original_comes_back_in_pieces_and_damage_is_seen() {
    on_migrated(|store, name| {
        let mut chance = testkit::virtual_board::Chance::new(1);
        let bytes: Vec<u8> = (0..1_000_000).map(|_| chance.whole(0, 255) as u8).collect();
        let whole = |original: &CompressedOriginal| {
            let mut unpacking = Unpacking::new(original.hash.clone(), original.size);
            let mut found = Vec::new();
            while let Some(piece) = unpacking.next(&**store, 65_536)? {
                assert!((1..=65_536).contains(&piece.len()), "{name}");
                found.extend(piece);
            }
            Ok::<Vec<u8>, StoreError>(found)
        };
        for size in [0, 1, 65_536, 65_537, bytes.len()] {
            let original = CompressedOriginal::of(&bytes[..size]);
            assert!(whole(&original).is_err() || size == 0, "{name}: it is not there");
            write(&**store, |session| originals::keep(session, &original)).unwrap();
            assert!(whole(&original).unwrap() == bytes[..size], "{name}: {size}");
        }
        let spoil = |sql: &str| write(&**store, |session| session.run(sql, &[])).unwrap();
        let last = CompressedOriginal::of(&bytes);
        spoil("UPDATE original SET packed = substr(packed, 1, 500000) WHERE size = 1000000");
        assert!(whole(&last).unwrap_err().message.contains("is damaged"), "{name}");
        let other = CompressedOriginal { hash: originals::hash(b"other"), ..CompressedOriginal::of(&bytes[1..]) };
        write(&**store, |session| originals::keep(session, &other)).unwrap();
        assert!(whole(&other).unwrap_err().message.contains("is damaged"), "{name}");
    });
}

#[test]
fn unreadable_uploads_are_quarantined_with_their_reason() {
    on_migrated(|store, name| {
        let deep = "{\"a\":".repeat(100_000);
        let values = ["{\"a\": 1}", "hello", "\u{0}\u{1}", "sbc1 ", "{\"event\"", deep.as_str()];
        for (text, owner) in values.into_iter().zip(1..) {
            let kept = send(&**store, owner, text.as_bytes().to_vec());
            assert!(kept.quarantined.is_some(), "{name}: {text:.20}");
        }
        assert_eq!(count(&**store, "result WHERE listed = 1"), 0, "{name}");
    });
}

#[test]
fn a_newer_build_derives_everything_once_more() {
    on_migrated(|store, name| {
        let old = results::build_number(&**store, "old").unwrap();
        for number in 0..20 {
            send(&**store, 1, log(number));
        }
        send(&**store, 1, b"no log".to_vec());
        assert_eq!(results::build_number(&**store, "old").unwrap(), old, "{name}");
        let new = results::build_number(&**store, "new").unwrap();
        assert!(new > old, "{name}");
        let spoil = "UPDATE result SET headline = '', sevenzip_single_mips = NULL";
        write(&**store, |session| session.run(spoil, &[])).unwrap();
        assert_eq!(outdated::count(&**store, new).unwrap(), 21, "{name}");
        // Two workers share the work; nothing is done twice.
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let store = Arc::clone(store);
                let work = move || {
                    (0..)
                        .take_while(|_| outdated::derive_one(&*store, workers(), &Stop::default(), new).unwrap())
                        .count()
                };
                std::thread::Builder::new().spawn(work).unwrap()
            })
            .collect();
        let done: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert!(done >= 21, "{name}: {done}");
        assert_eq!(outdated::count(&**store, new).unwrap(), 0, "{name}");
        assert!(
            !outdated::derive_one(&**store, workers(), &Stop::default(), old).unwrap(),
            "{name}: an older build leaves it alone"
        );
        assert_eq!(count(&**store, "result WHERE sevenzip_single_mips = 1700 AND headline <> ''"), 20, "{name}");
    });
}

#[test]
fn a_result_that_cannot_be_derived_does_not_stop_the_others() {
    on_migrated(|store, name| {
        let kept: Vec<StoredResult> = (0..3).map(|number| send(&**store, 1, log(number))).collect();
        let id = kept[0].id;
        let refuses = match store.dialect() {
            Dialect::Sqlite => format!(
                "CREATE TRIGGER no BEFORE UPDATE ON result WHEN NEW.id = {id} AND NEW.headline <> '' \
                 BEGIN SELECT RAISE(ABORT, 'no'); END"
            ),
            Dialect::Postgres => {
                format!("ALTER TABLE result ADD CONSTRAINT no CHECK (id <> {id} OR headline = '') NOT VALID")
            }
        };
        write(&**store, |session| session.run(&refuses, &[])).unwrap();
        let new = results::build_number(&**store, "new").unwrap() + 1;
        for _ in 0..3 {
            assert!(outdated::derive_one(&**store, workers(), &Stop::default(), new).unwrap(), "{name}");
        }
        assert_eq!(outdated::count(&**store, new).unwrap(), 0, "{name}");
        let why = "SELECT quarantined FROM result ORDER BY id";
        let rows = read(&**store, |session| session.run(why, &[])).unwrap();
        let why: Vec<Option<&str>> = rows.iter().map(|row| row.text(0)).collect();
        assert!(
            why[0].is_some_and(|why| why.contains("cannot be kept")) && why[1..] == [None, None],
            "{name}: {why:?}"
        );
    });
}

#[test]
fn nothing_begins_after_it_came() {
    on_migrated(|store, name| {
        // The log of 2022 arrives in 1970.
        let kept = send(&**store, 1, log(1));
        let started =
            || number(&**store, "SELECT started_utc_ms FROM result WHERE id = $1", &[kept.id.into()]).unwrap();
        assert_eq!(started(), 1_000, "{name}");
        assert!(outdated::derive_one(&**store, workers(), &Stop::default(), 2).unwrap(), "{name}");
        assert_eq!(started(), 1_000, "{name}: derived once more");
    });
}

#[test]
fn tokens_are_found_until_revoked() {
    on_migrated(|store, name| {
        let make = || write(&**store, |session| tokens::make(session, "shelf", &[Scope::Upload], 5));
        let secret = make().unwrap();
        assert!(make().unwrap_err().message.contains("exists"), "{name}");
        let find = |secret: &str| read(&**store, |session| tokens::find(session, secret)).unwrap();
        assert_eq!(find(&secret).unwrap().scopes, [Scope::Upload], "{name}");
        assert_eq!(find("sbch_0"), None, "{name}");
        assert!(write(&**store, |session| tokens::revoke(session, "shelf", 6)).unwrap(), "{name}");
        assert!(!write(&**store, |session| tokens::revoke(session, "none", 6)).unwrap(), "{name}");
        assert_eq!(find(&secret), None, "{name}");
        let all = read(&**store, tokens::all).unwrap();
        assert_eq!(all[0].revoked_utc_ms, Some(6), "{name}");
        let raw = read(&**store, |session| session.run("SELECT secret_hash FROM token", &[])).unwrap();
        assert!(!raw[0].words(0).contains(&secret), "{name}");
    });
}

#[test]
fn the_same_file_sent_by_many_at_once_is_kept_once() {
    on_migrated(|store, name| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                let store = Arc::clone(store);
                std::thread::Builder::new().spawn(move || send(&*store, 1, log(7)).slug).unwrap()
            })
            .collect();
        let mut slugs: Vec<String> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        slugs.dedup();
        assert_eq!(slugs.len(), 1, "{name}");
        assert_eq!(count(&**store, "result"), 1, "{name}");
    });
}

#[test]
fn a_hub_that_starts_has_the_counts_that_were_noted() {
    on_migrated(|store, name| {
        for number in 0..3 {
            send(&**store, 1, log(number));
        }
        let hub = || Hub::new(Arc::clone(store), Settings::default()).unwrap();
        assert_eq!(hub().counts().total, 3, "{name}: none are noted, so they are counted");
        let counts = Counts::of(&**store).unwrap();
        counts.note(&**store).unwrap();
        send(&**store, 1, log(4));
        assert_eq!(*hub().counts(), counts, "{name}: nothing is counted at the start");
        assert_eq!(hub().counts().all(Kind::Board)[0].count, 3, "{name}");
        let spoil = "UPDATE counted SET counts = '{}'";
        write(&**store, |session| session.run(spoil, &[])).unwrap();
        assert_eq!(hub().counts().total, 4, "{name}: what cannot be read is counted once more");
    });
}

#[test]
fn original_of_a_standard_run_takes_little_room() {
    let record = sources::Records::new().next();
    assert!(record.len() >= 200_000, "{}", record.len());
    let packed = originals::pack(&record).len();
    assert!(packed < 40_000, "{packed}");
}

#[test]
fn derived_figures_are_those_of_the_log() {
    let derived = derive(&record(log(3)).unwrap(), Some("kitchen")).unwrap();
    assert_eq!(derived.machine, "kitchen");
    assert_eq!(derived.kind, "log");
    assert_eq!(derived.sorted_by[2], Some(1700.0));
}
