//! Verbs of questions with a [`PlainVerb`] in [`QUESTIONS`].

use crate::args::groups::OneShotFlags;
use bench::{PlainVerb, QUESTIONS, Question};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// A verb with its flags.
#[derive(Debug, Clone)]
pub(crate) struct Plain {
    pub(super) question: &'static Question,
    pub(super) verb: &'static PlainVerb,
    pub(super) common: OneShotFlags,
}

fn plain_verbs() -> impl Iterator<Item = (&'static Question, &'static PlainVerb)> {
    QUESTIONS.iter().filter_map(|question| Some((*question, question.plain_verb.as_ref()?)))
}

impl FromArgMatches for Plain {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, given) = matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        let found = plain_verbs().find(|(question, _)| question.asked_by == name);
        let (question, verb) = found.ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { question, verb, common: OneShotFlags::from_arg_matches(given)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Plain {
    fn augment_subcommands(command: Command) -> Command {
        plain_verbs().fold(command, |command, (question, verb)| {
            let own = OneShotFlags::augment_args(Command::new(question.asked_by));
            command.subcommand(own.about(verb.help).long_about(format!("{}\n\n{}", verb.help, verb.more)))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        plain_verbs().any(|(question, _)| question.asked_by == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_verbs_print_the_report_of_their_name() {
        assert!(plain_verbs().count() > 1);
        for (question, _) in plain_verbs() {
            assert!(report::find(question.asked_by).is_some(), "{} has no report", question.asked_by);
        }
    }
}
