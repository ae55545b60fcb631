//! Commands of the operator: hooks with secret targets, removal of results and of their bytes.

use crate::common::hub_process::{HubProcess, program, said};
use crate::common::{Folder, made, on_hubs};
use hub::store::{first, read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn targets_of_hooks_are_no_arguments_and_their_secrets_are_not_listed() {
    on_hubs(&[], |hub| {
        let secret = "smtps://me:SECRET@mail.example:465/?from=hub@lab&to=owner@lab";
        let (is_done, said) = hub.operate(&["hook", "add", "owner", "--form", "mail", secret], "");
        assert!(!is_done && said.contains("--target-file FILE") && !said.contains("SECRET"), "{said}");
        let (is_done, said) = hub.operate(&["hook", "add", "owner", "--form", "mail"], secret);
        assert!(!is_done && said.contains("The target is missing"), "{said}");
        assert_eq!(hub.operate(&["hook", "list"], ""), (true, String::new()));
        let (is_done, said) = hub.operate(&["hook", "add", "owner", "--form", "mail", "-"], &format!("{secret}\n"));
        assert!(is_done, "{said}");
        let file = hub.data.join("target");
        std::fs::write(&file, "http://me:SECRET@127.0.0.1:8080/SECRET?key=SECRET\n").unwrap();
        let add = ["hook", "add", "owner", "--target-file", file.to_str().unwrap()];
        let (is_done, said) = hub.operate(&add, "");
        assert!(
            !is_done && said.contains("127.0.0.1 of a private network") && said.contains("--allow-private"),
            "{said}"
        );
        assert!(hub.operate(&[&add[..], &["--allow-private"]].concat(), "").0);
        let listed = "owner\tmail\tsmtps://mail.example:465\toutside alone\n\
                      owner\tgeneric\thttp://127.0.0.1:8080\tprivate networks allowed\n";
        assert_eq!(hub.operate(&["hook", "list"], ""), (true, listed.to_owned()));
        for wrong in ["ftp://localhost/", "smtp://localhost/", "http://a\nhttp://b", "", "http://a/\"x"] {
            let (is_done, said) = hub.operate(&["hook", "add", "owner", "--allow-private", "-"], wrong);
            assert!(!is_done && said.lines().count() == 1, "{wrong}: {said}");
        }
        assert!(hub.operate(&["hook", "remove", "owner"], "").0);
        assert_eq!(hub.operate(&["hook", "list"], ""), (true, String::new()));
    });
}

#[test]
fn results_are_hidden_and_deleted_by_the_operator() {
    on_hubs(&[], |hub| {
        let ids: Vec<String> =
            (0..3).map(|number| hub.keep("?publish=1", &made::log("Board O", number, 7000.0))).collect();
        let there = |id: &str| hub.get(&format!("/r/{id}")).status;
        assert_eq!(hub.operate(&["hide", &ids[0]], ""), (true, "1 result hidden.\n".to_owned()));
        assert_eq!((hub.listed(""), there(&ids[0])), (2, 200));
        let (is_done, said) = hub.operate(&["delete", &ids[1], "nosuchresult"], "");
        assert!(!is_done && said.contains("No result nosuchresult; nothing was changed."), "{said}");
        assert_eq!((hub.listed(""), there(&ids[1])), (2, 200));
        let (is_done, said) = hub.operate(&["delete", &ids[0], &ids[1]], "");
        assert!(
            is_done && said.starts_with("2 results deleted.\n") && said.contains("sbc-bench-hub compact"),
            "{said}"
        );
        assert_eq!(said.contains("PostgreSQL"), hub.database.is_some(), "{said}");
        assert_eq!((hub.listed(""), there(&ids[0]), there(&ids[1]), there(&ids[2])), (1, 404, 404, 200));
    });
}

#[test]
fn revoked_token_takes_its_results_and_hooks_with_it() {
    on_hubs(&[], |hub| {
        let secret = hub.run(&["token", "make", "guest"]);
        let own = hub.keep("?publish=1", &made::log("Board K", 1, 7000.0));
        let owner = std::mem::replace(&mut hub.secret, secret);
        let ids: Vec<String> = (0..60).map(|number| hub.keep("", &made::log("Board G", number, 7000.0))).collect();
        let (is_done, said) = hub.operate(&["hook", "add", "guest", "-"], "https://hook.example/KEY");
        assert!(is_done, "{said}");
        hub.secret = owner;
        let (is_done, said) = hub.operate(&["token", "revoke", "guest", "--delete"], "");
        assert!(is_done && said.starts_with("Revoked guest.\n60 results deleted.\n"), "{said}");
        assert!(ids.iter().all(|id| hub.get(&format!("/r/{id}")).status == 404));
        assert_eq!(hub.get(&format!("/r/{own}")).status, 200);
        assert_eq!(hub.operate(&["hook", "list"], ""), (true, String::new()));
        assert!(!hub.operate(&["token", "revoke", "nobody", "--delete"], "").0);
    });
}

#[test]
fn import_makes_a_hub_that_is_private() {
    let folder = Folder::new();
    let (data, results) = (folder.0.join("new/data"), folder.0.join("results"));
    std::fs::create_dir(&results).unwrap();
    std::fs::write(results.join("a.log"), made::log("Board I", 1, 7000.0)).unwrap();
    let import = ["import", results.to_str().unwrap(), "--publish"];
    let (is_done, told) = said(&program(&data, None, &import).output().unwrap());
    assert!(is_done && told.contains("1 new result, 0 known before, 0 files ignored."), "{told}");
    for path in [data.clone(), data.join("hub.sqlite"), data.join("token")] {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
    let hub = HubProcess::on(data, None, &[]);
    assert_eq!(hub.listed(""), 1);
    hub.keep("", &made::log("Board I", 2, 7000.0));
    let (is_done, told) = hub.operate(&[&import[..], &["--owner", "nobody"]].concat(), "");
    assert!(!is_done && told.contains("make it by `sbc-bench-hub token make nobody`"), "{told}");
}

/// The unit has the address of its PostgreSQL in a file of systemd, which `sudo` does not put into the environment.
#[test]
fn operator_reaches_the_database_of_the_unit() {
    let script = "mount -t tmpfs none /etc && mkdir /etc/sbc-bench && echo \"$1\" > /etc/sbc-bench/hub.env && shift && \
                  echo ready && exec \"$@\"";
    let database = "SBC_BENCH_HUB_DATABASE=postgres://hub@127.0.0.1:1/hub";
    for (words, expected) in [
        (&["token", "list"][..], "Connection refused"),
        (&["token", "list", "--data", "/nowhere"], "/nowhere has no hub.sqlite"),
        (&["licences"], "sbc-bench is licensed under"),
    ] {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script, "sh", database]).arg(env!("CARGO_BIN_EXE_sbc-bench-hub")).args(words);
        command.env_remove("SBC_BENCH_HUB_DATABASE").env_remove("SBC_BENCH_HUB_DATA");
        let told = command.output().map(|output| said(&output).1).unwrap_or_default();
        if !told.starts_with("ready") {
            return testkit::skip("a root of its own cannot be made for a test (root and unshare)");
        }
        assert!(told.contains(expected), "{words:?}: {told}");
    }
}

