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

/// A database with one result, and counts as a hub of a million results has them.
fn one_of_a_million(folder: &Folder) -> (Sqlite, Counts) {
    let store = Sqlite::open(&folder.0.join("hub.sqlite")).unwrap();
    migrate(&store, 1).unwrap();
    let sent = Sent { owner: 1, publish: true, alias: String::new(), now_utc_ms: 1, build: 1 };
    submit(&store, made::log("Board One", 1, 7000.0), &sent, &Limits::default(), &|_, _, _| Ok(())).unwrap();
    let mut counts = Counts::of(&store).unwrap();
    counts.total = 1_000_000;
    (store, counts)
}

fn plan(store: &Sqlite, query: &Query, counts: &Counts) -> String {
    let planned = read(store, |session| {
        let mut planned = Planned { session, plan: String::new() };
        page(&mut planned, query, counts)?;
        Ok(planned.plan)
    });
    planned.unwrap()
}

#[test]
fn frequent_words_are_looked_for_in_the_order_and_rare_ones_by_their_names() {
    let folder = Folder::new();
    let (store, mut counts) = one_of_a_million(&folder);
    for sort in (0..SORTS.len()).map(Some).chain([None]) {
        let by_words = Query { words: Some("one".to_owned()), sort, limit: 50, ..Query::default() };
        let board = (Kind::Board, counts.all(Kind::Board)[0].slug.clone());
        let by_name = Query { names: vec![board], sort, limit: 50, ..Query::default() };
        for query in [by_words, by_name] {
            for (count, is_rare) in [(300_000, false), (10, true)] {
                counts.names.get_mut(&Kind::Board).unwrap()[0].count = count;
                let plan = plan(&store, &query, &counts);
                assert_eq!(plan.contains("INDEX result_board"), is_rare, "{query:?}: {plan}");
                assert_eq!(plan.contains("TEMP B-TREE"), is_rare, "{query:?}: {plan}");
            }
        }
    }
}

#[test]
fn results_of_which_there_are_few_are_read_from_their_own_index_in_its_order() {
    let folder = Folder::new();
    let (store, counts) = one_of_a_million(&folder);
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
                    let plan = plan(&store, &query, &counts);
                    let is_in_order = plan.contains(index) && !plan.contains("TEMP B-TREE");
                    assert!(is_in_order, "{query:?}: {plan}");
                }
            }
        }
    }
}
