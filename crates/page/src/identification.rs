//! Page of a machine that was identified without a run: its SoC with the evidence, and its facts.

use crate::document::{Part, document};
use crate::machine;
use facts::soc::{self, Answer};
use maud::html;
use record::Machine;

/// Machine as an HTML file with the text of `sbc-bench inspect identify`. `read_from` names the source and may be any text.
pub fn identification(machine: &Machine, answer: &Answer, read_from: &str) -> String {
    let name = name(machine, answer);
    let top = html! {
        h1 { (name) }
        p.soft { "Identified from " (facts::plain(read_from)) ". Nothing was measured." }
    };
    let text = soc::text(machine, answer);
    let text = html! { pre tabindex="0" role="group" aria-label="Identification" { (facts::harmless(&text)) } };
    let identified = Part::of("identification", "Identification", text);
    let facts = machine::facts(machine, None).map(|body| Part::of("machine", "Machine", body));
    let parts: Vec<Part> = [identified].into_iter().chain(facts).collect();
    document(&name, &top, &parts, "")
}

/// Name of the machine: its board, else its SoC.
pub fn name(machine: &Machine, answer: &Answer) -> String {
    let name = machine.board.known().cloned().or_else(|| answer.title());
    name.map_or_else(|| "Unknown board".into(), |name| facts::plain(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Fact;

    #[test]
    fn page_has_the_text_of_the_program_and_nothing_of_foreign_markup() {
        let machine = Machine { board: Fact::Known("<script>x</script>\u{1b}[2J".into()), ..Machine::default() };
        let answer = soc::identify(&machine);
        let page = identification(&machine, &answer, "<b>.board");
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>x") && !page.contains('\u{1b}'), "{page}");
        assert!(page.contains("Identified from &lt;b&gt;.board. Nothing was measured."));
        let unknown = identification(&Machine::default(), &soc::identify(&Machine::default()), "");
        assert!(unknown.contains("<h1>Unknown board</h1>") && unknown.contains("Confidence      unknown"), "{unknown}");
    }
}
