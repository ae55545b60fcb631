//! Which crate may depend on which, and where a library may be used: the diagram of ARCHITECTURE.md as a table. A change
//! that adds an arrow updates both.

use super::Problem;

/// Allowed dependencies of each crate within the workspace. Tests may also use [`TEST_ARROWS`].
pub(super) const ARROWS: &[(&str, &[&str])] = &[
    (
        "app",
        &[
            "allocator",
            "bench",
            "compare",
            "console",
            "explain",
            "facts",
            "archive",
            "licences",
            "logs",
            "rules",
            "machine",
            "net",
            "page",
            "process",
            "record",
            "redact",
            "report",
            "workloads",
        ],
    ),
    ("allocator", &[]),
    ("archive", &[]),
    ("bench", &["microbench", "machine", "net", "process", "record", "workloads"]),
    ("compare", &["facts", "record"]),
    (
        "console",
        &["archive", "bench", "explain", "facts", "logs", "machine", "net", "page", "process", "record", "workloads"],
    ),
    ("explain", &["compare", "facts", "record", "rules"]),
    ("facts", &["record", "redact"]),
    ("hub", &["archive", "compare", "explain", "facts", "licences", "logs", "rules", "page", "record", "report"]),
    ("identify", &["record", "redact"]),
    ("microbench", &[]),
    ("licences", &[]),
    ("logs", &["record", "redact"]),
    ("machine", &["identify", "record", "redact"]),
    ("net", &["machine", "process", "record"]),
    ("page", &["compare", "explain", "facts", "rules", "record"]),
    ("process", &["machine", "record"]),
    ("record", &[]),
    ("redact", &[]),
    ("report", &["compare", "explain", "facts", "rules", "record"]),
    ("rules", &["compare", "facts", "record"]),
    ("testkit", &["microbench", "machine", "record"]),
    ("web", &["archive", "compare", "explain", "facts", "licences", "logs", "identify", "page", "record", "report"]),
    ("workloads", &["machine", "microbench", "process", "record"]),
    (
        "xtask",
        &[
            "compare",
            "explain",
            "facts",
            "logs",
            "machine",
            "microbench",
            "page",
            "rules",
            "record",
            "report",
            "testkit",
            "web",
        ],
    ),
];

/// Crates with a closed list of libraries.
pub(super) const CLOSED: &[(&str, &[&str])] = &[
    ("allocator", &["dlmalloc"]),
    ("microbench", &["libc"]),
    ("record", &["crc32fast", "schemars", "serde", "serde_json"]),
    ("compare", &["serde"]),
    ("explain", &["jiff", "serde", "serde_json"]),
    ("facts", &["jiff", "serde", "serde_json", "unicode-width"]),
    ("licences", &["flate2"]),
    ("logs", &["jiff", "serde_json"]),
    ("rules", &["jiff", "serde", "serde_json"]),
    ("page", &["maud", "resvg", "serde_json", "ttf-parser"]),
    ("report", &["jiff", "serde_json"]),
    ("archive", &["flate2", "lzma-rust2", "ruzstd", "tar", "zip"]),
    ("identify", &[]),
    ("redact", &[]),
    ("web", &["base64", "flate2", "serde_json", "sha2", "wasm-bindgen"]),
];

/// Libraries reserved to some crates.
pub(super) const ONLY_IN: &[(&str, &[&str])] = &[
    ("anyhow", &["app", "console", "hub", "xtask"]),
    ("axum", &["hub"]),
    ("clap", &["app", "hub"]),
    ("hyper", &["hub"]),
    ("hyper-util", &["hub"]),
    ("postgres", &["hub"]),
    ("proc-macro2", &["xtask"]),
    ("quick-xml", &["net", "workloads"]),
    ("rusqlite", &["hub"]),
    ("tar", &["archive"]),
    ("tokio", &["hub"]),
    ("ureq", &["net"]),
    ("wasm-bindgen", &["web"]),
    ("zip", &["archive"]),
];

/// File of these tables.
const THIS_FILE: &str = "xtask/src/tidy/arrows.rs";

/// The feature that makes system calls fail in tests. Released programs are built without it.
const FOR_TESTS: &str = "faults";

/// Crates that tests of any crate may use: they make, read and explain Records.
const TEST_ARROWS: [&str; 6] = ["compare", "explain", "fuzz", "logs", "redact", "testkit"];

