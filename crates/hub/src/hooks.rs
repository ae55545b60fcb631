//! Hooks: targets of notices about an owner's machines, set on the hub's command line only.

use crate::mail;
use crate::outside::{AddressRefusal, Server};
use crate::store::{Session, StoreError, first};

/// Format of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON with all fields.
    Generic,
    /// Address of a Matrix room in the client API, with its access token.
    Matrix,
    /// Slack and Mattermost.
    Slack,
    /// Mail by SMTP ([`crate::mail::TARGET`]).
    Mail,
}

impl Form {
    pub const ALL: [Self; 4] = [Self::Generic, Self::Matrix, Self::Slack, Self::Mail];

    pub fn word(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Matrix => "matrix",
            Self::Slack => "slack",
            Self::Mail => "mail",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    pub form: Form,
    /// Often contains a password or a key.
    pub target: String,
    /// Whether it may reach private networks and this host.
    pub allow_private: bool,
}

impl Hook {
    /// Checks the target.
    pub fn new(form: Form, target: &str, allow_private: bool) -> Result<Self, StoreError> {
        let server = Server::of(target);
        let (is_target, like) = match form {
            Form::Mail => (mail::is_target(target), mail::TARGET),
            _ => {
                let is_web = server.as_ref().is_some_and(|server| ["http", "https"].contains(&server.scheme));
                (is_web, "https://HOST/PATH or http://...")
            }
        };
        let Some(server) = server.filter(|_| is_target) else {
            return Err(StoreError::of(format!("The target of the form {} is {like}.", form.word())));
        };
        if !allow_private {
            match server.addresses() {
                Err(AddressRefusal::Private(why)) => return Err(StoreError::of(format!("{why}."))),
                // A name without an address may have one when a notice is sent.
                Err(AddressRefusal::Unknown(_)) | Ok(_) => {}
            }
        }
        Ok(Self { form, target: target.to_owned(), allow_private })
    }

    /// The target without user, password, path and key.
    pub fn shown(&self) -> String {
        Server::of(&self.target).map_or_else(|| "an address that is not valid".to_owned(), |server| server.shown())
    }
}

/// Adds a hook for the uploads of a token, or replaces the one with the same target.
pub fn add(session: &mut dyn Session, token: &str, hook: &Hook) -> Result<(), StoreError> {
    let row = first(session, "SELECT id FROM token WHERE name = $1", &[token.into()])?;
    let owner = row.and_then(|row| row.integer(0)).ok_or_else(|| StoreError::of(format!("No token named {token}.")))?;
    let sql = "INSERT INTO hook (owner, kind, target, allow_private) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (owner, kind, target) DO UPDATE SET allow_private = excluded.allow_private";
    let values = [owner.into(), hook.form.word().into(), hook.target.as_str().into(), hook.allow_private.into()];
    session.run(sql, &values).map(drop)
}

/// All hooks, each with the name of its token.
pub fn all(session: &mut dyn Session) -> Result<Vec<(String, Hook)>, StoreError> {
    let sql = "SELECT token.name, hook.kind, hook.target, hook.allow_private FROM hook \
               JOIN token ON token.id = hook.owner ORDER BY token.name, hook.id";
    let rows = session.run(sql, &[])?;
    let hooks = rows.iter().filter_map(|row| {
        let form = Form::of(row.text(1)?)?;
        Some((row.words(0), Hook { form, target: row.words(2), allow_private: row.flag(3) }))
    });
    Ok(hooks.collect())
}

/// Removes all hooks of a token.
pub fn remove(session: &mut dyn Session, token: &str) -> Result<(), StoreError> {
    let hooks = "SELECT hook.id FROM hook JOIN token ON token.id = hook.owner WHERE token.name = $1";
    session.run(&format!("DELETE FROM notice WHERE sent_utc_ms IS NULL AND hook_id IN ({hooks})"), &[token.into()])?;
    session.run(&format!("DELETE FROM hook WHERE id IN ({hooks})"), &[token.into()]).map(drop)
}
