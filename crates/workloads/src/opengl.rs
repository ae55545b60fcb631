//! `opengl`: off-screen scenes of glmark2, in frames per second. The Record names the renderer: without a GPU driver
//! Mesa renders on the CPU, which is a benchmark of the CPU.
//!
//! Without a display, the variant of glmark2 for bare DRM is used, otherwise a virtual display (Xvfb).

use super::scored::{garbled, higher, major, not_started, positive, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::{InstalledProgram, ToolKind};
use record::{Failure, Missing, Score, Scores, StepMeasurement, Variant, WorkloadId};
use regex_lite::Regex;
use std::time::Duration;

/// All scenes with their own durations.
const FULL: Variant = Variant::own("full");
const VARIANTS: &[Variant] = &[Variant::own("short"), FULL];

/// The entry in the table of workloads.
pub(super) const OPENGL: Workload = Workload {
    id: WorkloadId::OpenGl,
    about: "Frames per second of glmark2 scenes, rendered off-screen by the GPU or (variant cpu) by the CPU.",
    link: "https://github.com/glmark2/glmark2",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 1, seconds: 30 }),
    lacking,
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "glmark2",
    programs: &["glmark2-es2", "glmark2", "glmark2-es2-wayland", "glmark2-wayland", "glmark2-es2-drm", "glmark2-drm"],
    recognise: &version_line,
    ..ToolKind::PLAIN
};

/// The same program for machines without a display.
const DRM: ToolKind = ToolKind {
    name: "glmark2 for DRM",
    programs: &["glmark2-es2-drm", "glmark2-drm"],
    recognise: &version_line,
    ..ToolKind::PLAIN
};

/// A virtual display.
pub(crate) const XVFB: ToolKind = ToolKind {
    name: "Xvfb",
    programs: &["xvfb-run"],
    version_args: &["--help"],
    recognise: &|text| text.contains("xvfb-run").then(|| "xvfb-run".to_owned()),
    ..ToolKind::PLAIN
};

/// One scene for each part of the GPU, for comparisons; all scenes take more than five minutes.
const SHORT: [&str; 6] =
    ["build", "texture", "shading:shading=phong", "bump:bump-render=normals", "desktop", "jellyfish"];
/// Seconds of each scene of the short form.
const SHORT_S: f64 = 3.0;
/// 33 scenes of 10 seconds, and slow scenes that need seconds for one frame.
const FULL_LIMIT: Duration = Duration::from_secs(900);
const SHORT_LIMIT: Duration = Duration::from_secs(180);

/// Display.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Display {
    /// The program finds the display.
    Own(InstalledProgram),
    /// A virtual display is started around the program.
    Virtual(InstalledProgram, InstalledProgram),
}

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    display(context, has_display()).err()
}

fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

fn display(context: &WorkloadContext, has_display: bool) -> Result<Display, Missing> {
    let found = context.tools.find(&KIND)?;
    if has_display {
        return Ok(Display::Own(found));
    }
    let cards = context.root.list("/dev/dri").unwrap_or_default();
    if cards.iter().any(|name| name.starts_with("card"))
        && let Ok(drm) = context.tools.find(&DRM)
    {
        return Ok(Display::Own(drm));
    }
    match context.tools.find(&XVFB) {
        Ok(xvfb) if !found.name.ends_with("drm") => Ok(Display::Virtual(xvfb, found)),
        _ => Err(Missing::unsupported("DISPLAY", "no display, no /dev/dri/card* with glmark2-es2-drm and no xvfb-run")),
    }
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    tool(context, &KIND)?;
    let display = display(context, has_display()).map_err(|missing| not_started(format!("{missing}.")))?;
    let is_short = context.job.variant != FULL;
    let scene_s = context.job.time.map_or(SHORT_S, |time| (time.as_secs_f64() / SHORT.len() as f64).max(1.0));
    let defaults = format!(":duration={scene_s:.1}");
    let mut arguments = vec!["--off-screen"];
    if is_short {
        arguments.extend(["-b", &defaults]);
        arguments.extend(SHORT.iter().flat_map(|scene| ["-b", scene]));
    }
    let limit = if is_short { SHORT_LIMIT } else { FULL_LIMIT };
    let (program, version) = match &display {
        Display::Own(found) => (found.clone(), &found.version),
        Display::Virtual(xvfb, found) => {
            arguments.splice(0..0, ["-a", found.path.as_str()]);
            (xvfb.clone(), &found.version)
        }
    };
    report.method = major(version);
    let program = InstalledProgram { version: version.clone(), ..program };
    let output =
        context.program(report, &program, &arguments, limit).map_err(|failed| match reason(&failed.output_tail) {
            Some(why) => Failure { message: format!("glmark2 found no display: {why}."), ..failed },
            None => failed,
        })?;
    parse(&output, is_short).map(StepMeasurement::Scores).map_err(|why| garbled(why, &output))
}

/// The first `Error: ...` of an output, which is the most specific.
fn reason(output: &str) -> Option<String> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("Error: "))?;
    Some(line.trim_end_matches('.').to_owned())
}

