//! Lists at any size: each has the rows of a plain query, and is read from the index of its order, or sorts the rows of
//! a name.

use crate::common::{Folder, made, on_both, submitted};
use hub::counts::Counts;
use hub::names::Kind;
use hub::query::{Cursor, Query, page};
use hub::results::NAMED;
use hub::sorts::SORTS;
use hub::store::{Dialect, Row, Session, Sqlite, Store, StoreError, Value, migrate, read, write};

/// Session that records the query plan.
struct PlanRecorder<'a> {
    session: &'a mut dyn Session,
    plan: String,
}

impl Session for PlanRecorder<'_> {
    fn run(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        if sql.contains("FROM result") {
            let steps = self.session.run(&format!("EXPLAIN QUERY PLAN {sql}"), values)?;
            self.plan = steps.iter().map(|step| step.words(3) + "\n").collect();
        }
        self.session.run(sql, values)
    }

    fn dialect(&self) -> Dialect {
        self.session.dialect()
    }
}

/// Index of each sort.
const ORDERS: [&str; SORTS.len()] =
    ["result_clock", "result_multi", "result_single", "result_aes", "result_copy", "result_fill", "result_cpuminer"];
/// Died, verdict, and prefixes of the indices.
const FEW: [(bool, Option<&str>, &[&str]); 4] = [
    (true, None, &["INDEX result_died_"]),
    (true, Some("valid"), &["INDEX result_died_"]),
    // Both are rare.
    (true, Some("invalid"), &["INDEX result_died_", "INDEX result_invalid_"]),
    (false, Some("invalid"), &["INDEX result_invalid_"]),
];

/// A database with one result, and counts as of a million results.
fn one_of_a_million(folder: &Folder) -> (Sqlite, Counts) {
    let store = Sqlite::open(&folder.0.join("hub.sqlite")).unwrap();
    migrate(&store, 1).unwrap();
    submitted(&store, 1, 1, 1, &made::log("Board One", 1, 7000.0));
    let mut counts = Counts::of(&store).unwrap();
    counts.total = 1_000_000;
    (store, counts)
}

fn plan(store: &Sqlite, query: &Query, counts: &Counts) -> String {
    let planned = read(store, |session| {
        let mut planned = PlanRecorder { session, plan: String::new() };
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
                let index = match (is_rare, sort) {
                    (true, _) => "result_board (board_id=? AND listed=?)",
                    (false, None) => "result_newest",
                    (false, Some(sort)) => ORDERS[sort],
                };
                assert!(plan.contains(&format!("USING COVERING INDEX {index}")), "{query:?}: {plan}");
                // The rows of the page are sorted, and those of a name.
                assert_eq!(
                    plan.matches("TEMP B-TREE FOR ORDER BY").count(),
                    1 + usize::from(is_rare),
                    "{query:?}: {plan}"
                );
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
            for (died, verdict, indices) in FEW {
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
                    let is_in_index = indices.iter().any(|index| plan.contains(index));
                    let is_in_order = is_in_index && plan.matches("TEMP B-TREE").count() == 1;
                    assert!(is_in_order, "{query:?}: {plan}");
                }
            }
        }
    }
}

/// Results of three boards. The fastest are of the first board, a few died, a few are invalid.
fn of_three_boards(store: &dyn Store) {
    migrate(store, 1).unwrap();
    for (board, mips) in [("Board One", 9000.0), ("Board Two", 7000.0), ("Board Three", 5000.0)] {
        submitted(store, 1, 1, 1, &made::log(board, 1, mips));
    }
    let figures = SORTS.map(|sort| sort.column);
    let sql = format!(
        "INSERT INTO result (slug, received_hash, listed_utc_ms, owner, received_utc_ms, hash, published_utc_ms, listed, derived_by, \
         alias, kind, machine, headline, cells, figures, board_id, soc_id, cores_id, kernel_id, distribution_id, verdict, died_in, {}) \
         SELECT slug || CAST($1 AS BIGINT), received_hash || CAST($1 AS BIGINT), listed_utc_ms - CAST($1 AS BIGINT), owner, received_utc_ms, \
         hash, published_utc_ms, listed, derived_by, alias, kind, machine, headline, cells, figures, board_id, soc_id, cores_id, kernel_id, \
         distribution_id, CASE CAST($1 AS BIGINT) % 5 WHEN 0 THEN 'invalid' WHEN 1 THEN 'degraded' ELSE 'valid' END, \
         CASE CAST($1 AS BIGINT) % 3 WHEN 0 THEN 'x' END, {} FROM result WHERE id <= 3",
        figures.join(", "),
        figures.map(|column| format!("{column} - CAST($1 AS BIGINT)")).join(", "),
    );
    for copy in 1..=20_i64 {
        write(store, |session| session.run(&sql, &[copy.into()])).unwrap();
    }
}

