//! End of support of each kernel series: `data/kernels.tsv`, or a newer file in that form or in the form of
//! endoflife.date (`https://endoflife.date/api/linux.json`).

use super::KernelVersion;
use record::StableSort;
use record::table::Table;
use serde::Serialize;
use std::fmt;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct Date {
    year: i16,
    month: i8,
    day: i8,
}

impl Date {
    /// Parses `2025-12-18`.
    pub fn parse(text: &str) -> Option<Self> {
        let date: jiff::civil::Date = text.trim().parse().ok()?;
        Some(Self::of(date))
    }

    /// The day in UTC of a moment since 1970.
    pub fn of_utc_ms(utc_ms: i64) -> Self {
        let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self::of(at.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    fn of(date: jiff::civil::Date) -> Self {
        Self { year: date.year(), month: date.month(), day: date.day() }
    }

    /// Days until a later date; negative for an earlier one.
    pub fn days_until(&self, later: Date) -> i32 {
        let civil = |date: Date| jiff::civil::date(date.year, date.month, date.day);
        civil(*self).until(civil(later)).map_or(0, |span| span.get_days())
    }

    /// The year and the month.
    pub fn year_month(&self) -> (u32, u32) {
        (self.year.unsigned_abs().into(), self.month.unsigned_abs().into())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

/// One kernel series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Series {
    /// `(6, 1)`.
    pub number: (u32, u32),
    /// True for longterm series.
    pub longterm: bool,
    /// End of support: past or announced.
    pub eol: Option<Date>,
    /// Last revision known.
    pub latest: KernelVersion,
    /// Its date.
    pub latest_date: Option<Date>,
}

/// All known series, newest first, with the date of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eol {
    /// Day of the data.
    pub as_of: Date,
    /// Newest first.
    pub series: Vec<Series>,
}

impl Eol {
    /// Data shipped with this program.
    pub fn shipped() -> Self {
        // A test lints the table, so it always parses.
        Self::parse_table(include_str!("../../../../data/kernels.tsv"))
            .unwrap_or(Self { as_of: Date { year: 1970, month: 1, day: 1 }, series: Vec::new() })
    }

    /// Reads a table of our form, or JSON of endoflife.date.
    ///
    /// # Errors
    ///
    /// One sentence about the defect.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let found =
            if text.trim_start().starts_with(['[', '{']) { Self::parse_json(text) } else { Self::parse_table(text) };
        found.filter(|eol| !eol.series.is_empty()).ok_or_else(|| {
            "it is neither a table like data/kernels.tsv nor https://endoflife.date/api/linux.json".to_owned()
        })
    }

    fn parse_table(text: &str) -> Option<Self> {
        let as_of = text.lines().find_map(|line| Date::parse(line.strip_prefix("# as of ")?))?;
        let series = Table::of(text).rows().filter_map(|row| {
            let mut cells = row.cells();
            let mut next = || cells.next();
            let (series, kind, _, eol) = (next()?, next()?, next()?, next()?);
            let (latest, date) = (next()?, next().unwrap_or_default());
            Some(Series {
                number: KernelVersion::parse(series)?.series(),
                longterm: kind == "longterm",
                eol: Date::parse(eol),
                latest: KernelVersion::parse(latest)?,
                latest_date: Date::parse(date),
            })
        });
        Some(Self::sorted(as_of, series.collect()))
    }

    /// `[{"cycle":"6.1","lts":true,"eol":"2027-12-31","latest":"6.1.55","latestReleaseDate":"2023-09-23"}]`. The file
    /// has no date; its newest release dates it.
    fn parse_json(text: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let date = |value: &serde_json::Value| value.as_str().and_then(Date::parse);
        let series: Vec<Series> = value
            .as_array()?
            .iter()
            .filter_map(|entry| {
                let latest = KernelVersion::parse(entry["latest"].as_str()?)?;
                Some(Series {
                    number: KernelVersion::parse(entry["cycle"].as_str()?)?.series(),
                    longterm: entry["lts"].as_bool().unwrap_or_else(|| entry["lts"].is_string()),
                    eol: date(&entry["eol"]),
                    latest,
                    latest_date: date(&entry["latestReleaseDate"]),
                })
            })
            .collect();
        let as_of = series.iter().filter_map(|series| series.latest_date).max()?;
        Some(Self::sorted(as_of, series))
    }

    fn sorted(as_of: Date, mut series: Vec<Series>) -> Self {
        series.stable_sort_by_key(|series| std::cmp::Reverse(series.number));
        Self { as_of, series }
    }

    /// The series of this number.
    pub fn find(&self, number: (u32, u32)) -> Option<&Series> {
        self.series.iter().find(|series| series.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_table_is_sound() {
        let eol = Eol::shipped();
        assert!(eol.series.len() > 50);
        for pair in eol.series.windows(2) {
            assert!(pair[0].number > pair[1].number, "{:?}", pair[1]);
        }
        for series in &eol.series {
            assert_eq!(series.latest.series(), series.number);
            let latest = series.latest_date.unwrap();
            assert!(latest <= eol.as_of && series.eol.is_none_or(|end| latest <= end), "{series:?}");
        }
        let rows = Table::of(include_str!("../../../../data/kernels.tsv")).rows();
        assert_eq!(rows.clone().count(), eol.series.len(), "every row is understood");
        assert!(rows.into_iter().all(|row| row.array::<7>().is_some()));
    }

    #[test]
    fn newer_data_can_be_given() {
        let json = r#"[{"cycle":"6.18","releaseDate":"2025-11-30","eol":"2027-12-31","latest":"6.18.50",
            "latestReleaseDate":"2026-11-20","lts":true},{"cycle":"6.9","eol":"2024-08-02","latest":"6.9.12",
            "latestReleaseDate":"2024-07-27","lts":false}]"#;
        let eol = Eol::parse(json).unwrap();
        assert_eq!(eol.as_of.to_string(), "2026-11-20");
        assert_eq!(eol.find((6, 18)).unwrap().latest.revision, Some(50));
        assert!(!eol.find((6, 9)).unwrap().longterm);
        let table = Eol::parse(include_str!("../../../../data/kernels.tsv")).unwrap();
        assert_eq!(table, Eol::shipped());
        for wrong in ["", "{}", "[]", "hello", "\u{feff}[{\"cycle\":1}]"] {
            assert!(Eol::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn days_are_counted() {
        let day = |text| Date::parse(text).unwrap();
        assert_eq!(day("2024-02-28").days_until(day("2024-03-01")), 2);
        assert_eq!(day("2024-03-01").days_until(day("2024-02-28")), -2);
        assert_eq!(Date::of_utc_ms(1_700_000_000_000).to_string(), "2023-11-14");
    }

    proptest::proptest! {
        #[test]
        fn eol_parser_never_panics(text in "(# as of |2025-01-01|\t|\n|[\\[{\":,}\\]]|\\PC){0,60}") {
            let _ = Eol::parse(&text);
        }
    }
}
