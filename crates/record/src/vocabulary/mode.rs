//! Mode of a run: `standard`, `review`, `thermal`.

use super::QuestionId;
use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

macro_rules! modes {
    ($($(#[$about:meta])* $variant:ident = $text:literal,)*) => {
        /// Mode of a run.
        #[derive(Clone, Default, PartialEq, Eq, Hash)]
        pub enum Mode {
            $($(#[$about])* $variant,)*
            /// Private mode of one file, or a mode of a newer program.
            Other(Cow<'static, str>),
        }

        impl Mode {
            /// All modes defined here, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Text of the mode.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }

            fn of(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

modes! {
    /// Unknown, as in logs of 2018.
    #[default]
    Unknown = "",
    /// Standard benchmark.
    Standard = "standard",
    /// Standard benchmark with additional workloads.
    Extensive = "extensive",
    /// Standard benchmark without a user at the terminal.
    Unattended = "unattended",
    /// Review without benchmarks.
    UntunedReview = "NOTUNING review",
    /// Review.
    Review = "review",
    /// Inspection.
    Look = "look",
    /// Monitor.
    Monitor = "monitor",
    /// A user's own command.
    Command = "command",
    /// Workloads by name.
    Loads = "loads",
    /// Geekbench.
    Geekbench = "gb",
    /// The Phoronix Test Suite.
    Phoronix = "pts",
    /// A/B comparison.
    Ab = "ab",
    /// Sensitivity of scores to the clock.
    Sensitivity = "sensitivity",
    /// Capacity of the cooling.
    Thermal = "thermal",
    /// Energy per unit of work at each clock.
    Efficiency = "efficiency",
    /// Check for throttled memory.
    DramThrottling = "dram-throttling",
    /// Clocks only.
    Clock = "clock",
    /// Core-to-core latency only.
    CoreToCore = "core-to-core",
    /// Memory only.
    Memory = "memory",
    /// One workload.
    Workload = "workload",
}

impl Mode {
    /// Private mode of one file. It must differ from the text of all other modes.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }

    /// Question that a run in this mode answers; `None` for monitoring, inspections and unknown modes.
    pub fn question(&self) -> Option<QuestionId> {
        Some(match self {
            Self::Unknown | Self::Look | Self::Monitor => return None,
            Self::Standard | Self::Extensive | Self::Unattended => QuestionId::Standard,
            Self::UntunedReview | Self::Review => QuestionId::Review,
            Self::Command => QuestionId::Program,
            Self::Loads | Self::Geekbench | Self::Phoronix => QuestionId::Loads,
            Self::Ab => QuestionId::Ab,
            Self::Sensitivity => QuestionId::Sensitivity,
            Self::Thermal => QuestionId::Thermal,
            Self::Efficiency => QuestionId::Efficiency,
            Self::DramThrottling => QuestionId::DramThrottling,
            Self::Clock => QuestionId::Clock,
            Self::CoreToCore => QuestionId::CoreToCore,
            Self::Memory => QuestionId::Memory,
            Self::Workload => QuestionId::Workload,
            Self::Other(text) => QuestionId::Other(text.clone()),
        })
    }

    pub(crate) fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.as_str())
    }
}

spelled!(Mode);

impl FromStr for Mode {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let other = || Self::Other(Cow::Owned(text.to_owned()));
        Ok(Self::of(text).unwrap_or_else(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::words::check_text_survives;
    use proptest::prelude::*;

    #[test]
    fn modes_are_read_by_their_spelling() {
        for mode in Mode::ALL {
            assert_eq!(mode.as_str().parse::<Mode>(), Ok(mode.clone()));
            check_text_survives::<Mode>(mode.as_str());
        }
        assert_eq!(Mode::default(), Mode::Unknown);
        assert_eq!("newer".parse(), Ok(Mode::own("newer")));
    }

    #[test]
    fn runs_answer_questions() {
        let of = |text: &str| text.parse::<Mode>().unwrap().question();
        assert_eq!(of("extensive"), Some(QuestionId::Standard));
        assert_eq!(of("pts"), Some(QuestionId::Loads));
        assert_eq!(of("NOTUNING review"), Some(QuestionId::Review));
        assert_eq!(of("newer"), Some(QuestionId::own("newer")));
        assert_eq!([of("monitor"), of("look"), of("")], [None, None, None]);
    }

    proptest! {
        #[test]
        fn any_text_survives(text in ".*") {
            check_text_survives::<Mode>(&text);
        }
    }
}
