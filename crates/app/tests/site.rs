//! `sbc-bench site` from the outside, over every log that there is: pages are valid, links lead somewhere, what did not
//! change is not written again, and nothing of others is touched.

use crate::files;
use crate::outcome::sbc_bench;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use testkit::Scratch;

const BASE: &str = "https://example.org/boards";

/// A directory of results and that of their site, removed at the end.
struct Place(Scratch);

impl Place {
    fn new(name: &str) -> Self {
        let path = Scratch::new(&format!("site-{name}"));
        std::fs::create_dir_all(path.join("in")).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.join("in").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn site(&self, options: &[&str]) -> Output {
        sbc_bench(["site"]).arg(self.0.join("in")).arg("--out").arg(self.out()).args(options).output().unwrap()
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    /// Files of the site with what changes when one is written.
    fn files(&self) -> BTreeMap<String, (u64, i64, i64)> {
        let mut found = BTreeMap::new();
        files_in(&self.out(), &mut |path| {
            let about = path.metadata().unwrap();
            let name = path.strip_prefix(self.out()).unwrap().to_str().unwrap().to_owned();
            found.insert(name, (about.ino(), about.mtime(), about.mtime_nsec()));
        });
        found
    }
}

fn files_in(folder: &Path, each: &mut impl FnMut(&Path)) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_in(&path, each) } else { each(&path) }
    }
}

fn composed() -> Vec<(String, String)> {
    files::texts(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests/composed")])
}

/// Everything that a page leads to, and the faults of its HTML.
fn links(page: &str, faults: &mut impl FnMut(String)) -> Vec<String> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
    dom.errors.borrow().iter().for_each(|error| faults(format!("not valid: {error}")));
    let (mut links, mut ids) = (Vec::new(), BTreeSet::new());
    walk(&dom.document, &mut |name, value| match name {
        "href" => links.push(value.to_owned()),
        "src" => faults(format!("loads {value}")),
        "id" if !ids.insert(value.to_owned()) => faults(format!("two of id {value}")),
        _ => {}
    });
    let missing = links.iter().filter_map(|link| link.strip_prefix('#')).filter(|id| !ids.contains(*id));
    missing.for_each(|id| faults(format!("nothing is called {id}")));
    links
}

fn walk(node: &Handle, each: &mut impl FnMut(&str, &str)) {
    if let NodeData::Element { attrs, .. } = &node.data {
        attrs.borrow().iter().for_each(|attr| each(&attr.name.local, &attr.value));
    }
    node.children.borrow().iter().for_each(|child| walk(child, each));
}

/// The texts of all elements of this name in an XML file that is well-formed.
fn texts_of(xml: &str, wanted: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let (mut inside, mut texts) = (false, Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return texts,
            Event::Start(start) => inside = start.name().as_ref() == wanted,
            Event::End(_) => inside = false,
            Event::Text(text) if inside => texts.push(text.to_string()),
            _ => {}
        }
    }
}

