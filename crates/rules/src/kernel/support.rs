//! Whether kernel.org still supports a series, how far behind its last revision a kernel is, and what
//! that is worth when the kernel is not from kernel.org.

use super::{Class, Date, Eol, KernelVersion, Origin};
use facts::{Finding, Place, Quantity, Severity};
use record::RuleId;
use serde::Serialize;

/// Number of revisions that are a matter of weeks.
const BEHIND_MIN: u32 = 6;
/// Number of missing revisions from which known exploitable holes are likely.
const BEHIND_MANY: u32 = 20;
/// Data older than this is used only for what cannot have changed since.
const DATA_DAYS_MAX: i32 = 90;

/// Support of the series is over.
pub const ENDED: RuleId = RuleId::own("kernel-ended");

/// Support of a series at kernel.org.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The release cannot be understood.
    Unknown,
    /// A release candidate, made for testing.
    Candidate,
    /// Newer than everything in the data.
    Newer,
    /// A series that never had support for long and is not in the data.
    NotListed,
    /// Support has ended.
    Ended {
        /// When.
        on: Date,
        /// With which revision.
        last: KernelVersion,
    },
    /// Supported according to the data.
    Supported {
        /// Until when, as announced.
        until: Option<Date>,
        /// True for a series that is kept for years.
        longterm: bool,
        /// Last revision in the data.
        latest: KernelVersion,
        /// Number of revisions behind, if the revision is known and the last one is recent.
        behind: Option<u32>,
        /// True if the data is so old that support may have been prolonged since.
        may_have_changed: bool,
    },
}

/// The support of this version on this day.
pub(super) fn support(version: Option<&KernelVersion>, eol: &Eol, today: Option<Date>) -> Support {
    let Some(version) = version else { return Support::Unknown };
    if version.candidate.is_some() {
        return Support::Candidate;
    }
    let Some(series) = eol.find(version.series()) else {
        let newest = eol.series.first().map(|series| series.number);
        return if newest.is_some_and(|newest| version.series() > newest) {
            Support::Newer
        } else {
            Support::NotListed
        };
    };
    // Without a clock the day of the data is the best that is known.
    let today = today.unwrap_or(eol.as_of).max(eol.as_of);
    // Ends of longterm series were postponed more than once: an end after the date of the data is not certain.
    let is_fact = |on: &Date| *on <= today && (!series.longterm || *on <= eol.as_of);
    match series.eol {
        Some(on) if is_fact(&on) => Support::Ended { on, last: series.latest },
        until => {
            let is_fresh = |date: Date| date.days_until(today) <= DATA_DAYS_MAX;
            let revisions = version.revision.zip(series.latest.revision);
            let revisions = revisions.filter(|_| series.latest_date.is_some_and(is_fresh));
            Support::Supported {
                until,
                longterm: series.longterm,
                latest: series.latest,
                behind: revisions.map(|(own, latest)| latest.saturating_sub(own)),
                may_have_changed: !is_fresh(eol.as_of),
            }
        }
    }
}

/// Consequence for its user.
pub(super) fn findings(
    release: &str,
    version: Option<&KernelVersion>,
    support: &Support,
    origins: &[Origin],
    eol: &Eol,
    today: Option<Date>,
) -> Vec<Finding> {
    let text = |text: String| Quantity::Text(text);
    let place = || Place::Field("machine.kernel_release".into());
    let finding = |rule, template| {
        let series = version.map(KernelVersion::series_name).unwrap_or_default();
        Finding::new(rule, Severity::Info, template)
            .confidence(97)
            .with("series", text(series))
            .with("release", text(release.to_owned()))
            .at(place())
    };
    let mut found: Vec<Finding> = owner(origins, &finding).into_iter().collect();
    // A distribution that maintains a series has its own support calendar.
    let mut owners = origins.iter();
    let kept = owners.find(|origin| origin.class == Class::Distribution);
    match support {
        Support::Unknown if release.is_empty() => {
            found.push(finding(RuleId::own("kernel-unknown"), "The kernel release is not reported."));
        }
        Support::Unknown => found.push(finding(RuleId::own("kernel-unknown"), "Unknown kernel release: {release}.")),
        Support::Candidate => found.push(finding(
            RuleId::own("kernel-candidate"),
            "{release} is a release candidate, not meant for production.",
        )),
        Support::Newer => found.push(
            finding(RuleId::own("kernel-newer"), "Series {series} is newer than the support data of {date}.")
                .with("date", text(eol.as_of.to_string())),
        ),
        Support::NotListed => found.push(finding(
            RuleId::own("kernel-not-listed"),
            "Series {series} is not a longterm series and no longer gets fixes.",
        )),
        Support::Ended { on, last } if kept.is_none() => found.push(
            finding(ENDED, "Support of series {series} ended on {date} with {last}: it no longer gets security fixes.")
                .with("date", text(on.to_string()))
                .with("last", text(revision_name(last))),
        ),
        Support::Ended { .. } | Support::Supported { .. } => {}
    }
    if let Some(kept) = kept {
        found.push(
            finding(
                RuleId::own("kernel-distribution"),
                "{who} maintains this kernel on its own schedule; kernel.org end-of-life dates for {series} do not \
                 apply.",
            )
            .with("who", text(kept.name.clone())),
        );
    } else {
        found.extend(supported(&finding, support, version, eol));
    }
    let age_days = today.map_or(0, |today| eol.as_of.days_until(today));
    if age_days > DATA_DAYS_MAX && kept.is_none() {
        found.push(
            finding(
                RuleId::own("kernel-data-old"),
                "Support data are from {date} ({days} days old); use --eol-file for newer data.",
            )
            .with("date", text(eol.as_of.to_string()))
            .with("days", Quantity::Count(age_days.into())),
        );
    }
    found
}

