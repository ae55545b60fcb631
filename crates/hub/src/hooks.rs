//! Where changes of an owner's machines are sent; set on the command line of the hub alone.

use crate::mail;
use crate::store::{Session, Trouble, first};

/// A form of notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON with all that is known.
    Generic,
    /// A room of Matrix: the address of the room in the client API with its access token.
    Matrix,
    /// Mattermost and Slack.
    Slack,
    /// Mail by SMTP, to what [`crate::mail::TARGET`] says.
    Mail,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Generic, Self::Matrix, Self::Slack, Self::Mail];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Matrix => "matrix",
            Self::Slack => "slack",
            Self::Mail => "mail",
        }
    }

    /// The form of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
}

/// Adds a hook for what is sent with a token.
///
/// # Errors
/// There is no such token, or nothing can be sent to such an address.
pub fn add(session: &mut dyn Session, token: &str, form: Form, target: &str) -> Result<(), Trouble> {
    let (is_target, like) = match form {
        Form::Mail => (mail::is_target(target), mail::TARGET),
        _ => {
            (["http://", "https://"].iter().any(|scheme| target.starts_with(scheme)), "https://HOST/PATH or http://...")
        }
    };
    if !is_target {
        return Err(Trouble::of(format!("The target of the form {} is {like}.", form.word())));
    }
    let row = first(session, "SELECT id FROM token WHERE name = $1", &[token.into()])?;
    let owner = row.and_then(|row| row.integer(0)).ok_or_else(|| Trouble::of(format!("No token named {token}.")))?;
    let sql = "INSERT INTO hook (owner, kind, target) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    session.run(sql, &[owner.into(), form.word().into(), target.into()]).map(drop)
}

/// Removes all hooks of a token.
///
/// # Errors
/// As [`Session::run`].
pub fn remove(session: &mut dyn Session, token: &str) -> Result<(), Trouble> {
    let hooks = "SELECT hook.id FROM hook JOIN token ON token.id = hook.owner WHERE token.name = $1";
    session.run(&format!("DELETE FROM notice WHERE sent_utc_ms IS NULL AND hook_id IN ({hooks})"), &[token.into()])?;
    session.run(&format!("DELETE FROM hook WHERE id IN ({hooks})"), &[token.into()]).map(drop)
}
