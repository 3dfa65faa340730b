//! A map of probability vectors: similar ones near each other in the plane.

/// Places by classical scaling (Torgerson 1952) of the Jensen–Shannon distances.
///
/// The plane has the two directions in which the vectors differ most. Its orientation is arbitrary but always the same.
pub(crate) fn plane(vectors: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let n = vectors.len();
    let mut gram = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let squared = jensen_shannon(&vectors[i], &vectors[j]);
            (gram[i * n + j], gram[j * n + i]) = (squared, squared);
        }
    }
    // −½ of the squared distances, centred in both directions, is the matrix of inner products.
    let means: Vec<f64> = gram.chunks(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for i in 0..n {
        for j in 0..n {
            gram[i * n + j] = -0.5 * (gram[i * n + j] - means[i] - means[j] + mean);
        }
    }
    let x = leading(&mut gram, n);
    let y = leading(&mut gram, n);
    x.into_iter().zip(y).collect()
}

/// The divergence in nats; its root is a distance.
fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let term = |p: f64, m: f64| if p > 0.0 { p * (p / m).ln() } else { 0.0 };
    let terms = p.iter().zip(q).map(|(&p, &q)| {
        let m = 0.5 * (p + q);
        0.5 * (term(p, m) + term(q, m))
    });
    terms.sum::<f64>().max(0.0)
}

/// The coordinates along the direction of the largest eigenvalue, which is then taken out of the matrix.
fn leading(matrix: &mut [f64], n: usize) -> Vec<f64> {
    // Any start with a part in that direction will do; this one has no symmetry.
    let mut v: Vec<f64> = (0..n).map(|i| ((i + 1) as f64 * 0.754_877_666).fract() - 0.5).collect();
    let mut value = 0.0;
    for _ in 0..500 {
        let product: Vec<f64> =
            matrix.chunks(n).map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
        value = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        if value < 1e-300 {
            return vec![0.0; n];
        }
        v = product.into_iter().map(|x| x / value).collect();
    }
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] -= value * v[i] * v[j];
        }
    }
    v.into_iter().map(|x| x * value.sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_is_near() {
        let near = |tilt: f64| vec![0.5 + tilt, 0.4 - tilt, 0.05, 0.05];
        let far = |tilt: f64| vec![0.05, 0.05, 0.4 - tilt, 0.5 + tilt];
        let places = plane(&[near(0.0), near(0.05), far(0.0), far(0.05)]);
        let distance = |i: usize, j: usize| (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
        // In two dimensions the distances of these four are kept almost exactly.
        let exact = jensen_shannon(&near(0.0), &far(0.0)).sqrt();
        assert!((distance(0, 2) - exact).abs() < 0.02 * exact, "{places:?}");
        assert!(distance(0, 1) < 0.2 * exact && distance(2, 3) < 0.2 * exact, "{places:?}");
        assert_eq!(plane(&[vec![1.0]]), [(0.0, 0.0)]);
        assert!(plane(&[vec![0.5, 0.5], vec![0.5, 0.5]]).iter().all(|p| p.0.is_finite() && p.1.is_finite()));
    }
}
