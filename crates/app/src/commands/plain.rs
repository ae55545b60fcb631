//! Verbs of [`PLAIN_VERBS`].

use crate::args::groups::OneShotFlags;
use bench::{PLAIN_VERBS, PlainVerb};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// A verb with its flags.
#[derive(Debug, Clone)]
pub(crate) struct Plain {
    pub(super) verb: &'static PlainVerb,
    pub(super) common: OneShotFlags,
}

impl FromArgMatches for Plain {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, given) = matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        let found = PLAIN_VERBS.into_iter().find(|verb| verb.question.asked_by == name);
        let verb = found.ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { verb, common: OneShotFlags::from_arg_matches(given)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Plain {
    fn augment_subcommands(command: Command) -> Command {
        PLAIN_VERBS.iter().fold(command, |command, verb| {
            let own = OneShotFlags::augment_args(Command::new(verb.question.asked_by));
            command.subcommand(own.about(verb.help).long_about(format!("{}\n\n{}", verb.help, verb.more)))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        PLAIN_VERBS.iter().any(|verb| verb.question.asked_by == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_verbs_print_the_report_of_their_name() {
        for verb in PLAIN_VERBS.map(|verb| verb.question.asked_by) {
            assert!(report::find(verb).is_some(), "{verb} has no report");
        }
    }
}
