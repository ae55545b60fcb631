//! Reduces points without changing the drawn line: first, minimum, maximum and last value per pixel.

/// Reduces a line with ascending x to at most four points per unit of x.
pub(crate) fn reduced(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut rest = points;
    while let Some((x, _)) = rest.first() {
        let column = x.floor();
        let count = rest.iter().take_while(|(x, _)| x.floor() == column).count().max(1);
        let (own, others) = rest.split_at(count);
        rest = others;
        if count <= 4 {
            kept.extend(own);
            continue;
        }
        let by_value = |a: &usize, b: &usize| own[*a].1.total_cmp(&own[*b].1);
        let least = (0..count).min_by(by_value).unwrap_or(0);
        let greatest = (0..count).max_by(by_value).unwrap_or(0);
        let mut wanted = [0, least, greatest, count - 1];
        wanted.sort_unstable();
        let mut last = None;
        for index in wanted {
            if last.replace(index) != Some(index) {
                kept.push(own[index]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_stay() {
        let mut points: Vec<(f64, f64)> = (0..1_000_000).map(|at| (f64::from(at) / 1000.0, 50.0)).collect();
        points[777_777].1 = 99.0;
        points[123_456].1 = -4.0;
        let kept = reduced(&points);
        assert!(kept.len() <= 4000, "{}", kept.len());
        for wanted in [points[777_777], points[123_456], points[0], points[999_999]] {
            assert!(kept.contains(&wanted), "{wanted:?}");
        }
        let few = [(0.0, 1.0), (0.1, f64::NAN), (5.0, 2.0)];
        assert_eq!(reduced(&few).len(), 3);
        assert!(reduced(&[]).is_empty());
    }
}
