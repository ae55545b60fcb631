//! The binary over HTTP, on both databases: uploads, reads, ownership.

use crate::common::hub_process::HubProcess;
use crate::common::{made, on_hubs};
use serde_json::Value;

#[test]
fn result_goes_in_and_comes_out_everywhere() {
    on_hubs(&[], |hub| {
        let sent = hub.send("?publish=1", &made::log("Board <b>One</b>", 1, 7000.0));
        assert_eq!(sent.status, 201, "{}", sent.body);
        let first = &sent.json()["results"][0];
        assert_eq!([&first["state"], &first["known"]], [&Value::from("listed"), &Value::from(false)]);
        let id = first["id"].as_str().unwrap().to_owned();
        assert_eq!(first["url"], format!("{}/r/{id}", hub.url));
        let again = hub.send("?publish=1", &made::log("Board <b>One</b>", 1, 7000.0));
        assert_eq!((again.status, again.json()["results"][0]["id"].as_str()), (200, Some(id.as_str())));
        hub.wait_for("/metrics", |answer| answer.body.contains("sbc_bench_hub_results 1\n"));
        for (path, expected) in [
            ("/", "Board &lt;b&gt;One&lt;/b&gt;"),
            ("/?q=board+one", "Board &lt;b&gt;One"),
            ("/?sort=sevenzip_multi_mips&verdict=valid", "7000"),
            ("/?q=nothing", "No results."),
            ("/names/board", "/board/boardboneb"),
            // The lowest value in the unit of the lists.
            (
                "/board/boardboneb",
                "<td>Clock (MHz)</td><td class=\"n\" data-label=\"Results\">1</td><td class=\"n\" data-label=\"Lowest\">1798<",
            ),
            ("/names/core", "Cortex-A72"),
            ("/names/kernel", "?kernel="),
            ("/board/board-b-one-b", "Board &lt;b&gt;One"),
            ("/core/cortex-a72", "Board &lt;b&gt;One"),
            ("/stability", "No run died"),
            ("/feed.atom", "<title>Board &lt;b&gt;One"),
            (&format!("/r/{id}"), "7-zip"),
            (&format!("/r/{id}/trend"), "1 result."),
            (&format!("/r/{id}?fbclid=x&utm_source=y"), "id=\"causes\""),
            ("/?q=board+one&fbclid=x", "Board &lt;b&gt;One"),
            (&format!("/r/{id}"), "href=\"/names/board\""),
            (&format!("/r/{id}/card.png"), "PNG"),
            (&format!("/compare?id={id}&id={id}"), "Comparison"),
            (&format!("/compare?id={id}"), &format!("value=\"{id}\"")),
            ("/compare", "<form"),
            ("/?kernel=x&q=y", "<input type=\"hidden\" name=\"kernel\" value=\"x\">"),
            ("/badge/board/board-b-one-b.svg", "7000 MIPS"),
            (&format!("/badge/{id}.svg"), "7000 MIPS"),
            ("/api/results", "\"sevenzip_multi_mips\":7000"),
            ("/api/results?format=csv", ",7000,"),
            (&format!("/api/results/{id}"), "\"state\":\"listed\""),
            (&format!("/api/results/{id}/original"), "Executing ramlat"),
            (&format!("/api/results/{id}/findings"), "\"verdict\""),
            ("/api/names/board", "boardboneb"),
            ("/api/references", "Board <b>One</b>"),
            ("/api/openapi.json", "3.1.0"),
            ("/healthz", "alive"),
            ("/readyz", "ready"),
        ] {
            let answer = hub.get(path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            assert!(answer.body.contains(expected), "{path}: {}", answer.body);
            assert!(!answer.header("content-type").contains("html") || !answer.body.contains("<b>One"), "{path}");
            assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
            assert_eq!(answer.header("set-cookie"), "", "{path}");
            let tag = answer.header("etag");
            let known = hub.get_with(path, &[("if-none-match", tag)]);
            assert!(known.status == 304 || path == "/metrics", "{path}: {}", known.status);
        }
        let references = hub.get("/api/references").body;
        let rows = compare::reference::parse(&references).unwrap();
        assert_eq!((rows.len(), rows[0].cores.len()), (1, 2), "{references}");
        assert!(rows[0].figures.len() > 3, "{references}");
    });
}

#[test]
fn results_are_unlisted_until_their_owner_lists_them() {
    on_hubs(&[], |hub| {
        let id = hub.keep("", &made::log("Board Two", 1, 7000.0));
        assert_eq!(hub.listed(""), 0);
        assert_eq!(hub.get(&format!("/r/{id}")).status, 200, "who has the address may read it");
        let change = |method: &str, path: &str| hub.ask(method, &format!("/api/results/{id}{path}")).status;
        assert_eq!(change("POST", "/publish"), 200);
        assert_eq!(hub.get("/api/results").json()["results"][0]["id"], id);
        assert_eq!(change("DELETE", "/publish"), 200);
        assert_eq!(hub.listed(""), 0);
        let other = hub.run(&["token", "make", "other"]);
        let mine = std::mem::replace(&mut hub.secret, other);
        let as_other =
            |hub: &HubProcess, method: &str, path: &str| hub.ask(method, &format!("/api/results/{id}{path}")).status;
        assert_eq!(as_other(hub, "DELETE", ""), 404, "only its owner");
        assert_eq!(as_other(hub, "POST", "/publish"), 404, "only its owner");
        hub.secret = mine;
        assert_eq!(as_other(hub, "DELETE", ""), 200);
        assert_eq!(hub.get(&format!("/r/{id}")).status, 404);
    });
}

#[test]
fn a_log_that_nobody_reads_holds_up_nothing() {
    let hub = HubProcess::with_unread_log();
    let client = hub.client();
    // Each request writes a line; a pipe holds some hundred.
    for number in 0..2_000 {
        assert_eq!(client.send("DELETE", "/api/results/none", None).status, 404, "{number}");
    }
}

#[test]
fn names_are_found_at_once_and_those_of_unlisted_results_by_nobody() {
    on_hubs(&[], |hub| {
        let id = hub.keep("", &made::log("Board Hidden", 1, 7000.0));
        assert_eq!(hub.get("/board/board-hidden").status, 404);
        assert_eq!(hub.listed("?q=hidden"), 0);
        assert_eq!(hub.ask("POST", &format!("/api/results/{id}/publish")).status, 200);
        assert_eq!(hub.get("/board/board-hidden").status, 200);
        // None is counted yet when it is searched.
        for number in 0..20 {
            hub.keep("?publish=1", &made::log(&format!("Newboard{number}"), 1, 7000.0));
            assert_eq!(hub.listed(&format!("?q=newboard{number}")), 1, "{number}");
        }
    });
}

#[test]
fn tokens_have_scopes_and_can_be_revoked() {
    on_hubs(&[], |hub| {
        let refused = |hub: &HubProcess, status: u16, why: &str| {
            let answer = hub.send("", b"x");
            assert_eq!(answer.status, status, "{}", answer.body);
            assert!(answer.json()["error"].as_str().unwrap().contains(why), "{}", answer.body);
        };
        hub.secret = hub.run(&["token", "make", "small", "--scopes", "upload"]);
        assert_eq!(hub.send("", b"x").status, 201);
        assert_eq!(hub.send("?publish=1", b"x").status, 403);
        assert_eq!(hub.ask("DELETE", "/api/results/x").status, 403);
        hub.run(&["token", "revoke", "small"]);
        refused(hub, 401, "unknown or was revoked");
        assert_eq!(hub.run(&["migrate"]), "The database is up to date.");
        let list = hub.run(&["token", "list"]);
        assert!(list.contains("small\tupload\trevoked"), "{list}");
        hub.secret = "sbch_none".into();
        refused(hub, 401, "unknown or was revoked");
        hub.secret = hub.run(&["token", "make", "reader", "--scopes", "delete"]);
        refused(hub, 403, "upload");
    });
}

#[test]
fn owners_see_all_that_is_theirs_page_by_page() {
    on_hubs(&[], |hub| {
        hub.keep("?publish=1", &made::log("Board Listed", 1, 7000.0));
        hub.keep("", b"no log");
        hub.keep("?machine=shelf", &made::log("Board Unlisted", 2, 7000.0));
        assert_eq!(hub.get("/api/mine").status, 401);
        let mut states = Vec::new();
        let mut path = "/api/mine?limit=2".to_owned();
        while !path.is_empty() {
            let page = hub.ask("GET", &path).json();
            states.extend(
                page["results"].as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap().to_owned()),
            );
            path = page["next"].as_str().map_or_else(String::new, |next| format!("/api/mine?limit=2&cursor={next}"));
        }
        assert_eq!(states, ["unlisted", "quarantined", "listed"]);
        hub.secret = hub.run(&["token", "make", "other"]);
        assert_eq!(hub.ask("GET", "/api/mine").json()["results"], Value::Array(Vec::new()));
    });
}

