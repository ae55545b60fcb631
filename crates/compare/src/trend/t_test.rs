//! Student's t-test for two samples: how likely a difference of means is by chance.
//!
//! Uses the pooled variance of both samples, because a segment of two values has no variance of its own worth using.

use record::Total;

/// Number, mean and sum of squared distances from the mean of a sample.
#[derive(Debug, Clone, Copy)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

fn moments(values: &[f64]) -> Moments {
    let count = values.len() as f64;
    let mean = values.iter().total::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).total();
    Moments { count, mean, squares }
}

/// Two-sided probability of at least this difference of means for two samples of one population; `None` with fewer than two
/// values on either side.
pub fn t_test(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (a, b) = (moments(a), moments(b));
    let freedom = a.count + b.count - 2.0;
    let variance = (a.squares + b.squares) / freedom * (1.0 / a.count + 1.0 / b.count);
    let distance = a.mean - b.mean;
    // Without variance, means are equal or certainly different.
    if variance <= 0.0 {
        return Some(if distance == 0.0 { 1.0 } else { 0.0 });
    }
    Some(two_sided(distance * distance / variance, freedom))
}

/// Probability of a larger distance, from the square of t.
fn two_sided(t_squared: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t_squared), freedom / 2.0, 0.5)
}

/// The regularised incomplete beta function I_x(a, b) (Abramowitz and Stegun 26.5.8 for the
/// continued fraction, 26.5.2 for the symmetry).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast only below the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let ln_factor = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) - a.ln();
    ln_factor.exp() / continued_fraction(x, a, b)
}

/// Denominator 1 + d1/(1 + d2/(1 + ...)), evaluated from the last of more terms than necessary.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TERMS: u32 = 400;
    let mut value = 1.0;
    for term in (1..=TERMS).rev() {
        let m = f64::from(term / 2);
        let d = match term % 2 {
            0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        value = 1.0 + d / value;
    }
    value
}

/// Logarithm of the gamma function for positive arguments: Stirling's series, with the recurrence for small arguments.
fn ln_gamma(x: f64) -> f64 {
    const LARGE: f64 = 12.0;
    let mut shift = 0.0;
    let mut x = x;
    while x < LARGE {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_of_published_tables() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper critical values of
        // Student's t; two-sided probabilities are twice those of the table.
        for (freedom, t, expected) in [
            (1.0, 12.706, 0.05),
            (2.0, 4.303, 0.05),
            (10.0, 2.228, 0.05),
            (30.0, 2.042, 0.05),
            (100.0, 2.626, 0.01),
            (5.0, 5.893, 0.002),
            (20.0, 3.552, 0.002),
            (60.0, 1.671, 0.1),
        ] {
            let p = two_sided(t * t, freedom);
            assert!((p / expected - 1.0).abs() < 2e-3, "{freedom} {t}: {p} {expected}");
        }
        assert!((two_sided(0.0, 7.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn tails_stay_probabilities() {
        for freedom in [2.0, 9.0, 500.0, 100_000.0] {
            let mut last = 1.0;
            for t in [0.1, 1.0, 3.0, 10.0, 40.0] {
                let p = two_sided(t * t, freedom);
                assert!((0.0..=1.0).contains(&p) && p <= last, "{freedom} {t}: {p}");
                last = p;
            }
        }
    }

    #[test]
    fn samples() {
        for (a, b, expected) in [
            (&[1.0, 2.0][..], &[3.0][..], None),
            (&[1.0, 1.0], &[1.0, 1.0], Some(1.0)),
            (&[1.0, 1.0], &[2.0, 2.0], Some(0.0)),
        ] {
            assert_eq!(t_test(a, b), expected);
        }
        // Means 2 and 5, pooled variance 1, so that t is 3 / sqrt(2 / 3) = 3.674 with 4 degrees.
        let p = t_test(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        assert!((p - 0.021312).abs() < 1e-5, "{p}");
    }

    #[test]
    fn gamma_of_whole_and_half_numbers() {
        for (x, gamma) in [(1.0, 1.0), (0.5, std::f64::consts::PI.sqrt()), (5.0, 24.0), (11.0, 3_628_800.0)] {
            assert!((ln_gamma(x) - f64::ln(gamma)).abs() < 1e-10, "{x}");
        }
    }
}