/// All files of a database.
fn files(hub: &HubProcess) -> Vec<PathBuf> {
    let Some(url) = &hub.database else {
        let names = ["hub.sqlite", "hub.sqlite-wal"];
        return names.iter().map(|name| hub.data.join(name)).filter(|file| file.exists()).collect();
    };
    // Writes cached pages to the files.
    assert!(Command::new("psql").args(["-q", "-d", url, "-c", "CHECKPOINT"]).status().unwrap().success());
    let folder = url.split_whitespace().find_map(|word| word.strip_prefix("host=")).unwrap();
    let databases = std::fs::read_dir(Path::new(folder).join("data/base")).unwrap();
    let inner = databases.flat_map(|database| std::fs::read_dir(database.unwrap().path()).unwrap());
    inner.map(|file| file.unwrap().path()).filter(|file| file.is_file()).collect()
}

/// Number of occurrences of some bytes in the files.
fn occurrences(hub: &HubProcess, bytes: &[u8]) -> usize {
    let count = |file: PathBuf| {
        // PostgreSQL may have removed it.
        let content = std::fs::read(file).unwrap_or_default();
        content.windows(bytes.len()).filter(|window| window[0] == bytes[0] && window == &bytes).count()
    };
    files(hub).into_iter().map(count).sum()
}