/// Rows of a query by the plainest SQL.
fn plainly(store: &dyn Store, query: &Query) -> Vec<i64> {
    let column = query.sort.map_or("listed_utc_ms", |sort| SORTS[sort].column);
    let mut wanted = vec!["listed = 1".to_owned(), format!("{column} IS NOT NULL")];
    for (kind, slug) in &query.names {
        let named = format!("(SELECT id FROM name WHERE kind = '{}' AND slug = '{slug}')", kind.word());
        wanted.push(match NAMED.iter().find(|(of, _)| of == kind) {
            Some((_, column)) => format!("{column} = {named}"),
            None => format!("cores_id IN (SELECT cores_id FROM name_core WHERE core_id = {named})"),
        });
    }
    if let Some(word) = &query.words {
        let found = format!("(SELECT id FROM name WHERE lower(words) LIKE '%{word}%')");
        let one = NAMED.map(|(_, column)| format!("{column} IN {found}")).join(" OR ");
        wanted.push(format!("({one})"));
    }
    wanted.extend(query.verdict.as_ref().map(|verdict| format!("verdict = '{verdict}'")));
    wanted.extend(query.died.then(|| "died_in IS NOT NULL".to_owned()));
    wanted.extend(query.cursor.map(|Cursor { value, id }| format!("({column}, id) < ({value}, {id})")));
    let sql = format!(
        "SELECT id FROM result WHERE {} ORDER BY {column} DESC, id DESC LIMIT {}",
        wanted.join(" AND "),
        query.limit
    );
    read(store, |session| session.run(&sql, &[])).unwrap().iter().filter_map(|row| row.integer(0)).collect()
}

#[test]
fn every_list_has_the_rows_that_plain_sql_finds_on_both_databases() {
    on_both(|store, database| {
        of_three_boards(&**store);
        let mut counts = Counts::of(&**store).unwrap();
        let name = |kind, at: usize| (kind, counts.all(kind)[at].slug.clone());
        let filters = [
            (vec![], None),
            (vec![name(Kind::Board, 2)], None),
            (vec![name(Kind::Core, 0)], None),
            (vec![name(Kind::Board, 0), name(Kind::Kernel, 0)], None),
            (vec![], Some("two".to_owned())),
            (vec![name(Kind::Soc, 0)], Some("board".to_owned())),
        ];
        let few = [true, false]
            .into_iter()
            .flat_map(|died| [None, Some("valid"), Some("degraded"), Some("invalid")].map(|verdict| (died, verdict)));
        let few: Vec<_> = few.collect();
        // Each name is rare among a million and frequent among its own results.
        for total in [counts.total, 1_000_000] {
            counts.total = total;
            for sort in (0..SORTS.len()).map(Some).chain([None]) {
                for ((names, words), (died, verdict)) in
                    filters.iter().flat_map(|one| few.iter().map(move |two| (one, *two)))
                {
                    let verdict = verdict.map(str::to_owned);
                    let first = Query {
                        names: names.clone(),
                        verdict,
                        died,
                        words: words.clone(),
                        sort,
                        cursor: None,
                        limit: 4,
                    };
                    let mut query = first;
                    for _ in 0..2 {
                        let page = read(&**store, |session| page(session, &query, &counts))
                            .unwrap_or_else(|trouble| panic!("{database}: {query:?}: {trouble}"));
                        let ids: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
                        assert_eq!(ids, plainly(&**store, &query), "{database}: {query:?}");
                        let Some(next) = page.next else { break };
                        query.cursor = Some(next);
                    }
                }
            }
        }
    });
}
