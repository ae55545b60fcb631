//! `video`: ffmpeg decodes a clip that it has encoded itself, at full speed or in real time.
//!
//! The clip has moving patterns and noise at the bit rate of a broadcast, and is encoded once per run. Nothing is displayed
//! or converted, so the decoder alone is measured. In real time, a frame that is not decoded when due counts as dropped.

mod decoder;
mod form;

use super::scored::{garbled, higher, not_started, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use form::{FRAMES_PER_S, Form};
use machine::available_kib;
use machine::files::OwnFolder;
use process::tools::{InstalledProgram, ToolKind, version_numbers};
use record::{Failure, Missing, Score, Scores, StepMeasurement, WorkloadId};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const VIDEO: Workload = Workload {
    id: WorkloadId::Video,
    about: "H.264 and HEVC decoding with ffmpeg, at full speed and in real time (dropped frames).",
    link: "https://ffmpeg.org/ffmpeg.html",
    tool: Some(&KIND),
    shape: Some(Shape { variants: form::VARIANTS, places: Places::All, repetitions: 1, seconds: SECONDS }),
    lacking,
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "ffmpeg",
    programs: &["ffmpeg"],
    version_args: &["-version"],
    recognise: &|text| recognised("ffmpeg", r"^ffmpeg version [nN-]*(\S+)", text),
    // Older versions have no option for the period of their progress.
    oldest: &[4, 4],
    ..ToolKind::PLAIN
};

const SECONDS: u64 = 10;
/// x265 needs half a second for a frame of 1080 lines on the slowest boards.
const CLIP_LIMIT: Duration = Duration::from_secs(900);
/// Length of the clip, which is decoded in a loop.
const CLIP_SECONDS: &str = "4";
/// Allowance for decoders slower than real time.
const SPARE_TIME: Duration = Duration::from_secs(60);
/// Peaks of encoding were 130 MB at 540 and 300 MB at 1080 lines.
const fn memory_kib(lines: u32) -> u64 {
    if lines > 540 { 400 << 10 } else { 180 << 10 }
}

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let form = Form::parse(context.job.variant.as_str())?;
    if form.is_hardware
        && let Some(missing) = decoder::no_device(context.root)
    {
        return Some(missing);
    }
    let available = available_kib(context.root).ok()?;
    (available < memory_kib(form.lines)).then(|| {
        let why = format!("{} MiB are not enough to encode the test clip", available >> 10);
        Missing::unsupported("/proc/meminfo", why)
    })
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    // Decoders become faster with each version: the version is the method.
    let numbers = version_numbers(&found.version);
    let part = |index: usize| numbers.get(index).copied().unwrap_or(0).min(99);
    report.method = part(0) * 100 + part(1);
    let unknown = || not_started(format!("Unknown video variant {:?}.", context.job.variant));
    let form = Form::parse(context.job.variant.as_str()).ok_or_else(unknown)?;
    let folder = context.site.temporary_folder().map_err(|why| not_started(format!("{why}.")))?;
    let context = &context.in_folder(&folder);
    let clip = clip(context, report, &found, &form, &folder)?;
    let decoder = if form.is_hardware { Some(decoder::choose(context, report, &found, &form, &clip)?) } else { None };
    report.start_timing(context.timeline);
    let time = context.job.time.unwrap_or(Duration::from_secs(SECONDS));
    let words = arguments(&form, decoder.map_or(&[], |decoder| decoder.arguments), &clip, time);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = if form.is_realtime {
        context.program(report, &found, &words, 4 * time + SPARE_TIME)?
    } else {
        context.program_for(report, &found, &words, time)?
    };
    let name = decoder.map_or("software", |decoder| decoder.name);
    let scores = if form.is_realtime { realtime(&output, report.program_elapsed.as_secs_f64()) } else { fast(&output) };
    let scores = scores.map_err(|why| garbled(why, &output))?;
    let detail = if scores.detail.is_empty() {
        format!("decoded by {name}")
    } else {
        format!("decoded by {name}; {}", scores.detail)
    };
    Ok(StepMeasurement::Scores(Scores { detail, ..scores }))
}

/// Name of an incomplete clip.
const PART: &str = "part.mkv";

/// The clip of this form; encodes it if it does not exist.
fn clip(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    form: &Form,
    folder: &OwnFolder,
) -> Result<String, Failure> {
    let clip = format!("{}-{}.mkv", form.codec, form.lines);
    if folder.length(&clip).is_some() {
        return Ok(clip);
    }
    // Encoded under another name, so that an interrupted step leaves no incomplete clip.
    let (picture, rate) = (form.picture(), form.rate());
    let input = ["-hide_banner", "-nostdin", "-y", "-v", "error", "-f", "lavfi", "-i", &picture, "-t", CLIP_SECONDS];
    let codec = ["-c:v", form.encoder(), "-preset", "ultrafast", "-b:v", rate, "-pix_fmt", "yuv420p", "-g", "50", PART];
    let words = [input, codec].concat();
    context.program(report, found, &words, CLIP_LIMIT).map_err(|failed| {
        let line = failed.output_tail.lines().find(|line| line.contains("Unknown encoder"));
        match line {
            Some(_) => Failure {
                message: format!("This ffmpeg cannot encode the test clip: it has no {}.", form.encoder()),
                ..failed
            },
            None => failed,
        }
    })?;
    folder.rename(PART, &clip).map_err(|why| not_started(format!("{why}.")))?;
    Ok(clip)
}

