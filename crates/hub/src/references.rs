//! Reference data in the form of the table that `sbc-bench compare` has built in. Made from derived columns, without
//! reading originals.

use crate::derive::MainFigure;
use crate::names::Kind;
use crate::results::NAMED;
use crate::store::{Row as Columns, Session, StoreError};
use compare::reference::{Row, RowCore, RowFigure, soc_key, write};
use facts::figures;
use std::collections::BTreeMap;

/// The table of these results.
pub fn table(session: &mut dyn Session, ids: &[i64]) -> Result<String, StoreError> {
    let list: Vec<String> = ids.iter().map(i64::to_string).collect();
    if list.is_empty() {
        return Ok(write(&[]));
    }
    let names: Vec<String> =
        NAMED.iter().map(|(_, column)| format!("(SELECT words FROM name WHERE id = {column})")).collect();
    let sql = format!(
        "SELECT slug, started_utc_ms, figures, {} FROM result WHERE id IN ({}) ORDER BY id DESC",
        names.join(", "),
        list.join(", ")
    );
    let rows: Vec<Row> = session.run(&sql, &[])?.iter().map(row).collect();
    Ok(write(&rows))
}

fn row(columns: &Columns) -> Row {
    let name = |kind: Kind| {
        let at = NAMED.iter().position(|(of, _)| *of == kind)?;
        columns.text(3 + at).map(str::to_owned)
    };
    let soc = name(Kind::Soc);
    let day = columns.integer(1).and_then(|utc_ms| jiff::Timestamp::from_millisecond(utc_ms).ok());
    let mut found: BTreeMap<figures::FigureKey, Vec<RowFigure>> = BTreeMap::new();
    for main in serde_json::from_str::<Vec<MainFigure>>(columns.text(2).unwrap_or("[]")).unwrap_or_default() {
        let (key, cluster) = match main.key.rsplit_once(" #") {
            Some((key, cluster)) => (key, cluster.parse().ok()),
            None => (main.key.as_str(), None),
        };
        let Ok(key) = key.parse();
        found.entry(key).or_default().push(RowFigure { cluster, value: main.value, comparable: true, sound: true });
    }
    Row {
        name: None,
        userland_bits: None,
        is_published: false,
        source: columns.words(0),
        board: name(Kind::Board),
        soc_key: soc.as_deref().map(soc_key),
        soc,
        cores: name(Kind::Cores).iter().flat_map(|cores| cores.split(" + ")).filter_map(core).collect(),
        kernel: name(Kind::Kernel),
        distribution: name(Kind::Distribution),
        date: day.map(|day| day.strftime("%Y-%m-%d").to_string()),
        version: None,
        verdict: facts::Verdict::Valid,
        figures: found,
    }
}

/// Parses `4x Cortex-A55`.
fn core(text: &str) -> Option<RowCore> {
    let (count, core_type) = text.split_once("x ")?;
    Some(RowCore { count: count.parse().ok()?, core_type: Some(core_type.to_owned()).filter(|name| name != "unknown") })
}
