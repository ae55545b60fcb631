#![allow(clippy::disallowed_methods, missing_docs)]
use std::io::Write;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let out = std::env::args().nth(2).unwrap();
    let mut out = std::fs::File::create(out).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    names.sort();
    for p in names {
        if p.extension().is_none_or(|x| x != "txt") {
            continue;
        }
        let bytes = std::fs::read(&p).unwrap();
        let r = explain::logs::read(&String::from_utf8_lossy(&bytes));
        let f = explain::rules::check(&r);
        let verdicts: Vec<String> = match &r.source {
            record::Source::Log(l) => l.verdicts.iter().map(|v| v.text.clone()).collect(),
            _ => vec![],
        };
        let heat = explain::view::heat(&r, explain::view::whole_run()).map(|h| h.millicelsius_max);
        let j = serde_json::json!({"file": p.file_name().unwrap().to_str(), "verdict": explain::verdict(&f).to_string(), "headline": explain::headline(&r,&f), "log": verdicts, "heat": heat, "totals": explain::view::multi_totals(&r).iter().map(|t| t.1).collect::<Vec<_>>(),
          "findings": f.iter().map(|x| serde_json::json!({"rule": x.rule, "sev": x.severity, "conf": x.confidence_percent, "s": x.sentence(), "exp": x.explains_percent, "n": x.places.len()})).collect::<Vec<_>>()});
        writeln!(out, "{j}").unwrap();
    }
}