#[test]
fn bytes_of_what_was_deleted_are_in_no_file_of_the_database() {
    on_hubs(&[], |hub| {
        let machine = "SecretMachine";
        let open = hub.keep("?publish=1&machine=kitchen", &made::log("Board Open", 1, 7000.0));
        let send = |hub: &HubProcess, number: u32| {
            let mut log = made::log(&format!("Board Secret{number:03}"), number, 7000.0);
            // Makes the compressed bytes of each unique.
            let digits =
                (0..60).map(|at| format!("{number:04} {}\n", &hub::originals::hash(&[number as u8, at as u8])[..7]));
            log.extend(digits.collect::<String>().bytes());
            hub.keep(&format!("?publish=1&machine={machine}{number:03}"), &log)
        };
        let ids: Vec<String> = (0..100).map(|number| send(hub, number)).collect();
        // The stored counts contain the names.
        hub.wait_for("/names/board", |answer| answer.body.contains("Secret099"));
        // Autovacuum does this at some time, and stores frequent values in the statistics.
        if let Some(url) = &hub.database {
            assert!(Command::new("psql").args(["-q", "-d", url, "-c", "ANALYZE"]).status().unwrap().success());
        }
        let original = hub.get(&format!("/api/results/{}/original", ids[7])).body;
        let packed = hub::originals::pack(original.as_bytes());
        // The end, because the logs begin alike.
        let part = packed[packed.len() - 100..][..40].to_vec();
        assert!(original.contains("0007") && packed.len() > 500, "{original}");
        assert_eq!(hub.get(&format!("/r/{}", ids[7])).status, 200);
        let sql = "SELECT key FROM page WHERE result_id = (SELECT id FROM result WHERE slug = $1)";
        let row = read(&*hub.store(), |session| first(session, sql, &[ids[7].as_str().into()]));
        let page = row.unwrap().expect("the page is kept").words(0);
        assert!(occurrences(hub, &part) > 0 && occurrences(hub, machine.as_bytes()) > 0);
        assert!(occurrences(hub, page.as_bytes()) > 0, "{page}");
        // Deleted by its owner, as any client does.
        assert_eq!(hub.ask("DELETE", &format!("/api/results/{}", ids[7])).status, 200);
        if hub.database.is_none() {
            assert_eq!((occurrences(hub, &part), occurrences(hub, page.as_bytes())), (0, 0));
        }
        let rest: Vec<&str> = ids.iter().filter(|id| **id != ids[7]).map(String::as_str).collect();
        let (is_done, said) = hub.operate(&[&["delete"], &rest[..]].concat(), "");
        assert!(is_done && said.starts_with("99 results deleted.\n"), "{said}");
        hub.run(&["compact"]);
        // Older counts are gone once the hub has counted again.
        hub.wait_for("/names/board", |answer| !answer.body.contains("Secret"));
        // Each kind of name is counted separately.
        testkit::wait_until("what was deleted is in no file", || {
            hub.run(&["compact"]);
            [machine.as_bytes(), b"Board Secret", b"board-secret", &part, page.as_bytes()]
                .iter()
                .all(|bytes| occurrences(hub, bytes) == 0)
        });
        assert_eq!(hub.get(&format!("/r/{open}")).status, 200);
    });
}
