//! Finished pages are kept with their results, for all hubs of a database, until something that they are made of changes.

use crate::common::hub_process::HubProcess;
use crate::common::{made, on_hubs};
use hub::originals;
use hub::store::{first, read, write};

fn count(hub: &HubProcess) -> i64 {
    let row = read(&*hub.store(), |session| first(session, "SELECT count(*) FROM page", &[]));
    row.unwrap().unwrap().integer(0).unwrap()
}

/// Replaces all kept pages.
fn replace(hub: &HubProcess, packed: &[u8]) {
    write(&*hub.store(), |session| session.run("UPDATE page SET packed = $1", &[packed.to_vec().into()])).unwrap();
}

#[test]
fn page_is_kept_until_a_part_of_it_changes() {
    on_hubs(&[], |hub| {
        let id = hub.keep("?publish=1", &made::log("Board F", 1, 7000.0));
        // It is finished before anybody asks for it.
        hub.wait_for("/metrics", |metrics| metrics.body.contains("finished_total 1\n"));
        assert_eq!(count(hub), 1);
        let path = format!("/r/{id}");
        let page = hub.get(&path);
        assert!(page.status == 200 && page.body.contains("id=\"causes\""), "{}", page.body);
        let tag = page.header("etag").to_owned();
        assert_eq!(hub.get_with(&path, &[("if-none-match", &tag)]).status, 304);
        hub.kill_and_restart();
        let again = hub.get(&path);
        assert_eq!((again.header("etag"), &again.body), (tag.as_str(), &page.body));

        replace(hub, &originals::pack(b"the kept page"));
        assert_eq!(hub.get(&path).body, "the kept page");
        replace(hub, b"damaged");
        assert_eq!(hub.get(&path).body, page.body, "it is made again");

        replace(hub, &originals::pack(b"the kept page"));
        hub.keep("?publish=1", &made::log("Board F", 2, 7100.0));
        let compared = hub.get(&path);
        assert_ne!(compared.header("etag"), tag, "the other result is one of the known ones");
        assert!(compared.body.contains("id=\"causes\""), "{}", compared.body);
    });
}

#[test]
fn deleted_result_takes_its_page_with_it() {
    on_hubs(&[], |hub| {
        let ids: Vec<String> = (1..4).map(|day| hub.keep("", &made::log("Board D", day, 7000.0))).collect();
        assert_eq!(count(hub), 0, "unlisted results are few people's");
        assert!(ids.iter().all(|id| hub.get(&format!("/r/{id}")).status == 200));
        assert_eq!(count(hub), 3);
        assert!(hub.ask("DELETE", &format!("/api/results/{}", ids[0])).status < 300);
        assert_eq!((hub.get(&format!("/r/{}", ids[0])).status, count(hub)), (404, 2));
        assert!(hub.operate(&["delete", &ids[1]], "").0);
        assert_eq!((hub.get(&format!("/r/{}", ids[1])).status, count(hub)), (404, 1));
        hub.kill();
        hub.verify();
    });
}
