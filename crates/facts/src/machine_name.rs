//! The name of a machine.

use record::Machine;
use redact::names_a_board;

/// Name of the machine in tables and headings: its board, else its host name if that is a board's name, else its
/// SoC. Names chosen by the owner are not used.
pub fn machine_name(machine: &Machine) -> Option<&String> {
    let host = machine.hostname.known().filter(|host| names_a_board(host));
    machine.board.known().or(host).or(machine.soc.known())
}