#[test]
fn result_that_is_sent_again_is_listed_and_named_as_it_is_then() {
    on_hubs(&[], |hub| {
        let log = made::log("Board Again", 1, 7000.0);
        hub.keep("", &log);
        let again = hub.send("?publish=1", &log).json();
        assert_eq!(
            [&again["results"][0]["state"], &again["results"][0]["known"]],
            [&Value::from("listed"), &Value::from(true)]
        );
        let later = hub.send("", &log).json();
        assert_eq!(later["results"][0]["state"], "listed", "it stays listed");
        let machine = |hub: &HubProcess| hub.ask("GET", "/api/mine").json()["results"][0]["machine"].clone();
        assert_ne!(machine(hub), "shelf-9");
        hub.send("?machine=shelf-9", &log);
        assert_eq!(machine(hub), "shelf-9");
        hub.send("", &log);
        assert_eq!(machine(hub), "shelf-9", "it keeps its name");
        assert_eq!(hub.get("/badge/board/board-again.svg").status, 200);
        assert_eq!(hub.get("/badge/board/board-unknown.svg").status, 404);
    });
}

#[test]
fn review_of_a_machine_has_its_page() {
    let hub = HubProcess::start(None, &[]);
    let log = include_bytes!("../../explain/tests/composed/reviews/two-clusters.md");
    let id = hub.keep("?publish=1", log);
    let page = hub.get(&format!("/r/{id}"));
    assert!(page.status == 200 && page.body.contains("<section id=\"main-figures\""), "{}", page.body);
}

