//! The channel that was chosen for the temperature of the SoC, as a Record keeps it.

use crate::ChannelId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which channel stands for the temperature of the SoC, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SocTemperature {
    /// The channel.
    pub channel: ChannelId,
    /// Why this one.
    pub why: SocReason,
}

/// Why a channel stands for the temperature of the SoC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SocReason {
    /// Its name stands best in the table.
    Name {
        /// What the name means.
        about: String,
    },
    /// The channel with the best name does not follow the load, and this one does.
    FollowsLoad {
        /// What its name means.
        about: String,
        /// Its correlation with the load, times 100.
        hundredths: i32,
        /// The channel with the best name.
        instead_of: ChannelId,
        /// The correlation of that one, times 100.
        its_hundredths: i32,
    },
    /// A log has one temperature, and does not always tell of which sensor.
    OnlyOneOfLog,
}
