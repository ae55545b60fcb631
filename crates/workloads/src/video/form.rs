//! Variants of the video workload: codec, lines, pace, decoder.

use record::Variant;

/// All variants; those with hardware are skipped without a hardware decoder.
pub(super) const VARIANTS: &[Variant] = &[
    Variant::own("h264-540p"),
    Variant::own("h264-1080p"),
    Variant::own("hevc-540p"),
    Variant::own("hevc-1080p"),
    Variant::own("h264-540p-realtime"),
    Variant::own("h264-1080p-realtime"),
    Variant::own("hevc-540p-realtime"),
    Variant::own("hevc-1080p-realtime"),
    Variant::own("h264-540p-hardware"),
    Variant::own("h264-1080p-hardware"),
    Variant::own("hevc-540p-hardware"),
    Variant::own("hevc-1080p-hardware"),
    Variant::own("h264-1080p-hardware-realtime"),
    Variant::own("hevc-1080p-hardware-realtime"),
];

/// Frame rate of the clip, as in European broadcasts.
pub(super) const FRAMES_PER_S: f64 = 25.0;

/// A parsed variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// `h264` or `hevc`, as ffmpeg calls them.
    pub(super) codec: &'static str,
    /// Height of the picture.
    pub(super) lines: u32,
    /// Whether it is decoded at the pace of the clip.
    pub(super) is_realtime: bool,
    /// Whether hardware decodes it.
    pub(super) is_hardware: bool,
}

impl Form {
    /// Parses a variant such as `hevc-1080p-realtime`.
    pub(super) fn parse(variant: &str) -> Option<Self> {
        let mut words = variant.split('-');
        let codec = match words.next()? {
            "h264" => "h264",
            "hevc" => "hevc",
            _ => return None,
        };
        let lines = match words.next()? {
            "540p" => 540,
            "1080p" => 1080,
            _ => return None,
        };
        let rest: Vec<&str> = words.collect();
        let is_known = rest.iter().all(|word| ["hardware", "realtime"].contains(word));
        is_known.then(|| Self {
            codec,
            lines,
            is_realtime: rest.contains(&"realtime"),
            is_hardware: rest.contains(&"hardware"),
        })
    }

    /// Encoder of the clip.
    pub(super) fn encoder(&self) -> &'static str {
        match self.codec {
            "h264" => "libx264",
            _ => "libx265",
        }
    }

    /// ffmpeg's source of the picture: moving patterns with unpredictable noise.
    pub(super) fn picture(&self) -> String {
        let (width, lines) = (self.lines * 16 / 9, self.lines);
        format!("testsrc2=size={width}x{lines}:rate={FRAMES_PER_S},noise=alls=12:allf=t")
    }

    /// Bits per second; HEVC needs about half for the same picture.
    pub(super) fn rate(&self) -> &'static str {
        match (self.codec, self.lines) {
            ("h264", 540) => "4M",
            ("h264", _) => "8M",
            (_, 540) => "2M",
            _ => "4M",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_table_is_one() {
        for variant in VARIANTS.iter().map(Variant::as_str) {
            let form = Form::parse(variant).expect(variant);
            assert_eq!(form.is_hardware, variant.contains("hardware"));
            assert_eq!(form.is_realtime, variant.contains("realtime"));
        }
        let small = Form::parse("h264-540p").unwrap();
        assert!(small.picture().starts_with("testsrc2=size=960x540:rate=25,"));
        for wrong in ["", "h264", "av1-540p", "h264-720p", "h264-540p-fast"] {
            assert_eq!(Form::parse(wrong), None, "{wrong}");
        }
    }
}
