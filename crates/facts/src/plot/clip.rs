//! Clips lines to a picture. Places come from foreign Records and may be far away or not finite; the result is finite
//! and small.

/// A place, in units of the picture from its left upper corner.
pub(super) type Place = (f64, f64);

/// Parts of a line through points that are within `size` and this margin around it. A point that is not a
/// number interrupts the line.
pub(super) fn visible(points: &[Place], size: Place, margin: f64) -> Vec<Vec<Place>> {
    let mut pieces: Vec<Vec<Place>> = Vec::new();
    let mut goes_on = false;
    for pair in points.windows(2) {
        let Some((from, to)) = segment(pair[0], pair[1], size, margin) else {
            goes_on = false;
            continue;
        };
        match pieces.last_mut().filter(|_| goes_on && from == pair[0]) {
            Some(piece) => piece.push(to),
            None => pieces.push(vec![from, to]),
        }
        goes_on = to == pair[1];
    }
    pieces
}

/// Segment between two places, by the algorithm of Liang and Barsky.
fn segment(from: Place, to: Place, size: Place, margin: f64) -> Option<(Place, Place)> {
    let along = (to.0 - from.0, to.1 - from.1);
    if ![from.0, from.1, along.0, along.1].iter().all(|x| x.is_finite()) {
        return None;
    }
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (start, step, end) in [(from.0, along.0, size.0), (from.1, along.1, size.1)] {
        let (low, high) = (-margin, end + margin);
        if step == 0.0 {
            if start < low || start > high {
                return None;
            }
            continue;
        }
        let (enters, leaves) = ((low - start) / step, (high - start) / step);
        first = first.max(enters.min(leaves));
        last = last.min(enters.max(leaves));
    }
    let at = |share: f64| (from.0 + share * along.0, from.1 + share * along.1);
    let begin = if first > 0.0 { at(first) } else { from };
    let end = if last < 1.0 { at(last) } else { to };
    // Products of huge numbers are only about right.
    let inside = |(x, y): Place| {
        let within = |place: f64, end: f64| place.clamp(-margin, end + margin);
        (within(x, size.0), within(y, size.1))
    };
    (first <= last).then(|| (inside(begin), inside(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[Place], expected: &[&[Place]]) {
        assert_eq!(visible(points, (10.0, 10.0), 0.0), expected, "{points:?}");
    }

    #[test]
    fn segments_are_clipped() {
        check(&[(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)], &[&[(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)]]);
        check(&[(5.0, 5.0), (5.0, 1e15)], &[&[(5.0, 5.0), (5.0, 10.0)]]);
        check(&[(-1e15, 5.0), (1e15, 5.0)], &[&[(0.0, 5.0), (10.0, 5.0)]]);
        check(&[(20.0, 1.0), (30.0, 2.0)], &[]);
        check(&[(5.0, -1.0), (5.0, -2.0)], &[]);
        check(&[(1.0, 1.0), (1.0, f64::NAN), (2.0, 2.0), (3.0, 3.0)], &[&[(2.0, 2.0), (3.0, 3.0)]]);
        check(&[(f64::INFINITY, 1.0), (1.0, 1.0)], &[]);
        check(&[(-f64::MAX, 1.0), (f64::MAX, 1.0)], &[]);
        // Out and in again: two pieces.
        check(&[(8.0, 5.0), (12.0, 5.0), (8.0, 5.0)], &[&[(8.0, 5.0), (10.0, 5.0)], &[(10.0, 5.0), (8.0, 5.0)]]);
        // A dot is a line without length.
        check(&[(5.0, 5.0), (5.0, 5.0)], &[&[(5.0, 5.0), (5.0, 5.0)]]);
    }

    proptest::proptest! {
        #[test]
        fn clipped_points_are_inside(points: Vec<(f64, f64)>) {
            for piece in visible(&points, (700.0, 300.0), 5.0) {
                for (x, y) in piece {
                    proptest::prop_assert!((-5.1..705.1).contains(&x) && (-5.1..305.1).contains(&y));
                }
            }
        }
    }
}
