//! Choice of the channel for the SoC temperature, as stored in a Record.

use crate::ChannelId;
use serde::{Deserialize, Serialize};

/// Channel of the SoC temperature, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SocTemperature {
    /// Channel.
    pub channel: ChannelId,
    /// Reason of the choice.
    pub why: SocReason,
}

/// Reason why a channel was chosen for the SoC temperature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SocReason {
    /// Its name has the best rank in the table.
    Name {
        /// Meaning of the name.
        about: String,
    },
    /// The channel with the best name does not follow the load, but this one does.
    FollowsLoad {
        /// Meaning of its name.
        about: String,
        /// Its correlation with the load, times 100.
        hundredths: i32,
        /// Channel with the best name.
        instead_of: ChannelId,
        /// Correlation of that channel with the load, times 100.
        its_hundredths: i32,
    },
    /// A log has one temperature and may not name its sensor.
    OnlyOneOfLog,
}