#[test]
fn quarantined_files_are_seen_by_their_owner_alone() {
    on_hubs(&[], |hub| {
        let sent = hub.send("?publish=1", b"{\"a\": \"<script>\"}").json();
        let one = &sent["results"][0];
        assert_eq!(one["state"], "quarantined");
        assert!(one["url"].as_str().unwrap().contains("/api/results/"), "it has no page: {one}");
        assert!(one["reason"].as_str().unwrap().contains("not an sbc-bench result file"), "{one}");
        let path = format!("/api/results/{}", one["id"].as_str().unwrap());
        assert_eq!(hub.get(&path).status, 404);
        assert_eq!(hub.ask("GET", &path).json()["state"], "quarantined");
    });
}

#[test]
fn pages_follow_each_other_without_gaps() {
    on_hubs(&[], |hub| {
        for number in 0..25 {
            hub.keep("?publish=1", &made::log("Board Three", number, 7000.0 + 10.0 * f64::from(number % 5)));
        }
        for sort in ["newest", "sevenzip_multi_mips", "clock_khz"] {
            let mut seen = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = hub.get(&format!("/api/results?limit=7&sort={sort}&cursor={cursor}&board=board-three"));
                let page = page.json();
                seen.extend(
                    page["results"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()),
                );
                match page["next"].as_str() {
                    Some(next) => cursor = next.to_owned(),
                    None => break,
                }
            }
            let count = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!((count, seen.len()), (25, 25), "{sort}");
        }
        let page = hub.get("/?sort=sevenzip_multi_mips").body;
        assert!(page.find("7040").unwrap() < page.find("7000").unwrap(), "the best first");
    });
}

#[test]
fn wrong_questions_are_refused_in_words() {
    on_hubs(&[], |hub| {
        for (path, status) in [
            ("/api/results?nothing=1", 400),
            ("/api/results?limit=0", 400),
            ("/api/results?limit=9999999999999999999999", 400),
            ("/api/results?cursor=x", 400),
            ("/api/results?cursor=NaN_1", 400),
            ("/api/results?sort=id;DROP", 400),
            ("/api/results?verdict='", 400),
            ("/api/results?q=%ff", 400),
            ("/api/results?q=%00%27", 200),
            ("/api/results?board=%27+OR+1=1--", 200),
            ("/api/results/%00", 404),
            ("/api/results/%ff", 404),
            ("/r/..%2f..%2fetc%2fpasswd", 404),
            ("/api/names/none", 404),
            ("/api/changes", 401),
            ("/compare?id=a&id=b&id=c&id=d&id=e&id=f", 400),
            ("/compare?id=a&id=b", 404),
            ("/badge/x", 404),
            ("/nothing", 404),
        ] {
            let answer = hub.get(path);
            assert_eq!(answer.status, status, "{path}: {}", answer.body);
            assert!(status != 400 || answer.body.contains("error") || answer.body.contains("<p>"), "{path}");
        }
    });
}

