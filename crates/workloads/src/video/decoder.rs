//! Hardware decoders. Each is tried, because a compiled-in decoder may have no device, and a device no driver for the codec.

use super::super::scored::not_started;
use super::form::Form;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::Root;
use process::tools::InstalledProgram;
use record::{Failure, FailureKind, Missing};
use std::time::Duration;

/// One way of decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decoder {
    /// Name in the results.
    pub(super) name: &'static str,
    /// The codec it decodes.
    codec: &'static str,
    /// Arguments before the input.
    pub(super) arguments: &'static [&'static str],
    /// Arguments after the input that fail unless frames come from the device.
    proof: &'static [&'static str],
}

const fn named(name: &'static str, codec: &'static str, arguments: &'static [&'static str]) -> Decoder {
    Decoder { name, codec, arguments, proof: &[] }
}

/// Frames stay in the device; downloading one proves that it works.
const TAKEN_OUT: &[&str] = &["-vf", "hwdownload,format=nv12"];

/// Known decoders, those of boards first. (ffmpeg-codecs(1); `h264_rkmpp` since 6.1.)
const DECODERS: &[Decoder] = &[
    named("h264_rkmpp", "h264", &["-c:v", "h264_rkmpp"]),
    named("hevc_rkmpp", "hevc", &["-c:v", "hevc_rkmpp"]),
    named("h264_v4l2m2m", "h264", &["-c:v", "h264_v4l2m2m"]),
    named("hevc_v4l2m2m", "hevc", &["-c:v", "hevc_v4l2m2m"]),
    named("h264_mmal", "h264", &["-c:v", "h264_mmal"]),
    Decoder {
        name: "V4L2 request API",
        codec: "",
        arguments: &["-hwaccel", "drm", "-hwaccel_output_format", "drm_prime"],
        proof: TAKEN_OUT,
    },
    Decoder {
        name: "VA-API",
        codec: "",
        arguments: &["-hwaccel", "vaapi", "-hwaccel_output_format", "vaapi"],
        proof: TAKEN_OUT,
    },
];

/// Without any of these there is no decoder.
const DEVICES: [(&str, &str); 5] =
    [("/dev", "mpp_service"), ("/dev", "vpu_service"), ("/dev", "vchiq"), ("/dev", "video"), ("/dev/dri", "renderD")];
/// Frames of a trial.
const FRAMES: &str = "5";
const TRIAL_LIMIT: Duration = Duration::from_secs(20);

/// Why no decoder is tried.
pub(super) fn no_device(root: &Root) -> Option<Missing> {
    let is_there = DEVICES.iter().any(|(folder, start)| {
        let names = root.list(folder).unwrap_or_default();
        names.iter().any(|name| name.starts_with(*start))
    });
    (!is_there).then(|| Missing::unsupported("/dev", "there is no hardware video decoder"))
}

/// The first decoder that decodes a few frames.
pub(super) fn choose(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    form: &Form,
    clip: &str,
) -> Result<&'static Decoder, Failure> {
    let fitting = DECODERS.iter();
    let fitting = fitting.filter(|decoder| decoder.codec.is_empty() || decoder.codec == form.codec);
    let mut tried = Vec::new();
    for decoder in fitting {
        let mut words = vec!["-hide_banner", "-nostdin", "-v", "error", "-xerror"];
        words.extend(decoder.arguments);
        words.extend(["-i", clip, "-frames:v", FRAMES]);
        words.extend(decoder.proof);
        words.extend(["-f", "null", "-"]);
        match context.program(report, found, &words, TRIAL_LIMIT) {
            Ok(_) => return Ok(decoder),
            Err(failure) if failure.kind == FailureKind::Interrupted => return Err(failure),
            Err(_) => tried.push(decoder.name),
        }
    }
    Err(not_started(format!("No hardware decoder for {} works here (tried {}).", form.codec, tried.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};

    #[test]
    fn first_working_decoder_is_used() {
        for (works, expected) in [
            ("hevc_v4l2m2m", Ok("hevc_v4l2m2m")),
            ("vaapi", Ok("VA-API")),
            ("nothing", Err("tried hevc_rkmpp, hevc_v4l2m2m, V4L2 request API, VA-API")),
        ] {
            let bench = Bench::new(&[Program {
                name: "ffmpeg".into(),
                body: format!("case \"$*\" in *{works}*) exit 0;; esac; exit 1"),
            }]);
            let found = InstalledProgram {
                name: "ffmpeg".into(),
                path: bench.tools_directory().join("ffmpeg").display().to_string(),
                version: "ffmpeg 6.1".into(),
                runs_as_caller: false,
            };
            let form = Form::parse("hevc-540p-hardware").unwrap();
            let chosen =
                bench.with(&Job::default(), |context, report| choose(context, report, &found, &form, "clip.mkv"));
            match (chosen, expected) {
                (Ok(decoder), Ok(name)) => assert_eq!(decoder.name, name),
                (Err(failure), Err(words)) => {
                    assert!(failure.message.contains(words), "{failure:?}")
                }
                (found, expected) => panic!("{found:?} instead of {expected:?}"),
            }
        }
    }

    #[test]
    fn board_without_video_devices() {
        let root = Root::from_board("== /proc/meminfo\nMemAvailable: 8000000 kB\n").unwrap();
        assert!(no_device(&root).is_some());
    }
}