fn arguments(form: &Form, decoder: &[&str], clip: &str, time: Duration) -> Vec<String> {
    let mut words: Vec<String> =
        ["-hide_banner", "-nostdin", "-nostats", "-progress", "pipe:1", "-stats_period", "0.5"]
            .map(str::to_owned)
            .to_vec();
    words.extend(form.is_realtime.then(|| "-re".to_owned()));
    words.extend(decoder.iter().map(|word| (*word).to_owned()));
    words.extend(["-stream_loop", "-1", "-i", clip].map(str::to_owned));
    if form.is_realtime {
        words.extend(["-t".to_owned(), time.as_secs().max(1).to_string()]);
    }
    words.extend(["-an", "-f", "null", "-"].map(str::to_owned));
    words
}

/// Frames and frames per second of the last report that has both.
fn last_report(output: &str) -> Option<(f64, f64)> {
    let mut frames = None;
    let mut last = None;
    for line in output.lines() {
        if let Some(value) = line.strip_prefix("frame=") {
            frames = value.trim().parse::<f64>().ok();
        }
        if let (Some(frames), Some(value)) = (frames, line.strip_prefix("fps=")) {
            let rate = value.trim().parse::<f64>().ok().filter(|rate| *rate > 0.0);
            last = rate.map(|rate| (frames, rate)).or(last);
        }
    }
    last
}

pub(super) fn fast(output: &str) -> Result<Scores, String> {
    let (frames, rate) = last_report(output).ok_or("ffmpeg decoded no frame in the time limit")?;
    Ok(Scores { rows: vec![higher("", rate, "frames/s")], detail: format!("{frames} frames"), ..Scores::default() })
}

/// ffmpeg drops no frames but takes longer; frames that were due and missing are those that a player would drop.
pub(super) fn realtime(output: &str, elapsed_s: f64) -> Result<Scores, String> {
    let (frames, _) = last_report(output).ok_or("ffmpeg decoded no frame in the time limit")?;
    // Startup and exit are not part of the playback.
    const START_S: f64 = 1.0;
    let needed_s = (frames / FRAMES_PER_S).max(elapsed_s - START_S);
    let shown = frames / needed_s;
    let dropped = (FRAMES_PER_S * needed_s - frames).max(0.0).round();
    Ok(Scores {
        rows: vec![
            higher("", shown, "frames/s"),
            Score { name: "dropped".into(), value: dropped, unit: "frames".into(), higher_is_better: false },
        ],
        detail: format!("{frames} of {} frames in real time", frames + dropped),
        ..Scores::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H540: &str = include_str!("../tool_output/ffmpeg/5.1.9-x86_64-h540.txt");
    const H1080: &str = include_str!("../tool_output/ffmpeg/5.1.9-x86_64-h1080.txt");
    const E540: &str = include_str!("../tool_output/ffmpeg/5.1.9-x86_64-e540.txt");
    const E1080: &str = include_str!("../tool_output/ffmpeg/5.1.9-x86_64-e1080.txt");
    const REALTIME: &str = include_str!("../tool_output/ffmpeg/5.1.9-x86_64-re.txt");

    #[test]
    fn last_report_counts() {
        for (text, expected) in [
            (H540, (2200.0, 615.68)),
            (H1080, (1147.0, 296.12)),
            (E540, (2730.0, 692.87)),
            (E1080, (992.0, 280.18)),
            (REALTIME, (100.0, 23.94)),
        ] {
            assert_eq!(last_report(text), Some(expected));
        }
        assert_eq!(last_report("frame=1\nfps=0.00\n"), None);
        assert!(fast("Error").unwrap_err().contains("no frame"));
    }

    #[test]
    fn missing_frames_are_dropped_frames() {
        for (elapsed_s, shown, dropped) in [(4.2, 25.0, 0.0), (9.0, 12.5, 100.0)] {
            let rows = realtime(REALTIME, elapsed_s).unwrap().rows;
            assert_eq!((rows[0].value, rows[1].value), (shown, dropped));
        }
    }

    #[test]
    fn ffmpeg_version_line() {
        for (text, expected) in [
            ("ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000", Some("ffmpeg 5.1.9-0+deb12u1")),
            ("ffmpeg version n7.0.2 Copyright", Some("ffmpeg 7.0.2")),
            ("avconv version 11", None),
        ] {
            assert_eq!((KIND.recognise)(text).as_deref(), expected);
        }
    }
}