/// Announced end of support, and distance from the last patch level.
fn supported(
    finding: &dyn Fn(RuleId, &'static str) -> Finding,
    support: &Support,
    version: Option<&KernelVersion>,
    eol: &Eol,
) -> Vec<Finding> {
    let Support::Supported { until, longterm, latest, behind, may_have_changed } = support else { return Vec::new() };
    let age = || age(finding, latest, *behind, version);
    let mut found: Vec<Finding> = if *may_have_changed { None } else { age() }.into_iter().collect();
    if let Some(until) = until {
        let template = match (longterm, may_have_changed) {
            (true, false) => "{series} is a longterm (LTS) series, supported until {date}.",
            (false, false) => "{series} is a stable series, supported until {date}.",
            (true, true) => {
                "{series} is a longterm (LTS) series; on {as_of}, the end of its support was announced for {date}."
            }
            (false, true) => {
                "{series} is a stable series; on {as_of}, the end of its support was announced for {date}."
            }
        };
        let supported = finding(RuleId::own("kernel-supported"), template);
        let text = |date: &Date| Quantity::Text(date.to_string());
        found.push(supported.with("date", text(until)).with("as_of", text(&eol.as_of)));
    }
    found
}

fn age(
    finding: &dyn Fn(RuleId, &'static str) -> Finding,
    latest: &KernelVersion,
    behind: Option<u32>,
    version: Option<&KernelVersion>,
) -> Option<Finding> {
    let has_revision = version.is_some_and(|version| version.revision.is_some());
    let newer_than_data = version.is_some_and(|version| version > latest);
    let template = match behind {
        // The revision is known, but the last one in the data is outdated.
        None if has_revision => return None,
        None => "The release string has no patch level, so its age is unknown.",
        Some(_) if newer_than_data => "{release} is newer than {latest}, the latest patch level in the support data.",
        Some(0..BEHIND_MIN) => "{release} is up to date ({latest} is the latest patch level in the support data).",
        Some(BEHIND_MIN..BEHIND_MANY) => {
            "{release} is {behind} patch levels behind {latest}; it lacks later bug fixes."
        }
        Some(_) => "{release} is {behind} patch levels behind {latest}; it lacks published security fixes.",
    };
    Some(
        finding(RuleId::own("kernel-revision"), template)
            .with("latest", Quantity::Text(revision_name(latest)))
            .with_known("behind", behind.map(|behind| Quantity::Count(behind.into()))),
    )
}

/// Number of traces that are sufficient proof.
const TRACES_TOLD: usize = 4;

/// Vendor, unless the kernel clearly is from kernel.org.
fn owner(origins: &[Origin], finding: &dyn Fn(RuleId, &'static str) -> Finding) -> Option<Finding> {
    let best = origins.first()?;
    let vendor = origins.iter().find(|origin| origin.class == Class::Vendor);
    let (origin, template) = match (vendor, best.class) {
        (Some(vendor), _) => (
            vendor,
            "This is a vendor kernel from {who} ({why}): its version shows the upstream base, not which fixes were \
             backported.",
        ),
        (None, Class::Downstream) => (best, "This kernel is from {who} ({why}), which follows kernel.org releases."),
        (None, Class::Community) => (best, "This kernel is from {who} ({why}): mainline with board patches."),
        (None, _) => (best, "This kernel is from {who} ({why})."),
    };
    let mut traces: Vec<&str> = Vec::new();
    for trace in &origin.traces {
        // The release appears in several places.
        if !traces.contains(&trace.what.as_str()) && traces.len() < TRACES_TOLD {
            traces.push(&trace.what);
        }
    }
    Some(
        finding(RuleId::own("kernel-origin"), template)
            .confidence(origin.confidence_percent)
            .with("who", Quantity::Text(origin.name.clone()))
            .with("why", Quantity::Text(traces.join(", "))),
    )
}

/// `6.1.55`.
pub(super) fn revision_name(version: &KernelVersion) -> String {
    let series = version.series_name();
    version.revision.map_or_else(|| series.clone(), |revision| format!("{series}.{revision}"))
}
