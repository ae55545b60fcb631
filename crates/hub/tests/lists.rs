//! Lists at any size: SQLite reads each from an index in its order, or sorts the few rows of a rare name.

mod common;

use common::{Folder, made};
use hub::counts::Counts;
use hub::limits::Limits;
use hub::names::Kind;
use hub::query::{Cursor, Query, page};
use hub::sorts::SORTS;
use hub::store::{Row, Session, Sqlite, Trouble, Value, migrate, read};
use hub::submit::{Sent, submit};

/// Asks how the database would answer, too.
struct Planned<'a> {
    session: &'a mut dyn Session,
    plan: String,
}

impl Session for Planned<'_> {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Trouble> {
        if sql.contains("FROM result") {
            let steps = self.session.run(&format!("EXPLAIN QUERY PLAN {sql}"), values)?;
            self.plan = steps.iter().map(|step| step.words(3) + "\n").collect();
        }
        self.session.run(sql, values)
    }
}

/// Whether they died, their verdict, and how their indices begin.
const FEW: [(bool, Option<&str>, &str); 4] = [
    (true, None, "INDEX result_died_"),
    (true, Some("valid"), "INDEX result_died_"),
    (true, Some("invalid"), "INDEX result_died_"),
    (false, Some("invalid"), "INDEX result_invalid_"),
];

#[test]
fn results_of_which_there_are_few_are_read_from_their_own_index_in_its_order() {
    let folder = Folder::new();
    let store = Sqlite::open(&folder.0.join("hub.sqlite")).unwrap();
    migrate(&store, 1).unwrap();
    let sent = Sent { owner: 1, publish: true, alias: String::new(), now_utc_ms: 1, build: 1 };
    submit(&store, made::log("Board One", 1, 7000.0), &sent, &Limits::default(), &|_, _, _| Ok(())).unwrap();
    let mut counts = Counts::of(&store).unwrap();
    // As a hub of a million results has them.
    counts.total = 1_000_000;
    let name = |kind| (kind, counts.all(kind)[0].slug.clone());
    let filters = [vec![], vec![name(Kind::Board)], vec![name(Kind::Core)], vec![name(Kind::Soc), name(Kind::Kernel)]];
    for sort in (0..SORTS.len()).map(Some).chain([None]) {
        for names in &filters {
            for (died, verdict, index) in FEW {
                for words in [None, Some("one".to_owned())] {
                    let cursor = words.as_ref().map(|_| Cursor { value: 9e9, id: 9 });
                    let query = Query {
                        names: names.clone(),
                        verdict: verdict.map(str::to_owned),
                        died,
                        words,
                        sort,
                        cursor,
                        limit: 50,
                    };
                    let plan = read(&store, |session| {
                        let mut planned = Planned { session, plan: String::new() };
                        page(&mut planned, &query, &counts)?;
                        Ok(planned.plan)
                    });
                    let plan = plan.unwrap();
                    let is_in_order = plan.contains(index) && !plan.contains("TEMP B-TREE");
                    assert!(is_in_order, "{query:?}: {plan}");
                }
            }
        }
    }
}
