//! Content of the screen, cell by cell, for several kinds of terminals.

use super::draw::draw;
use super::*;
use crate::terminal_caps::{Charset, TerminalCaps};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use record::{Channel, CpuTime, Fact, Record, Run, Source};

fn channel(id: ChannelId, label: &str) -> Channel {
    Channel { label: label.into(), ..Channel::of(id) }
}

/// A board with these cores in one policy.
fn watch(cores: u32) -> Watch {
    let source = Source::Run { version: "1".into(), target: String::new() };
    let run = Run { started: Fact::Known(0), ..Run::default() };
    let mut record = Record::new(source, run);
    record.machine.board = Fact::Known("Test Board".into());
    record.samples.interval_ms = 1000;
    let times = [CpuTime::User, CpuTime::Idle];
    let of_cpu = |cpu| times.map(|time| ChannelId::cpu_time(cpu, time));
    let ticks = times.map(ChannelId::all_cpus).into_iter();
    let ticks = ticks.chain((0..cores).flat_map(of_cpu));
    let mut channels: Vec<Channel> = ticks.map(Channel::of).collect();
    channels.push(channel(ChannelId::claimed(0), "0"));
    channels.push(channel(ChannelId::zone_temperature(0), "cpu-thermal"));
    channels.push(channel(ChannelId::Cooling(0), "cpufreq-cpu0"));
    record.samples.channels = channels;
    Watch::new(record)
}

/// State after four seconds in which the board got hot and slow.
fn state(cores: u32, look: TerminalCaps) -> State {
    let mut watch = watch(cores);
    let mut state = State { look, ..State::default() };
    state.begin(&watch);
    for second in 0..4_i64 {
        let busy = (0..=cores).flat_map(|_| [75 * second, 25 * second]);
        let hot = [1_800_000 - 400_000 * second, 40_000 + 10_000 * second, second / 2];
        watch.row(second * 1000, busy.chain(hot).map(Some));
        state.row(&watch);
        watch.discard_events();
    }
    state
}

