//! Core-to-core latency: two threads pass a cache line back and forth.
//!
//! One thread writes an odd number, the other waits for it and answers with the next even one. Both loops only load
//! that line, without `pause` or `yield`, which would take longer than the transfer. The caller starts and pins both
//! threads.

use crate::timer::now_ns;
use std::sync::atomic::{AtomicU32, Ordering};

/// Value that ends the exchange. It is even, so that it is never taken for a request.
const OVER: u32 = u32::MAX - 1;
/// Numbers restart from here, long before they reach [`OVER`].
const LAST: u32 = 1 << 31;

/// The shared line. It occupies two lines of the usual 64 bytes, because some CPUs fetch pairs and some have lines of
/// 128 bytes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct CacheLinePingPong {
    ball: AtomicU32,
}

impl CacheLinePingPong {
    /// A line in its initial state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers every request until the other side ends the exchange.
    pub fn answer(&self) {
        let mut seen = 0;
        loop {
            let ball = self.ball.load(Ordering::Acquire);
            if ball == OVER {
                return;
            }
            if ball != seen && ball % 2 == 1 {
                // If this exchange fails, the other side has ended it.
                let (before, after) = (Ordering::Release, Ordering::Relaxed);
                let _ = self.ball.compare_exchange(ball, ball + 1, before, after);
                seen = ball;
            }
        }
    }

    /// Runs this many round trips and returns the nanoseconds of one way, half a round trip. `None` once the exchange
    /// has ended.
    pub fn play(&self, round_trips: u32) -> Option<f64> {
        let mut ball = self.ball.load(Ordering::Relaxed);
        if ball == OVER {
            return None;
        }
        if ball > LAST {
            ball = 0;
        }
        let start_ns = now_ns();
        for _ in 0..round_trips {
            self.ball.store(ball + 1, Ordering::Release);
            loop {
                match self.ball.load(Ordering::Acquire) {
                    OVER => return None,
                    answer if answer == ball + 2 => break,
                    _ => {}
                }
            }
            ball += 2;
        }
        let elapsed_ns = now_ns() - start_ns;
        Some(elapsed_ns as f64 / f64::from(round_trips.max(1)) / 2.0)
    }

    /// Ends the exchange for both sides.
    pub fn end(&self) {
        self.ball.store(OVER, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ping_pong_round_trips() {
        let game = CacheLinePingPong::new();
        let times = std::thread::scope(|scope| {
            scope.spawn(|| game.answer());
            let times = [game.play(50), game.play(50)];
            assert_eq!(game.ball.load(Ordering::Relaxed), 200);
            game.ball.store(LAST + 2, Ordering::Relaxed);
            assert!(game.play(3).is_some());
            assert_eq!(game.ball.load(Ordering::Relaxed), 6, "it starts again");
            game.end();
            times
        });
        assert!(times.into_iter().all(|time| time.is_some_and(|ns| ns > 0.0)));
    }

    #[test]
    fn ping_pong_stops_both_sides() {
        let game = CacheLinePingPong::new();
        game.end();
        game.answer();
        assert_eq!(game.play(10), None);
        let late = CacheLinePingPong::new();
        std::thread::scope(|scope| {
            let player = scope.spawn(|| late.play(10));
            std::thread::sleep(std::time::Duration::from_millis(5));
            late.end();
            // The exchange returns even without an answer.
            assert_eq!(player.join().unwrap(), None);
        });
    }
}
