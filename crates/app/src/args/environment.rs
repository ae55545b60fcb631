//! The environment variables that change a run, as scripts and habits know them.

/// The environment, read once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `(name, value)` of every variable that means something here.
    pub(crate) variables: Vec<(String, String)>,
}

/// Variables that change a run.
const VARIABLES: &[&str] = &[
    "MODE",
    "MaxKHz",
    "MinKHz",
    "NotReadyYet",
    "NOTUNING",
    "ExecuteCommand",
    "CPUINFOFILE",
];

impl Environment {
    /// What the process was started with.
    pub(crate) fn read() -> Self {
        let set = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
        Self {
            variables: VARIABLES.iter().filter_map(set).collect(),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// A clock.
    pub(crate) fn khz(&self, name: &str) -> Result<Option<u32>, String> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(khz) if khz > 0 => Ok(Some(khz)),
            _ => Err(format!(
                "{name} is a clock in kHz, such as 1416000, not {text:?}."
            )),
        }
    }

    /// Something that is on or off.
    pub(crate) fn yes(&self, name: &str) -> Result<bool, String> {
        match self.get(name).map(str::to_lowercase).as_deref() {
            None | Some("no" | "0" | "false") => Ok(false),
            Some("yes" | "1" | "true") => Ok(true),
            Some(other) => Err(format!("{name} is yes or no, not {other:?}.")),
        }
    }
}
