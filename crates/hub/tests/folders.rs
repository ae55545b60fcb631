//! `import` and `export`: results from folders, and back into one.

use crate::common::{made, on_hubs};

#[test]
fn folders_are_imported_once_and_exported_again() {
    on_hubs(&[], |hub| {
        let place = hub.data.join("shelf");
        std::fs::create_dir_all(place.join("deep/er")).unwrap();
        std::fs::write(place.join("a.txt"), made::log("Board One", 1, 7000.0)).unwrap();
        std::fs::write(place.join("deep/er/b.txt"), made::log("Board Two", 2, 7000.0)).unwrap();
        std::fs::write(place.join("README.md"), "# Results\n").unwrap();
        std::fs::write(place.join("empty"), "").unwrap();
        std::fs::write(place.join("bomb.gz"), b"\x1f\x8b\x08\x00damaged").unwrap();
        std::os::unix::fs::symlink("/etc", place.join("link")).unwrap();
        let folder = place.to_str().unwrap();
        for expected in
            ["2 new results, 0 known before, 4 files ignored.", "0 new results, 2 known before, 4 files ignored."]
        {
            let said = hub.run(&["import", folder, "--publish"]);
            assert!(said.contains(expected), "{said}");
            for name in ["README.md", "empty", "bomb.gz", "link"] {
                let line = said.lines().find(|line| line.contains(&format!("/{name}: ")));
                assert!(line.is_some_and(|line| line.starts_with("Ignored: ")), "{name}: {said}");
            }
        }
        assert_eq!(hub.listed(""), 2);
        hub.keep("", &made::log("Unlisted", 3, 7000.0));
        let out = hub.data.join("out");
        let said = hub.run(&["export", "--out", out.to_str().unwrap()]);
        assert!(said.starts_with("2 listed results in "), "{said}");
        let texts = std::fs::read_dir(&out).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let mut boards: Vec<bool> =
            texts.map(|text| text.contains("Board One") || text.contains("Board Two")).collect();
        boards.dedup();
        assert_eq!(boards, [true], "only what is listed leaves");
        assert!(!hub.operate(&["import", folder, "--owner", "nobody"], "").0);
    });
}
