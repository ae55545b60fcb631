//! Commands of the operator: hooks, tokens, and removal of results.

use crate::args::{HookCommand, TokenCommand};
use crate::say;
use anyhow::{Context, bail, ensure};
use facts::how_many;
use hub::clock;
use hub::hooks::{self, Hook};
use hub::store::{self, Dialect, Store};
use hub::{quota, removal, tokens};
use std::io::Read;
use std::path::Path;

/// A target has some hundred bytes.
const TARGET_BYTES_MAX: u64 = 16 << 10;

pub(crate) fn hook(store: &dyn Store, command: HookCommand) -> anyhow::Result<()> {
    match command {
        HookCommand::Add { name, form, allow_private, target, target_file } => {
            let target = target_of(target.as_deref(), target_file.as_deref())?;
            let hook = Hook::new(form, &target, allow_private)?;
            Ok(store::write(store, |session| hooks::add(session, &name, &hook))?)
        }
        HookCommand::List => {
            for (name, hook) in store::read(store, hooks::all)? {
                let reach = if hook.allow_private { "private networks allowed" } else { "outside alone" };
                say(&format!("{name}\t{}\t{}\t{reach}", hook.form.word(), hook.shown()))?;
            }
            Ok(())
        }
        HookCommand::Remove { name } => {
            let ((), is_gone) = store::erase(store, |session| hooks::remove(session, &name))?;
            rest(store, is_gone)
        }
    }
}

/// Reads the target of a hook, which is not an argument because every user can read arguments.
fn target_of(word: Option<&str>, file: Option<&Path>) -> anyhow::Result<String> {
    let mut text = String::new();
    match (word, file) {
        (Some("-"), _) => std::io::stdin().lock().take(TARGET_BYTES_MAX).read_to_string(&mut text)?,
        (None, Some(file)) => {
            let opened = std::fs::File::open(file).with_context(|| file.display().to_string())?;
            opened.take(TARGET_BYTES_MAX).read_to_string(&mut text).with_context(|| file.display().to_string())?
        }
        (Some(_), _) => bail!(
            "Every user can read arguments, and a target often holds a password or a key: give it on standard input \
             (`hook add NAME -`) or by --target-file FILE."
        ),
        (None, None) => {
            bail!("The target is missing: give it on standard input (`hook add NAME -`) or by --target-file FILE.")
        }
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next()) {
        (Some(target), None) => Ok(target.to_owned()),
        _ => bail!("A target is one line."),
    }
}

pub(crate) fn hide(store: &dyn Store, ids: &[String]) -> anyhow::Result<()> {
    let count = store::write(store, |session| removal::hide_all(session, ids))?;
    say(&format!("{} hidden.", how_many(count, "result")))
}

pub(crate) fn delete(store: &dyn Store, ids: &[String]) -> anyhow::Result<()> {
    let (count, is_gone) = store::erase(store, |session| removal::delete_all(session, ids))?;
    say(&format!("{} deleted.", how_many(count, "result")))?;
    rest(store, is_gone)
}

pub(crate) fn compact(store: &dyn Store) -> anyhow::Result<()> {
    store.compact()?;
    say("The database was rewritten without what was deleted.")
}

/// Reports where deleted bytes may remain.
fn rest(store: &dyn Store, is_gone: bool) -> anyhow::Result<()> {
    match (store.dialect(), is_gone) {
        (Dialect::Postgres, _) => say(
            "PostgreSQL keeps deleted bytes in its files until `sbc-bench-hub compact` and in its write-ahead log until \
             that is recycled; backups keep them.",
        ),
        (Dialect::Sqlite, true) => say(
            "Remnants of names may be in free space of the database until `sbc-bench-hub compact`; backups keep all.",
        ),
        (Dialect::Sqlite, false) => say(
            "Another process reads the database, so that deleted bytes are still in its write-ahead log until a later write or \
             `sbc-bench-hub compact`.",
        ),
    }
}

pub(crate) fn token(store: &dyn Store, command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Make { name, scopes, quota } => {
            let secret = store::write(store, |session| {
                let secret = tokens::make(session, &name, &scopes, clock::now_utc_ms())?;
                if let Some(mib) = quota {
                    quota::set(session, &name, mib << 20)?;
                }
                Ok(secret)
            })?;
            say(&secret)
        }
        TokenCommand::Quota { name, quota } => {
            let is_there = store::write(store, |session| quota::set(session, &name, quota << 20))?;
            ensure!(is_there, "No token named {name}; see sbc-bench-hub token list.");
            say(&format!("{name} may keep {quota} MiB."))
        }
        TokenCommand::List => {
            for token in store::read(store, tokens::all)? {
                let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.word()).collect();
                let state = if token.revoked_utc_ms.is_some() { "revoked" } else { "valid" };
                let quota = store::read(store, |session| quota::of(session, token.id))?;
                let [kept, most] = [quota.kept, quota.most].map(|bytes| bytes >> 20);
                say(&format!("{}\t{}\t{state}\t{kept} of {most} MiB", token.name, scopes.join(",")))?;
            }
            Ok(())
        }
        TokenCommand::Revoke { name, delete } => {
            let is_there = store::write(store, |session| tokens::revoke(session, &name, clock::now_utc_ms()))?;
            ensure!(is_there, "No token named {name}; see sbc-bench-hub token list.");
            say(&format!("Revoked {name}."))?;
            if !delete {
                return Ok(());
            }
            store::write(store, |session| hooks::remove(session, &name))?;
            let (count, is_gone) = removal::delete_all_of(store, &name)?;
            say(&format!("{} deleted.", how_many(count, "result")))?;
            rest(store, is_gone)
        }
    }
}