/// Lines of the screen, without blanks at their ends.
fn screen(state: &State, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

const ASCII: TerminalCaps = TerminalCaps { colours: false, ascii: true, charset: Charset::Ascii };

#[test]
fn screen_layout() {
    let expected = expect_test::expect![[r#"
         00:00:03  load -  every 1 s                     Test Board
        THROTTLED, 50 % of the time: overheating.
        all CPUs                     75 %                        :::
                             0 % to 100 %                       ?###
        clock cpu0                600 MHz                       #:
                        0 MHz to 1800 MHz                       ###:
        SoC temperature           70.0 °C                        .:#
                       20.0 °C to 70.0 °C                       :###
        cpu0                         75 %                       ?:::
        cpu1                         75 %                       ?:::

        q quit   p pause   -/+ time span (0:25 min)
    "#]];
    expected.assert_eq(&format!("{}\n", screen(&state(2, ASCII), 60, 12).join("\n")));
}

#[test]
fn many_cores_share_lines() {
    let lines = screen(&state(60, ASCII), 60, 12);
    let strip = |name: &str, cores: usize| format!("{name:<34}{}", ":".repeat(cores));
    let expected = [strip("cpu0 to cpu24 now", 25), strip("cpu25 to cpu49 now", 25), strip("cpu50 to cpu59 now", 10)];
    assert_eq!(lines[7..10], expected);
}

#[test]
fn every_size_is_drawn() {
    let state = state(4, ASCII);
    for (width, height) in [(1, 1), (20, 3), (30, 8), (31, 9), (40, 12), (80, 24), (300, 100), (500, 8)] {
        let lines = screen(&state, width, height);
        assert_eq!(lines.len(), usize::from(height));
    }
    assert!(screen(&state, 29, 20)[0].starts_with("Terminal too small (needs 30"));
}

#[test]
fn narrow_screen_has_every_word() {
    let mut state = State { is_run: true, board: "香橙派五".into(), ..state(2, ASCII) };
    state.file = "about 4 min left, 7-zip".into();
    state.note = "libc memory bandwidth on CPU 0: copy 11515 MB/s".into();
    for (width, title) in
        [(60, " 00:00:03  load -  every 1 s  about 4 min left, 7-zip"), (40, " 00:00:03  about 4 min left, 7-zip")]
    {
        let lines = screen(&state, width, 24);
        assert!(lines[0].starts_with(title), "{lines:#?}");
        let all = lines.join(" ");
        for words in ["THROTTLED, 50 % of the time: overheating.", &state.note, "q leave the screen", "-/+ time span ("]
        {
            assert!(all.contains(words), "{words}: {lines:#?}");
        }
        let plotted = |line: &&String| line.ends_with('#') || line.ends_with(':');
        assert!(lines.iter().filter(plotted).count() > 4, "{lines:#?}");
    }
    assert_eq!(screen(&State::default(), 40, 12)[1..3].join(" "), SILENT);
}

/// The sentence of a machine that reports nothing.
const SILENT: &str = "Throttling cannot be seen: neither it nor a clock is reported here.";

/// The last steps stand below the plots, which reach down to them.
#[test]
fn run_lists_its_steps() {
    let mut state = State { is_run: true, ..state(2, ASCII) };
    state.steps = (1..=30).map(|run| format!("7-zip on all CPUs, run {run} of 30: 5331 MIPS")).collect();
    for (width, height, listed) in [(60, 12, 2), (80, 24, 6), (120, 40, 12)] {
        let lines = screen(&state, width, height);
        let steps: Vec<&String> = lines.iter().filter(|line| line.contains(" of 30: 5331 MIPS")).collect();
        assert_eq!(steps.len(), listed, "{lines:#?}");
        assert!(steps.last().unwrap().contains("run 30 of 30"), "{lines:#?}");
        let above = lines.iter().position(|line| line == steps[0]).unwrap() - 1;
        assert!(!lines[above].is_empty(), "{lines:#?}");
    }
}

#[test]
fn empty_stream_is_drawn() {
    assert_eq!(screen(&State::default(), 60, 12)[1..3].join(" "), SILENT);
    assert_eq!(screen(&State::default(), 60, 11)[1], &SILENT[..60]);
}

/// A hot board whose clock is low under load, which neither kernel nor firmware reports; then the same without heat.
#[test]
fn low_clock_under_load_is_inferred() {
    let screen_at = |millicelsius: i64, busy: i64, governor: &str| {
        let mut record = watch(2).record().clone();
        record.samples.channels.pop();
        record.machine.policies = vec![record::Policy {
            cpus: vec![0, 1],
            clock_khz_max: Fact::Known(1_800_000),
            governor: Fact::Known(governor.into()),
            ..record::Policy::default()
        }];
        let (mut watch, mut state) = (Watch::new(record), State { look: ASCII, ..State::default() });
        state.begin(&watch);
        for second in 0..4 {
            let ticks = (0..3).flat_map(|_| [busy * second, (100 - busy) * second]);
            watch.row(second * 1000, ticks.chain([408_000, millicelsius]).map(Some));
            state.row(&watch);
            watch.discard_events();
        }
        screen(&state, 80, 24)[1..3].join(" ")
    };
    for (millicelsius, busy, governor, expected) in [
        (
            82_000,
            99,
            "schedutil",
            "Probably THROTTLED, 50 % of the time: clock 0-1 at 408 of 1800 MHz under load, 82.0 °C.",
        ),
        (45_000, 99, "schedutil", "LOW CLOCK: clock 0-1 at 408 of 1800 MHz under load, governor schedutil."),
        (45_000, 99, "performance", "LOW CLOCK: clock 0-1 at 408 of 1800 MHz under load."),
        (82_000, 20, "schedutil", "Throttling is not reported here; no clock is low under load."),
    ] {
        let lines = screen_at(millicelsius, busy, governor);
        assert!(lines.starts_with(expected), "{lines}");
    }
}

#[test]
fn colours_are_used_only_where_there_are_some() {
    let coloured = |look: TerminalCaps| {
        let mut terminal = Terminal::new(TestBackend::new(60, 12)).unwrap();
        terminal.draw(|frame| draw(frame, &state(2, look))).unwrap();
        let cells = terminal.backend().buffer().content();
        cells.iter().any(|cell| cell.fg != ratatui::style::Color::Reset)
    };
    assert!(!coloured(ASCII));
    assert!(coloured(TerminalCaps { colours: true, ..TerminalCaps::default() }));
}

#[test]
fn key_bindings() {
    let mut state = state(1, ASCII);
    let mut press = |key| state.key(key);
    assert_eq!(press(Key::Char('q')), Action::Quit);
    assert_eq!(press(Key::Interrupt), Action::Quit);
    assert_eq!(press(Key::Char('c')), Action::Nothing);
    assert_eq!(press(Key::Left), Action::Nothing);
    assert_eq!(press(Key::Char('p')), Action::Pause);
    for _ in 0..20 {
        press(Key::Char('-'));
    }
    assert!(state.paused && state.samples_per_column() == 120);
    state.replay = true;
    assert_eq!(state.key(Key::Left), Action::Seek(-SEEK_MS));
    for _ in 0..20 {
        state.key(Key::Char('+'));
    }
    assert_eq!(state.samples_per_column(), 1);
}

#[test]
fn pause_freezes_screen_without_losing_samples() {
    let mut watch = watch(1);
    let mut state = State::default();
    state.begin(&watch);
    let mut row = |state: &mut State, second: i64| {
        let ticks = [60 * second, 40 * second, 60 * second, 40 * second];
        let more = [1_000_000 + second * 100_000, 40_000, 0];
        watch.row(second * 1000, ticks.into_iter().chain(more).map(Some));
        state.row(&watch);
    };
    (0..3).for_each(|second| row(&mut state, second));
    let before = screen(&state, 60, 12);
    state.key(Key::Char('p'));
    (3..6).for_each(|second| row(&mut state, second));
    let paused = screen(&state, 60, 12);
    assert!(paused[0].contains("PAUSED"));
    assert_eq!(paused[4..], before[4..]);
    state.key(Key::Char('p'));
    row(&mut state, 6);
    let clock = &state.tracks[1].history;
    assert_eq!(clock.columns(state.behind, 9, 1, f32::min).len(), 7);
}
