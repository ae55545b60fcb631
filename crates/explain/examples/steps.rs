#![allow(clippy::disallowed_methods, missing_docs)]
fn main() {
    let t = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let r = explain::logs::read(&String::from_utf8_lossy(&t));
    for s in &r.steps {
        println!(
            "{} {} cpus {:?} thr {} rep {} {:?} {}",
            s.workload,
            s.variant,
            s.cpus,
            s.threads,
            s.repetition,
            (s.window.start_ms, s.window.end_ms),
            format!("{:?}", s.outcome)
                .chars()
                .take(150)
                .collect::<String>()
        );
    }
    println!("{:?} {:?}", r.run.mode, r.run.end);
    for s in &r.states {
        println!("{:?}", s);
    }
    println!("{:?}", r.source);
}
