//! Pages of unusual Records.

use super::*;
use record::{Fact, Record, Run, Source};

fn empty() -> Record {
    Record::new(Source::Run { version: "1".into(), target: "t".into() }, Run::default())
}

fn page_of(record: &Record) -> String {
    page(&explain::explain(record), Reference::builtin())
}

#[test]
fn empty_record_makes_a_page_that_says_so() {
    let page = page_of(&empty());
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert!(page.contains("Unknown board"));
}

#[test]
fn hostile_text_stays_text() {
    let mut record = empty();
    let hostile = "</script><script>alert(1)</script>\"'&\u{202e}".to_owned();
    record.machine.board = Fact::Known(hostile.clone());
    record.machine.soc = Fact::Known(hostile.clone());
    record.machine.kernel_cmdline = Fact::Known(hostile.clone());
    record.marks = vec![record::Mark { at_ms: 0, text: hostile }];
    let page = page_of(&record);
    assert!(!page.contains("<script>alert"));
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains('\u{202e}'));
}