#[test]
fn senders_who_come_too_often_wait() {
    // Rates that even a busy machine exceeds.
    on_hubs(&["--requests-per-minute", "10", "--uploads-per-minute", "1"], |hub| {
        let statuses: Vec<u16> = (0..3).map(|number| hub.send("", format!("{number}").as_bytes()).status).collect();
        assert_eq!(statuses, [201, 429, 429]);
        let refused = (0..40).map(|_| hub.get("/")).find(|answer| answer.status == 429).unwrap();
        assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
        assert_eq!(hub.get("/healthz").status, 200, "probes are always answered");
    });
}

#[test]
fn hub_ends_gracefully_and_keeps_everything() {
    on_hubs(&[], |hub| {
        let id = hub.keep("?publish=1", &made::log("Board Four", 1, 7000.0));
        assert!(hub.terminate());
        hub.kill_and_restart();
        assert_eq!(hub.get(&format!("/r/{id}")).status, 200);
    });
}

#[test]
fn filters_take_names_as_people_write_them() {
    on_hubs(&[], |hub| {
        hub.keep("?publish=1", &made::log("Board One (rev. 1.0)", 1, 7000.0));
        for (query, expected) in [
            ("board=Board%20One%20(rev.%201.0)", 1),
            ("board=board-one", 1),
            ("board=BOARD+ONE", 1),
            ("core=Cortex-A72&board=Board+One+(rev.+1.0)", 1),
            ("board=Board%20Two", 0),
        ] {
            assert_eq!(hub.listed(&format!("?{query}")), expected, "{query}");
        }
        let refused = hub.get("/api/results?bord=x");
        assert_eq!(refused.status, 400);
        assert!(refused.body.contains("known parameters: board, soc"), "{}", refused.body);
    });
}

#[test]
fn search_engines_and_browsers_are_told_what_is_there() {
    let hub = HubProcess::start(None, &[]);
    let unlisted = hub.keep("", &made::log("Board One", 1, 7000.0));
    let listed = hub.keep("?publish=1", &made::log("Board Two", 2, 7100.0));
    for (path, expected) in [
        (format!("/r/{unlisted}"), "noindex"),
        (format!("/r/{unlisted}/card.png"), "noindex"),
        (format!("/r/{unlisted}/trend"), "noindex"),
        (format!("/r/{listed}"), ""),
        ("/".to_owned(), ""),
    ] {
        assert_eq!(hub.get(&path).header("x-robots-tag"), expected, "{path}");
    }
    assert!(hub.get("/robots.txt").body.contains("Disallow: /api/"));
    let page = hub.get_with("/nothing", &[("accept", "text/html,*/*")]);
    assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"));
    assert_eq!(hub.get("/nothing").header("content-type"), "application/json");
}

#[test]
fn page_of_a_result_says_what_the_program_says() {
    let hub = HubProcess::start(None, &[]);
    let letters = |text: &str| {
        let text = text.replace("&amp;", "&").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<");
        text.split_whitespace().collect::<String>()
    };
    for text in [
        include_str!("../../explain/tests/composed/0.7.9-swapping.txt"),
        include_str!("../../explain/tests/composed/0.9.72-hot.txt"),
        include_str!("../../explain/tests/composed/0.9.72-raspberry-pi.txt"),
        include_str!("../../explain/tests/composed/0.9.61-riscv-out-of-memory.txt"),
        include_str!("../../explain/tests/composed/before-0.4.txt"),
    ] {
        let explained = explain::explain(logs::read(text));
        let verdict = explain::Narrative::of(&explained.facts, &explained.assessment).verdict;
        let known = compare::reference::Reference::builtin();
        let place = compare::neighbours(&explained.facts, &explained.assessment, known).map(|found| found.sentence());
        // Results that are not listed are not among the known ones.
        let id = hub.send("", text.as_bytes()).json()["results"][0]["id"].as_str().unwrap().to_owned();
        let page = letters(&hub.get(&format!("/r/{id}")).body);
        for sentence in [Some(&verdict), place.as_ref()].into_iter().flatten() {
            assert!(page.contains(&letters(sentence)), "no {sentence} in {page}");
        }
        assert!(place.is_some() || !page.contains("knownboards"), "{page}");
        let findings = hub.get(&format!("/api/results/{id}/findings")).json();
        assert_eq!(findings["verdict_sentence"], verdict.as_str(), "{findings}");
    }
}