/// A package of the workspace, by the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// A dependency of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    /// Name of the library, or of the folder of a package of the workspace.
    pub(super) name: String,
    /// Whether it is a package of the workspace.
    pub(super) ours: bool,
    pub(super) tests_only: bool,
    /// Enabled features.
    pub(super) features: Vec<String>,
}

impl Package {
    /// Path from the root of the workspace.
    pub(super) fn folder(&self) -> String {
        match self.name.as_str() {
            "xtask" => self.name.clone(),
            name => format!("crates/{name}"),
        }
    }
}

/// Parses the packages of `cargo metadata`.
pub(super) fn packages(metadata: &serde_json::Value) -> Vec<Package> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: folder_name(&name(package)),
            dependencies: list(&package["dependencies"])
                .iter()
                .map(|dependency| {
                    let ours = dependency["path"].is_string();
                    let name = name(dependency);
                    Dependency {
                        name: if ours { folder_name(&name) } else { name },
                        ours,
                        tests_only: dependency["kind"] == "dev",
                        features: list(&dependency["features"])
                            .iter()
                            .filter_map(|feature| Some(feature.as_str()?.to_owned()))
                            .collect(),
                    }
                })
                .collect(),
        })
        .collect()
}

/// Packages are named `sbc-bench-FOLDER`, as names are global on crates.io.
fn folder_name(package: &str) -> String {
    match package {
        "sbc-bench" => "app".into(),
        other => other.strip_prefix("sbc-bench-").unwrap_or(other).to_owned(),
    }
}

/// Dependencies that the tables do not allow.
pub(super) fn check(packages: &[Package]) -> Vec<Problem> {
    let row = |table: &[(&str, &'static [&'static str])], name: &str| {
        table.iter().find(|(row, _)| *row == name).map(|(_, list)| *list)
    };
    let mut problems = Vec::new();
    for package in packages {
        let manifest = format!("{}/Cargo.toml", package.folder());
        let mut problem = |message| problems.push(Problem::new(&manifest, None, message));
        let Some(arrows) = row(ARROWS, &package.name) else {
            problem("a new crate: give it its arrows in xtask/src/tidy/arrows.rs".into());
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let has_faults = dependency.features.iter().any(|feature| feature == FOR_TESTS);
            if has_faults && !dependency.tests_only {
                problem(format!("only tests may ask {name} for `{FOR_TESTS}`"));
            }
            if dependency.ours {
                let for_tests = dependency.tests_only && TEST_ARROWS.contains(&name);
                if !arrows.contains(&name) && !for_tests {
                    problem(format!("no arrow leads from {} to {name}", package.name));
                }
                continue;
            }
            if dependency.tests_only {
                continue;
            }
            if row(CLOSED, &package.name).is_some_and(|list| !list.contains(&name)) {
                problem(format!("{} does without {name}", package.name));
            }
            if row(ONLY_IN, name).is_some_and(|list| !list.contains(&package.name.as_str())) {
                problem(format!("{name} has its place elsewhere"));
            }
        }
    }
    problems
}

/// Rows of the tables above that match no manifest.
pub(super) fn dead_rows(packages: &[Package]) -> Vec<Problem> {
    let has = |package: &str, name: &str, ours: bool| {
        let mut named = packages.iter().filter(|row| row.name == package).flat_map(|row| &row.dependencies);
        named.any(|dependency| dependency.name == name && dependency.ours == ours && !dependency.tests_only)
    };
    let mut dead = Vec::new();
    for (from, arrows) in ARROWS {
        if !packages.iter().any(|package| package.name == *from) {
            dead.push(format!("there is no crate {from}"));
        }
        let unused = arrows.iter().filter(|to| !has(from, to, true));
        dead.extend(unused.map(|to| format!("no manifest has the arrow from {from} to {to}")));
    }
    for (package, libraries) in CLOSED {
        let unused = libraries.iter().filter(|library| !has(package, library, false));
        dead.extend(unused.map(|library| format!("{package} does not use {library}")));
    }
    for (library, users) in ONLY_IN {
        let unused = users.iter().filter(|package| !has(package, library, false));
        dead.extend(unused.map(|package| format!("{library} is not used by {package}")));
    }
    dead.into_iter().map(|row| Problem::new(THIS_FILE, None, format!("{row}: delete the row"))).collect()
}

