//! Dependency cycles between the modules of a folder are refused, where a module includes its submodules.
//!
//! A reader can then start with the module without dependencies, and a folder can become a crate. Paths between a module
//! and its submodules are exempt: a `mod.rs` lists its children, and they use its items.

use super::Problem;
use super::modules::Modules;
use std::collections::BTreeMap;

/// Types that every module of their crate may use: each part is a function of the type, and the type's file lists the parts.
const TABLES: &[(&str, &str)] = &[("crates/facts/src/facts.rs", "Facts")];

/// Modules that depend on each other.
struct Circle {
    /// File of the folder's module.
    file: String,
    members: Vec<String>,
    /// One path as the reason for each arrow between two members.
    arrows: Vec<String>,
}

pub(super) fn check(crates: &[Modules]) -> Vec<Problem> {
    let problem = |circle: Circle| {
        let (members, arrows) = (circle.members.join(", "), circle.arrows.join("; "));
        Problem::new(&circle.file, None, format!("a circle of modules: {members} ({arrows})"))
    };
    crates.iter().flat_map(circles).map(problem).collect()
}

fn circles(modules: &Modules) -> Vec<Circle> {
    let mut arrows = Vec::new();
    for (from, module) in modules.all.iter().enumerate() {
        for named in &module.source.named {
            let is_table = |to: &usize| {
                let file = modules.all[*to].file.as_str();
                TABLES
                    .iter()
                    .any(|(table, name)| *table == file && named.segments.last().is_some_and(|last| last == name))
            };
            if let Some(to) = modules.defining(from, &named.segments).filter(|to| *to != from && !is_table(to)) {
                arrows.push((from, to, format!("{}:{} {}", module.file, named.line, named.segments.join("::"))));
            }
        }
    }
    let mut found = Vec::new();
    for (folder, module) in modules.all.iter().enumerate() {
        // The child of this folder that contains a module.
        let child = |within: usize| {
            let depth = module.path.len();
            let inner = &modules.all[within].path;
            let name = (inner.len() > depth && inner.starts_with(&module.path)).then(|| inner[depth].as_str())?;
            modules.children(folder).find(|child| modules.all[*child].path[depth] == name).map(|_| name)
        };
        let mut between: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for (from, to, why) in &arrows {
            if let (Some(from), Some(to)) = (child(*from), child(*to))
                && from != to
            {
                between.entry(from).or_default().entry(to).or_insert(why);
            }
        }
        found.extend(components(&between).into_iter().map(|members| {
            let inside = |from: &&str| between[*from].iter().filter(|(to, _)| members.contains(to)).map(|(_, why)| why);
            Circle {
                file: module.file.clone(),
                arrows: members.iter().flat_map(inside).map(|why| (*why).to_owned()).collect(),
                members: members.iter().map(|member| (*member).to_owned()).collect(),
            }
        }));
    }
    found
}

/// Strongly connected components of at least two modules, each sorted.
fn components<'a>(arrows: &BTreeMap<&'a str, BTreeMap<&'a str, &str>>) -> Vec<Vec<&'a str>> {
    let reached = |from: &'a str| {
        let mut reached: Vec<&str> = Vec::new();
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            for to in arrows.get(at).into_iter().flat_map(BTreeMap::keys) {
                if !reached.contains(to) {
                    reached.push(to);
                    next.push(to);
                }
            }
        }
        reached
    };
    let reach: BTreeMap<&str, Vec<&str>> = arrows.keys().map(|from| (*from, reached(from))).collect();
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for (from, to) in &reach {
        if to.contains(from) && !groups.iter().any(|group| group.contains(from)) {
            groups
                .push(to.iter().copied().filter(|to| reach.get(to).is_some_and(|back| back.contains(from))).collect());
        }
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::arrows::Package;
    use crate::workspace::File;

    /// Problems of a crate `x`, with the paths that explain them.
    fn explained(files: &[(&str, &str)]) -> Vec<String> {
        let package = Package { name: "x".into(), dependencies: Vec::new() };
        let file = |(path, text): &(&str, &str)| File { path: format!("crates/x/src/{path}"), text: (*text).into() };
        let files: Vec<File> = files.iter().map(file).collect();
        super::check(&[Modules::of(&package, &files)]).iter().map(Problem::to_string).collect()
    }

    /// Problems without the paths.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let short = |text: String| text.split(" (").next().unwrap_or_default().to_owned();
        explained(files).into_iter().map(short).collect()
    }

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(found(files), expected, "{files:?}");
    }

    const TWO: (&str, &str) = ("lib.rs", "mod a; mod b;");
    const CIRCLE: &str = "crates/x/src/lib.rs: a circle of modules: a, b";

    #[test]
    fn a_circle_is_named_with_its_paths() {
        let files = [TWO, ("a.rs", "use crate::b::B;\npub struct A;"), ("b.rs", "\npub type B = super::a::A;")];
        check(&files, &[CIRCLE]);
        let text = &explained(&files)[0];
        assert!(text.contains("(crates/x/src/a.rs:1 crate::b::B; crates/x/src/b.rs:2 super::a::A)"), "{text}");
        check(&[TWO, ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")], &[]);
    }

    #[test]
    fn modules_of_a_folder_count_for_it() {
        let inner = ("a/c.rs", "pub fn c() { crate::b::b() }");
        let files = [TWO, ("a/mod.rs", "mod c; pub use c::c;"), inner, ("b.rs", "use super::a::c; pub fn b() { c() }")];
        check(&files, &[CIRCLE]);
        let within = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod c; mod d;"),
            ("a/c.rs", "use super::d::D;"),
            ("a/d.rs", "use crate::a::c;"),
        ];
        check(&within, &["crates/x/src/a.rs: a circle of modules: c, d"]);
        // A folder and its children may use each other.
        check(&[("lib.rs", "mod a; use a::A; pub struct B;"), ("a.rs", "use crate::B; pub struct A;")], &[]);
    }

    #[test]
    fn names_are_followed_to_where_they_are_defined() {
        let root = ("lib.rs", "mod a; mod b; pub use b::*; pub use a::A as Again;");
        check(&[root, ("a.rs", "use crate::B; pub struct A;"), ("b.rs", "pub struct B(crate::Again);")], &[CIRCLE]);
        check(&[root, ("a.rs", "use crate::B; pub struct A;"), ("b.rs", "pub struct B(crate::Other);")], &[]);
        let through = [
            TWO,
            ("a.rs", "pub struct A; fn a() { x::B::new() } use crate::b as x;"),
            ("b.rs", "use crate::{a::{self, A}}; pub struct B;"),
        ];
        check(&through, &[CIRCLE]);
    }

    #[test]
    fn tests_texts_and_other_crates_make_no_circle() {
        let a = ("a.rs", "use crate::b::B; pub struct A;");
        check(&[TWO, a, ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }")], &[]);
        check(&[TWO, a, ("b.rs", "pub struct B; // crate::a::A\nconst C: &str = \"crate::a::A\";")], &[]);
        check(&[TWO, a, ("b.rs", "use other::a::A; pub struct B; fn f() { x.a::<A>() }")], &[]);
    }

    #[test]
    fn three_in_a_row_are_one_circle() {
        let files = |last| {
            [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use crate::b;"), ("b.rs", "use crate::c;"), ("c.rs", last)]
        };
        check(&files("use crate::a;"), &["crates/x/src/lib.rs: a circle of modules: a, b, c"]);
        check(&files(""), &[]);
    }
}
