//! Report: one page for a browser: the paragraph at the top, findings, the text report, and all plots
//! of the Record within it. No scripts, nothing fetched.

use crate::plain::markup;
use crate::questions::plots;
use crate::tables::Report;
use crate::{Explanation, Severity, figures, headline};
use record::Record;
use std::fmt::Write;

pub(super) const REPORT: Report =
    Report { id: "html", about: "HTML page with findings, figures and plots.", ..Report::of(render) };

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n<title>sbc-bench</title>\n<style>\n\
    body { font-family: sans-serif; max-width: 60em; margin: 1em auto; padding: 0 1em; }\n\
    li.invalid { font-weight: bold; }\n\
    pre { overflow-x: auto; background: #f4f4f4; padding: 0.5em; }\n\
    figure { margin: 1em 0; } svg { max-width: 100%; height: auto; }\n\
    </style>\n</head>\n<body>\n";

fn render(record: &Record, explained: &Explanation) -> String {
    let mut page = HEAD.to_owned();
    let board = record.machine.board.known().map_or("sbc-bench", String::as_str);
    let _ = writeln!(page, "<h1>{}</h1>", markup(board));
    let _ = writeln!(page, "<p>{}</p>", markup(&headline(record, &figures(record), explained)));
    if !explained.findings.is_empty() {
        page.push_str("<ul>\n");
        for finding in &explained.findings {
            let class = match finding.severity {
                Severity::Invalid => " class=\"invalid\"",
                Severity::Degraded | Severity::Info => "",
            };
            let _ = writeln!(page, "<li{class}>{}</li>", markup(&finding.sentence()));
        }
        page.push_str("</ul>\n");
    }
    for (id, plot) in plots(record) {
        let _ = writeln!(page, "<figure id=\"{id}\">\n{}</figure>", plot.svg());
    }
    if let Some(report) = super::find("text") {
        // Line by line, as control characters of foreign text mean nothing here.
        let text = report.text(record, explained);
        let lines: Vec<String> = text.lines().map(markup).collect();
        let _ = writeln!(page, "<pre>\n{}\n</pre>", lines.join("\n"));
    }
    page + "</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::own_run;
    use record::Fact;

    #[test]
    fn foreign_text_stays_text() {
        let mut record = own_run();
        record.machine.board = Fact::Known("<script>alert(1)</script>".into());
        let page = render(&record, &Explanation::of(&record));
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.ends_with("</html>\n"));
    }
}
