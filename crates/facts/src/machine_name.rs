//! The name of a machine.

use record::Machine;
use redact::names_a_model;

/// Name of the machine in tables and headings: its board, else its host name if that names one kind of board, else
/// its SoC. Names chosen by the owner are not used.
pub fn machine_name(machine: &Machine) -> Option<&String> {
    let host = machine.hostname.known().filter(|host| names_a_model(host));
    machine.board.known().or(host).or(machine.soc.known())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Fact;

    #[test]
    fn host_name_of_every_image_is_no_board() {
        for (host, expected) in [
            ("raspberrypi", "Acme SoC"),
            ("RaspberryPi.local", "Acme SoC"),
            ("orangepi", "Acme SoC"),
            ("rock", "Acme SoC"),
            ("debian", "Acme SoC"),
            ("localhost", "Acme SoC"),
            ("rock64", "rock64"),
            ("star64", "star64"),
            ("orangepi5", "orangepi5"),
        ] {
            let mut machine = Machine { soc: Fact::Known("Acme SoC".to_owned()), ..Machine::default() };
            machine.hostname = Fact::Known(host.to_owned());
            assert_eq!(machine_name(&machine).map(String::as_str), Some(expected), "{host}");
        }
    }
}