/// `2023.01`, or the banner of older ones: `glmark2 2021.02`.
fn version_line(text: &str) -> Option<String> {
    recognised("glmark2", r"(?:^|\s)([0-9]{4}\.[0-9]{2}\S*)", text)
}

/// The score of all scenes, if all ran, then each scene: `[build] use-vbo=false: FPS: 807 FrameTime: 1.240 ms`.
pub(super) fn parse(output: &str, is_short: bool) -> Result<Scores, String> {
    let line = r"(?m)^\s*\[([^\]]*)\] *(.*?): FPS: *(\S+)(?:.*FrameTime: *(\S+))?";
    let line = Regex::new(line).map_err(|why| why.to_string())?;
    let scene = |found: regex_lite::Captures| {
        // Frames per second are printed without decimals, so the time of a frame is more exact.
        let rate = found.get(4).and_then(|ms| positive(ms.as_str())).map(|ms| 1000.0 / ms);
        let name = match &found[2] {
            "" | "<default>" => found[1].to_owned(),
            options => format!("{} {options}", &found[1]),
        };
        Some(higher(&name, rate.or_else(|| positive(&found[3]))?, "frames/s"))
    };
    let scenes: Vec<Score> = line.captures_iter(output).filter_map(scene).collect();
    if scenes.is_empty() {
        return Err("glmark2 rendered no scene".into());
    }
    let label = |name: &str| {
        let line = output.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|text| text.trim().to_owned())
    };
    let renderer = label("GL_RENDERER:").unwrap_or_else(|| "an unnamed renderer".into());
    // The mean of the short form is not comparable.
    let score = label("glmark2 Score:").and_then(|text| positive(&text));
    let mut rows = Vec::new();
    if let (Some(score), false) = (score, is_short) {
        rows.push(higher("", score, "points"));
    }
    rows.extend(scenes);
    let size = label("Surface Size:").unwrap_or_default();
    let size = size.split_whitespace().next().map_or(String::new(), |size| format!(", {size}"));
    let by_cpu = ["llvmpipe", "softpipe", "swrast", "SWR"];
    let who = if by_cpu.iter().any(|name| renderer.contains(name)) {
        format!("rendered by the CPU, no GPU driver: {renderer}{size}")
    } else {
        format!("rendered by {renderer}{size}")
    };
    Ok(Scores { rows, detail: who, ..Scores::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};

    const LLVMPIPE: &str = include_str!("../tool_output/glmark2/2023.01-llvmpipe.txt");
    const NO_DISPLAY: &str = include_str!("../tool_output/glmark2/2023.01-no-display.txt");

    #[test]
    fn score_scenes_and_renderer_are_read() {
        let full = parse(LLVMPIPE, false).unwrap();
        assert_eq!(full.rows.len(), 34);
        assert_eq!(full.rows[0], higher("", 377.0, "points"));
        assert_eq!(full.rows[1], higher("build use-vbo=false", 1000.0 / 1.240, "frames/s"));
        assert_eq!(full.rows[23].name, "terrain");
        let slowest = full.rows.iter().map(|row| row.value).fold(f64::MAX, f64::min);
        assert!((slowest - 0.578).abs() < 0.001, "{slowest}");
        assert!(full.detail.starts_with("rendered by the CPU") && full.detail.ends_with(", 800x600"));
        assert_eq!(parse(LLVMPIPE, true).unwrap().rows.len(), 33);
        let gpu = LLVMPIPE.replace("llvmpipe (LLVM 15.0.6, 256 bits)", "V3D 4.2");
        assert!(parse(&gpu, true).unwrap().detail.starts_with("rendered by V3D 4.2"));
    }

    #[test]
    fn missing_display_error() {
        assert_eq!(reason(NO_DISPLAY).as_deref(), Some("main: Could not initialize canvas"));
        assert!(parse(NO_DISPLAY, true).unwrap_err().contains("no scene"));
    }

    #[test]
    fn versions() {
        for (text, expected) in [
            ("2023.01\n", Some("glmark2 2023.01")),
            ("    glmark2 2021.02\n", Some("glmark2 2021.02")),
            ("1.0\n", None),
            // Another program may print any letters there.
            ("2023.é0 2023.1é\n", None),
        ] {
            assert_eq!(version_line(text).as_deref(), expected);
        }
    }

    #[test]
    fn display_is_found_or_made() {
        let program = |name: &str, body: &str| Program { name: name.into(), body: body.into() };
        let glmark = || program("glmark2-es2", "echo 2023.01");
        let xvfb = program("xvfb-run", "echo Usage: xvfb-run");
        let check = |programs: &[Program], has_display| {
            Bench::new(programs).with(&Job::default(), |context, _| {
                display(context, has_display).map(|display| match display {
                    Display::Own(found) => found.name,
                    Display::Virtual(xvfb, found) => format!("{} {}", xvfb.name, found.name),
                })
            })
        };
        assert_eq!(check(&[glmark()], true), Ok("glmark2-es2".into()));
        assert_eq!(check(&[glmark(), xvfb], false), Ok("xvfb-run glmark2-es2".into()));
        assert!(check(&[glmark()], false).unwrap_err().to_string().contains("xvfb-run"));
        assert!(check(&[], true).unwrap_err().to_string().contains("not installed"));
    }
}