#[test]
fn site_of_all_logs_is_whole() {
    let place = Place::new("all");
    let parts = files::PARTS.iter().filter_map(|part| Some(files::corpus()?.join(part).join("results")));
    let corpus = files::texts(&parts.collect::<Vec<PathBuf>>());
    composed().iter().chain(&corpus).for_each(|(name, text)| place.put(name, text));
    let output = place.site(&["--url", BASE]);
    assert!(output.stdout.starts_with(place.out().join("index.html").to_str().unwrap().as_bytes()), "{output:?}");
    let mut faults: Vec<String> = Vec::new();
    let files = place.files();
    let mut reached = BTreeSet::from(["index.html".to_owned()]);
    for path in files.keys().filter(|path| path.ends_with(".html")) {
        let page = std::fs::read_to_string(place.out().join(path)).unwrap();
        assert!(
            page.contains("script-src &#39;sha256-")
                || page.contains("script-src 'sha256-")
                || page.contains("script-src 'none'"),
            "{path}"
        );
        for link in links(&page, &mut |fault| faults.push(format!("{path}: {fault}"))) {
            let (link, _) = link.split_once('#').unwrap_or((&link, ""));
            if link.is_empty() || link.starts_with("https://") {
                continue;
            }
            let from = Path::new(path).parent().unwrap();
            let target = match link.strip_prefix("../") {
                Some(link) => link.to_owned(),
                None => from.join(link).to_str().unwrap().to_owned(),
            };
            if files.contains_key(&target) {
                reached.insert(target);
            } else {
                faults.push(format!("{path}: {link} leads nowhere"));
            }
        }
    }
    let pages = files.keys().filter(|path| path.ends_with(".html"));
    faults.extend(pages.filter(|path| !reached.contains(*path)).map(|path| format!("nothing leads to {path}")));
    faults.truncate(20);
    assert!(faults.is_empty(), "{} files\n{}", files.len(), faults.join("\n"));

    let read = |path: &str| std::fs::read_to_string(place.out().join(path)).unwrap();
    let addresses = texts_of(&read("sitemap.xml"), "loc");
    let file_of = |address: &String| address.strip_prefix(&format!("{BASE}/")).map(str::to_owned).unwrap();
    let pages = files.keys().filter(|path| path.ends_with(".html")).cloned().collect();
    assert_eq!(addresses.iter().map(file_of).collect::<BTreeSet<String>>(), pages);
    let feed = read("feed.atom");
    let ids = texts_of(&feed, "id");
    assert!(ids.len() > 5 && ids[1..].iter().all(|id| files.contains_key(&file_of(id))), "{ids:?}");
    let moments = texts_of(&feed, "updated");
    assert_eq!(moments.len(), ids.len());
    assert!(moments[1..].windows(2).all(|pair| pair[0] >= pair[1]) && moments[0] == moments[1], "{moments:?}");
    let json: serde_json::Value = serde_json::from_str(&read("results.json")).unwrap();
    assert_eq!(json.as_array().unwrap().len(), read("results.csv").lines().count() - 1);

    assert_eq!(
        place.site(&["--url", BASE]).stdout,
        format!(
            "{}: {} results; 0 files written, {} unchanged, 0 removed.\n",
            place.out().join("index.html").display(),
            json.as_array().unwrap().len(),
            files.len() - 2
        )
        .into_bytes()
    );
    assert_eq!(place.files(), files);
}

#[test]
fn new_log_renders_its_page_and_its_lists() {
    let place = Place::new("new");
    let mut logs = composed();
    let (late, text) = logs.remove(logs.iter().position(|(name, _)| name.contains("three-clusters")).unwrap());
    logs.iter().for_each(|(name, text)| place.put(name, text));
    place.site(&[]);
    let before = place.files();
    place.put(&late, &text);
    place.site(&[]);
    let after = place.files();
    let is_result = |path: &&String| path.starts_with("results/");
    let written: Vec<&String> = after.keys().filter(|path| before.get(*path) != after.get(*path)).collect();
    assert_eq!(written.iter().filter(|path| is_result(path)).count(), 1, "{written:?}");
    assert!(written.iter().any(|path| *path == "index.html") && written.len() < 20, "{written:?}");

    // The page is what the program makes of the log alone.
    let page = written.iter().find(|path| is_result(path)).unwrap();
    let alone = place.0.join("alone.html");
    sbc_bench(["report"]).arg(place.0.join("in").join(&late)).arg("--html").arg(&alone).output().unwrap();
    assert_eq!(std::fs::read(alone).unwrap(), std::fs::read(place.out().join(page)).unwrap());

    // Pages of a removed log alone are removed.
    std::fs::remove_file(place.0.join("in").join(&late)).unwrap();
    place.site(&[]);
    assert_eq!(place.files().keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
}

#[test]
fn files_of_others_stay() {
    let place = Place::new("foreign");
    let (name, text) = composed().remove(0);
    place.put(&name, &text);
    std::fs::create_dir(place.out()).unwrap();
    std::fs::write(place.out().join("mine.txt"), "mine").unwrap();
    let refused = place.site(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("is not a site of sbc-bench; give an empty"),
        "{refused:?}"
    );
    assert_eq!(place.files().len(), 1);
    std::fs::remove_file(place.out().join("mine.txt")).unwrap();
    assert!(place.site(&[]).status.success());
    for path in ["mine.txt", "results/mine.html", "feed.atom"] {
        std::fs::write(place.out().join(path), "mine").unwrap();
    }
    // A list of ours that says otherwise leads nowhere else.
    let list = place.out().join(".sbc-bench-site.json");
    let changed =
        std::fs::read_to_string(&list).unwrap().replacen("\"files\":{", "\"files\":{\"../in/x.txt\":\"\",", 1);
    std::fs::write(&list, changed).unwrap();
    place.put("x.txt", "no result");
    assert_eq!(place.site(&[]).status.code(), Some(0), "a text about something else is no error");
    assert!(place.0.join("in/x.txt").exists());
    let refused = place.site(&["--url", BASE]);
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("feed.atom is not of this site and is not replaced"),
        "{refused:?}"
    );
    for path in ["mine.txt", "results/mine.html", "feed.atom"] {
        assert_eq!(std::fs::read_to_string(place.out().join(path)).unwrap(), "mine", "{path}");
    }
}

