//! Report: main figures as a result file (`composite.xml`) of the Phoronix Test Suite, which its viewer and OpenBenchmarking
//! read (<https://github.com/phoronix-test-suite/phoronix-test-suite>, `pts-core/openbenchmarking.org/schemas`).

use super::scores::{Score, scores};
use explain::monitor::local_time;
use facts::plain::markup;
use facts::{Explanation, Facts};
use record::Record;
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "phoronix",
    about: "Main figures as a result file of the Phoronix Test Suite (composite.xml).",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let board = markup(facts::machine_name(&facts.machine).map_or("unknown board", String::as_str));
    let time = local_time(facts, 0).map_or_else(String::new, |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string());
    let mut text = String::from("<?xml version=\"1.0\"?>\n<PhoronixTestSuite>\n  <Generated>\n");
    let generated = [("Title", "sbc-bench"), ("LastModified", &time), ("TestClient", "sbc-bench")];
    elements(&mut text, 4, &generated);
    text.push_str("  </Generated>\n  <System>\n");
    let words = software(facts);
    let system = [("Identifier", board.as_str()), ("Software", &words), ("User", ""), ("TimeStamp", &time)];
    elements(&mut text, 4, &system);
    text.push_str("  </System>\n");
    for score in scores(facts, explained) {
        result(&mut text, &score, &board);
    }
    text.push_str("</PhoronixTestSuite>\n");
    text
}

fn software(record: &Record) -> String {
    let machine = &record.machine;
    let known = [("OS", &machine.distribution), ("Kernel", &machine.kernel_release)];
    let parts = known.iter().filter_map(|(name, fact)| Some(format!("{name}: {}", fact.known()?)));
    markup(&parts.collect::<Vec<_>>().join(", "))
}

fn result(text: &mut String, score: &Score, board: &str) {
    let figure = &score.figure;
    let proportion = if figure.higher_is_better { "HIB" } else { "LIB" };
    let title = markup(&figure.name());
    let about = [
        ("Identifier", score.name.as_str()),
        ("Title", "sbc-bench"),
        ("AppVersion", figure.key.workload_at_method()),
        ("Description", &title),
        ("Scale", &markup(&figure.unit)),
        ("Proportion", proportion),
        ("DisplayFormat", "BAR_GRAPH"),
    ];
    text.push_str("  <Result>\n");
    elements(text, 4, &about);
    text.push_str("    <Data>\n      <Entry>\n");
    elements(text, 8, &[("Identifier", board), ("Value", &figure.value.to_string())]);
    text.push_str("      </Entry>\n    </Data>\n  </Result>\n");
}

fn elements(text: &mut String, indent: usize, all: &[(&str, &str)]) {
    for (name, value) in all {
        let _ = writeln!(text, "{:indent$}<{name}>{value}</{name}>", "");
    }
}