/// Libraries of the workspace without a reason in docs/dependencies.md: a line that names the library as `` `name` ``.
pub(super) fn check_reasons(manifest: &str, dependencies: &str) -> Vec<Problem> {
    libraries(manifest)
        .filter(|(_, name)| !dependencies.contains(&format!("`{name}`")))
        .map(|(line, name)| {
            let message = format!("docs/dependencies.md does not say why `{name}` is needed");
            Problem::new("Cargo.toml", line, message)
        })
        .collect()
}

/// Line and name of every library in `[workspace.dependencies]`.
fn libraries(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    manifest
        .lines()
        .enumerate()
        .skip_while(|(_, line)| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter(|(_, line)| !line.contains("path ="))
        .filter_map(|(index, line)| Some((index + 1, line.split_once('=')?.0.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(package: &str, dependency: serde_json::Value) -> Vec<String> {
        let metadata = json!({"packages": [{"name": package, "dependencies": [dependency]}]});
        check(&packages(&metadata)).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn only_arrows_of_the_picture_pass() {
        let ours = |name: &str, kind: Option<&str>| json!({"name": name, "path": "x", "kind": kind});
        let none: [&str; 0] = [];
        assert_eq!(found("sbc-bench", ours("sbc-bench-bench", None)), none);
        assert_eq!(
            found("sbc-bench-explain", ours("sbc-bench-machine", None)),
            ["crates/explain/Cargo.toml: no arrow leads from explain to machine"]
        );
        let testkit = "sbc-bench-testkit";
        assert_eq!(found("sbc-bench-machine", ours(testkit, Some("dev"))), none);
        assert_eq!(
            found("sbc-bench-machine", ours(testkit, None)),
            ["crates/machine/Cargo.toml: no arrow leads from machine to testkit"]
        );
        assert_eq!(found("sbc-bench-new", ours(testkit, None)).len(), 1);
    }

    #[test]
    fn only_tests_let_system_calls_fail() {
        let asked = |kind: Option<&str>| json!({"name": "sbc-bench-machine", "path": "x", "kind": kind, "features": ["faults"]});
        assert_eq!(found("sbc-bench", asked(Some("dev"))), [""; 0]);
        assert_eq!(found("sbc-bench", asked(None)), ["crates/app/Cargo.toml: only tests may ask machine for `faults`"]);
    }

    #[test]
    fn libraries_have_their_place() {
        let library = |name: &str, kind: Option<&str>| json!({"name": name, "kind": kind});
        let none: [&str; 0] = [];
        assert_eq!(found("xtask", library("anyhow", None)), none);
        assert_eq!(
            found("sbc-bench-bench", library("anyhow", None)),
            ["crates/bench/Cargo.toml: anyhow has its place elsewhere"]
        );
        assert_eq!(found("sbc-bench-record", library("toml", Some("dev"))), none);
        assert_eq!(
            found("sbc-bench-record", library("toml", None)),
            ["crates/record/Cargo.toml: record does without toml"]
        );
    }

    #[test]
    fn rows_that_no_manifest_has_are_refused() {
        let metadata = json!({"packages": [{"name": "sbc-bench-net", "dependencies": [
            {"name": "sbc-bench-record", "path": "x"}, {"name": "ureq"}, {"name": "quick-xml", "kind": "dev"},
        ]}]});
        let found: Vec<String> = dead_rows(&packages(&metadata)).iter().map(Problem::to_string).collect();
        let check = |row: &str, is_dead: bool| {
            let row = format!("{THIS_FILE}: {row}: delete the row");
            assert_eq!(found.contains(&row), is_dead, "{row}");
        };
        check("there is no crate explain", true);
        check("there is no crate net", false);
        check("no manifest has the arrow from net to machine", true);
        check("no manifest has the arrow from net to record", false);
        check("record does not use serde", true);
        check("quick-xml is not used by net", true);
        check("ureq is not used by net", false);
    }

    #[test]
    fn every_library_needs_a_reason() {
        let manifest = "[workspace]\na = 1\n[workspace.dependencies]\nmicrobench = { path = \"x\" }\n\
                        serde = \"1\"\nserde_json = { version = \"1\" }\n\n[profile]\nlto = 1\n";
        let missing = |text| -> Vec<String> { check_reasons(manifest, text).iter().map(Problem::to_string).collect() };
        assert_eq!(missing("`serde`, `serde_json`: the Record").len(), 0);
        assert_eq!(
            missing("`serde_json` writes it"),
            ["Cargo.toml:5: docs/dependencies.md does not say why `serde` is needed"]
        );
    }
}