/// Names that are hostile, equal or none, files that cannot be read, twins, and directories in directories.
#[test]
fn odd_names_and_files_make_a_site() {
    let place = Place::new("odd");
    let own = include_str!("../../explain/tests/own/two-policies.json");
    let record = |board: serde_json::Value, mips: u64| {
        let mut value: serde_json::Value = serde_json::from_str(own).unwrap();
        value["machine"]["board"] = board;
        value["run"]["started"] = serde_json::json!(1_700_000_000_000_u64 + mips);
        value.to_string()
    };
    let hostile = "</script><script>alert(1)</script>\"'&<img src=x>\u{202e}../../x";
    let boards = [hostile, "板", "Model B", "Model B+", "x".repeat(400).as_str(), ".."].map(serde_json::Value::from);
    for (at, board) in boards.into_iter().chain([serde_json::json!({"missing": {"kind": "absent"}})]).enumerate() {
        place.put(&format!("a/{at}/../{at} \u{202e}<b>&'.json"), &record(board.clone(), 1));
        place.put(&format!("{at}/same.json"), &record(board, 2 + at as u64));
    }
    place.put("twin.json", &record("Model B".into(), 4));
    place.put("empty.txt", "");
    place.put("broken.json", "{");
    place.put("README.md", "no result");
    let output = place.site(&["--url", BASE]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    for words in
        ["broken.json is JSON but not", "empty.txt: no results in it.", "has the content of", "1 files are ignored"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    let files = place.files();
    let pages: Vec<&String> = files.keys().filter(|path| path.ends_with(".html")).collect();
    assert!(files.contains_key("boards/model-b.html") && files.contains_key("boards/model-b-plus.html"), "{pages:?}");
    let mut faults = Vec::new();
    for path in &pages {
        assert!(path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-./".contains(&byte)), "{path}");
        let page = std::fs::read_to_string(place.out().join(path)).unwrap();
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{202e}'), "{path}");
        links(&page, &mut |fault| faults.push(format!("{path}: {fault}")));
    }
    assert!(faults.is_empty(), "{faults:?}");
    for path in ["feed.atom", "sitemap.xml"] {
        texts_of(&std::fs::read_to_string(place.out().join(path)).unwrap(), "id");
    }
    // The next call notes unreadable files again and writes nothing.
    let again = place.site(&["--url", BASE]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("broken.json is JSON but not"), "{again:?}");
    assert_eq!(place.files(), files);
    // A site in the directory of results is skipped.
    let inside = sbc_bench(["site"]).arg(&place.0).arg("--out").arg(place.out()).output().unwrap();
    assert!(!String::from_utf8_lossy(&inside.stderr).contains("results.json"), "{inside:?}");
}

#[test]
fn wrong_arguments_are_told() {
    let place = Place::new("wrong");
    let (name, text) = composed().remove(0);
    place.put(&name, &text);
    for (options, words) in [
        (&["--url", "example.org"][..], "must be an address such as"),
        (&["--url", "https://a\"b/"], "must be an address such as"),
        (&["/no/such"], "/no/such"),
    ] {
        let output = place.site(options);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{output:?}");
    }
    std::fs::remove_file(place.0.join("in").join(&name)).unwrap();
    let output = place.site(&[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("None of the files could be read."), "{output:?}");
}

/// Under a limit of processes and threads (`ulimit -u`) the calling thread makes the same pages.
#[test]
fn refused_threads_make_the_same_site() {
    let place = Place::new("threads");
    composed().iter().for_each(|(name, text)| place.put(name, text));
    let free = place.site(&[]);
    assert_eq!(free.status.code(), Some(0), "{free:?}");
    let everyone = || std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(&*place.0, everyone()).unwrap();
    let program = place.0.join("sbc-bench");
    crate::placed::copy_program(&program);
    let limited = place.0.join("limited");
    let Some(mut command) = testkit::limited_user(&program, 1) else {
        return testkit::skip("root and setpriv, to play a user with a limit");
    };
    command.env("HOME", &*place.0).arg("site").arg(place.0.join("in")).arg("--out").arg(&limited);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for path in place.files().keys().filter(|path| !path.starts_with('.')) {
        let (free, limited) = (std::fs::read(place.out().join(path)).unwrap(), std::fs::read(limited.join(path)).ok());
        assert!(limited.is_some_and(|limited| limited == free), "{path}");
    }
}
