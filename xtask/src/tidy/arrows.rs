//! Which crates may depend on which: the picture of ARCHITECTURE.md. What each crate depends on is generated into
//! ARCHITECTURE.md and `docs/generated/libraries.md` from the manifests, so that a new arrow or library is read in review.

use super::Problem;

/// Crates by their side of the Record. Code that measures does not explain, and code that explains does not measure.
const SIDES: [(Side, &[&str]); 4] = [
    (Side::Base, &["allocator", "archive", "identify", "licences", "record", "redact"]),
    (Side::Measuring, &["bench", "machine", "microbench", "net", "process", "workloads"]),
    (Side::Explaining, &["compare", "explain", "facts", "logs", "page", "report", "rules", "web"]),
    (Side::Programs, &["app", "console", "hub", "testkit", "xtask"]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// For both sides; depends on neither.
    Base,
    Measuring,
    Explaining,
    Programs,
}

fn side(name: &str) -> Option<Side> {
    SIDES.iter().find(|(_, crates)| crates.contains(&name)).map(|(side, _)| *side)
}

/// Libraries that only these crates may use: asynchronous code, databases, sockets and command lines stay in programs.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("anyhow", &["app", "console", "hub", "xtask"]),
    ("clap", &["app", "hub"]),
    ("postgres", &["hub"]),
    ("rusqlite", &["hub"]),
    ("tokio", &["hub"]),
    ("ureq", &["net"]),
];

/// The feature that makes system calls fail in tests. Released programs are built without it.
const FOR_TESTS: &str = "faults";

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

/// Packages of `cargo metadata`, sorted by name.
pub(super) fn packages(metadata: &serde_json::Value) -> Vec<Package> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    let dependency = |dependency: &serde_json::Value| {
        let ours = dependency["path"].is_string();
        let features = list(&dependency["features"]);
        Dependency {
            name: if ours { folder_name(&name(dependency)) } else { name(dependency) },
            ours,
            tests_only: dependency["kind"] == "dev",
            features: features.iter().filter_map(|feature| Some(feature.as_str()?.to_owned())).collect(),
        }
    };
    let package = |package: &serde_json::Value| Package {
        name: folder_name(&name(package)),
        dependencies: list(&package["dependencies"]).iter().map(dependency).collect(),
    };
    let mut packages: Vec<Package> = list(&metadata["packages"]).iter().map(package).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

/// Packages are named `sbc-bench-FOLDER`, as names are global on crates.io.
fn folder_name(package: &str) -> String {
    match package {
        "sbc-bench" => "app".into(),
        other => other.strip_prefix("sbc-bench-").unwrap_or(other).to_owned(),
    }
}

/// Dependencies that the picture does not have.
pub(super) fn check(packages: &[Package]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in packages {
        let manifest = format!("{}/Cargo.toml", package.folder());
        let mut problem = |message| problems.push(Problem::new(&manifest, None, message));
        let Some(own) = side(&package.name) else {
            problem("a new crate: name its side of the Record in xtask/src/tidy/arrows.rs".into());
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.tests_only) {
            let name = dependency.name.as_str();
            if dependency.features.iter().any(|feature| feature == FOR_TESTS) {
                problem(format!("only tests may ask {name} for `{FOR_TESTS}`"));
            }
            let is_reserved = |(library, users): &(&str, &[&str])| *library == name && !users.contains(&&*package.name);
            if !dependency.ours && ONLY_IN.iter().any(is_reserved) {
                problem(format!("{name} has its place elsewhere"));
            }
            let is_allowed = match side(name) {
                Some(Side::Base) => true,
                Some(_) if name == "testkit" => package.name == "xtask",
                other => own == Side::Programs || other == Some(own),
            };
            if dependency.ours && !is_allowed {
                problem(format!("no arrow leads from {} to {name}", package.name));
            }
        }
    }
    problems
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
    fn code_that_measures_does_not_explain() {
        let ours = |name: &str, kind: Option<&str>| json!({"name": name, "path": "x", "kind": kind});
        let none: [&str; 0] = [];
        assert_eq!(found("sbc-bench", ours("sbc-bench-bench", None)), none);
        assert_eq!(
            found("sbc-bench-explain", ours("sbc-bench-machine", None)),
            ["crates/explain/Cargo.toml: no arrow leads from explain to machine"]
        );
        assert_eq!(found("sbc-bench-report", ours("sbc-bench-rules", None)), none);
        assert_eq!(
            found("sbc-bench-bench", ours("sbc-bench-rules", None)),
            ["crates/bench/Cargo.toml: no arrow leads from bench to rules"]
        );
        assert_eq!(found("sbc-bench-record", ours("sbc-bench-facts", None)).len(), 1);
        let testkit = "sbc-bench-testkit";
        assert_eq!(found("sbc-bench-machine", ours(testkit, Some("dev"))), none);
        assert_eq!(found("sbc-bench", ours(testkit, None)).len(), 1);
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
        assert_eq!(found("sbc-bench-bench", library("anyhow", Some("dev"))), none);
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
