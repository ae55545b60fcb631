//! What kind of run it was: `standard`, `review`, `thermal`.

use super::QuestionId;
use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

macro_rules! modes {
    ($($(#[$about:meta])* $variant:ident = $text:literal,)*) => {
        /// What kind of run.
        #[derive(Clone, Default, PartialEq, Eq, Hash)]
        pub enum Mode {
            $($(#[$about])* $variant,)*
            /// A kind that its own file alone asks for, or one of a newer program.
            Other(Cow<'static, str>),
        }

        impl Mode {
            /// All that are spelled here, in this order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its spelling.
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
    /// Nobody said; logs of 2018 do not.
    #[default]
    Unknown = "",
    /// The standard benchmark.
    Standard = "standard",
    /// The standard benchmark with more of everything.
    Extensive = "extensive",
    /// The standard benchmark with nobody at the screen.
    Unattended = "unattended",
    /// A review without benchmarks.
    UntunedReview = "NOTUNING review",
    /// A review.
    Review = "review",
    /// A look over the machine.
    Look = "look",
    /// The monitor.
    Monitor = "monitor",
    /// A command of the user's own.
    Command = "command",
    /// Workloads by name.
    Loads = "loads",
    /// Geekbench.
    Geekbench = "gb",
    /// The Phoronix Test Suite.
    Phoronix = "pts",
    /// Whether something makes a difference.
    Ab = "ab",
    /// What the clock does to scores.
    Sensitivity = "sensitivity",
    /// What the cooling can carry.
    Thermal = "thermal",
    /// What a unit of work costs at each clock.
    Efficiency = "efficiency",
    /// Whether memory is throttled.
    DramThrottling = "dram-throttling",
    /// Clocks alone.
    Clock = "clock",
    /// Latency between CPUs alone.
    CoreToCore = "core-to-core",
    /// Memory alone.
    Memory = "memory",
    /// One workload.
    Workload = "workload",
}

impl Mode {
    /// A kind that its own file alone asks for. It must not be the spelling of another one.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }

    /// The question that a run of this kind answers; none for what only watches or looks, and where nobody said.
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
