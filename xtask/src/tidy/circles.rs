//! No circle of modules: of two modules in a folder, each with all that is in it, at most one leads to the other.
//!
//! A reader can then begin with the module that needs no other, and a folder can become a crate. Not looked at are paths
//! between a module and those within it: a `mod.rs` lists its children, and they use what it defines.

use super::Problem;
use super::modules::Modules;
use std::collections::BTreeMap;

/// A circle that is still there.
struct Open {
    /// Name of the crate's folder.
    krate: &'static str,
    /// The module around it, from the crate's root; empty for the root.
    folder: &'static str,
    members: &'static [&'static str],
}

const fn open(krate: &'static str, folder: &'static str, members: &'static [&'static str]) -> Open {
    Open { krate, folder, members }
}

/// Circles that are waited for. The list only shrinks.
const OPEN: &[Open] = &[
];

/// Where [`OPEN`] stands.
const THIS_FILE: &str = "xtask/src/tidy/circles.rs";

/// Modules that lead to each other.
struct Circle {
    krate: String,
    /// The module around them, from the crate's root.
    folder: String,
    /// The folder's own file.
    file: String,
    members: Vec<String>,
    /// One path for each arrow between two of them.
    arrows: Vec<String>,
}

/// Circles that are not waited for, and rows that wait for none.
pub(super) fn check(crates: &[Modules]) -> Vec<Problem> {
    check_but(crates, OPEN)
}

fn check_but(crates: &[Modules], open: &[Open]) -> Vec<Problem> {
    let circles: Vec<Circle> = crates.iter().flat_map(circles).collect();
    let is_of = |row: &Open, circle: &Circle| {
        row.krate == circle.krate && row.folder == circle.folder && row.members == circle.members
    };
    let new = circles.iter().filter(|circle| !open.iter().any(|row| is_of(row, circle)));
    let mut problems: Vec<Problem> = new
        .map(|circle| {
            let (members, arrows) = (circle.members.join(", "), circle.arrows.join("; "));
            Problem::new(&circle.file, None, format!("a circle of modules: {members} ({arrows})"))
        })
        .collect();
    let closed = open.iter().filter(|row| !circles.iter().any(|circle| is_of(row, circle)));
    problems.extend(closed.map(|row| {
        let (krate, folder, members) = (row.krate, row.folder, row.members.join(", "));
        Problem::new(
            THIS_FILE,
            None,
            format!("delete the row of {krate} {folder:?}: {members} are this circle no longer"),
        )
    }));
    problems
}

/// The circles of a crate.
fn circles(modules: &Modules) -> Vec<Circle> {
    let mut arrows = Vec::new();
    for (from, module) in modules.all.iter().enumerate() {
        for named in &module.source.named {
            if let Some(to) = modules.defining(from, &named.segments).filter(|to| *to != from) {
                arrows.push((from, to, format!("{}:{} {}", module.file, named.line, named.segments.join("::"))));
            }
        }
    }
    let mut found = Vec::new();
    for (folder, module) in modules.all.iter().enumerate() {
        // The child of this folder in which a module lies.
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
                krate: modules.krate.clone(),
                folder: module.path.join("::"),
                file: module.file.clone(),
                arrows: members.iter().flat_map(inside).map(|why| (*why).to_owned()).collect(),
                members: members.iter().map(|member| (*member).to_owned()).collect(),
            }
        }));
    }
    found
}

/// Groups of two and more that all lead to each other, each sorted.
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

    /// Problems of a made-up crate `x`, with the paths that explain them.
    fn explained(files: &[(&str, &str)], open: &[Open]) -> Vec<String> {
        let package = Package { name: "x".into(), dependencies: Vec::new() };
        let file = |(path, text): &(&str, &str)| File { path: format!("crates/x/src/{path}"), text: (*text).into() };
        let files: Vec<File> = files.iter().map(file).collect();
        check_but(&[Modules::of(&package, &files)], open).iter().map(Problem::to_string).collect()
    }

    /// The same without the paths.
    fn found(files: &[(&str, &str)], open: &[Open]) -> Vec<String> {
        let short = |text: String| text.split(" (").next().unwrap_or_default().to_owned();
        explained(files, open).into_iter().map(short).collect()
    }

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(found(files, &[]), expected, "{files:?}");
    }

    const TWO: (&str, &str) = ("lib.rs", "mod a; mod b;");
    const CIRCLE: &str = "crates/x/src/lib.rs: a circle of modules: a, b";

    #[test]
    fn a_circle_is_named_with_its_paths() {
        let files = [TWO, ("a.rs", "use crate::b::B;\npub struct A;"), ("b.rs", "\npub type B = super::a::A;")];
        check(&files, &[CIRCLE]);
        let text = &explained(&files, &[])[0];
        assert!(text.contains("(crates/x/src/a.rs:1 crate::b::B; crates/x/src/b.rs:2 super::a::A)"), "{text}");
        check(&[TWO, ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")], &[]);
    }

    #[test]
    fn what_a_folder_holds_counts_for_it() {
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

    #[test]
    fn a_row_that_waits_for_nothing_is_refused() {
        let files = |b| [TWO, ("a.rs", "use crate::b;"), ("b.rs", b)];
        let row = || [open("x", "", &["a", "b"])];
        assert_eq!(found(&files("use crate::a;"), &row()), [""; 0]);
        let stale = "xtask/src/tidy/circles.rs: delete the row of x \"\": a, b are this circle no longer";
        assert_eq!(found(&files(""), &row()), [stale]);
        // A circle that lost or won a member is another one.
        assert_eq!(found(&files("use crate::a;"), &[open("x", "", &["a", "b", "c"])]).len(), 2);
    }
}
