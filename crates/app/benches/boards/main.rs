//! The whole program on virtual boards, each figure held to the few percent that it is good for.
//!
//! Moments decide these figures, so they take minutes and a machine that does nothing else: `cargo xtask bench
//! --boards` runs them, `cargo test` does not. What does not hang on moments is in `tests/virtual_board`.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod efficiency;
mod ledger;
#[path = "../../tests/virtual_board/rig.rs"]
#[allow(dead_code, reason = "tests, which may share this machine, use more of it")]
mod rig;
mod sensitivity;
mod thermal;

/// Figures must be as near as they say.
const IS_EXACT: bool = true;
