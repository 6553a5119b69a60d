//! Element by element: layer norm, softmax, the bell of GELU. Written so that every width of register gives the same bits.
//!
//! Sums run in sixteen lanes that are added up in one fixed order; nothing is left to a library whose last digit may differ.

#![expect(clippy::inline_always, reason = "code has the registers of the function that it is inlined into")]

use pulp::{Arch, Simd, WithSimd};

/// Lanes of a sum.
pub(super) const LANES: usize = 16;

/// Sixteen numbers to one, in a fixed order.
#[inline(always)]
fn reduce_lanes(mut lanes: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for at in 0..width {
            lanes[at] += lanes[at + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// The sum of what `of` makes of each number. The length is a multiple of [`LANES`].
#[inline(always)]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += of(*number);
        }
    }
    reduce_lanes(lanes)
}

/// e to a power from -87 up to 0 and a little beyond: the nearest power of two, times a polynomial in the rest.
///
/// The splitting of ln 2 and the polynomial are those of Cephes' `expf` (Moshier), right to about one unit of the last place.
#[inline(always)]
fn exponential(power: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let power = power.clamp(-87.0, 87.0);
    let shifted = power * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = power - whole * 0.693_359_4;
    let rest = rest + whole * 2.121_944_4e-4;
    let mut value = 1.987_569_1e-4;
    for factor in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        value = value * rest + factor;
    }
    let value = value * (rest * rest) + rest + 1.0;
    // The lowest bits of the shifted number are the exponent.
    value * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// The Gaussian error linear unit with the error function itself, not with tanh: `x · (1 + erf(x / √2)) / 2`.
///
/// erf is a quotient of two polynomials, exact to some 1e-7; its coefficients are those that Eigen and XLA use.
#[inline(always)]
pub(super) fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const ABOVE: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const BELOW: [f32; 5] = [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2];
    let splat = |number| simd.splat_f32s(number);
    let scaled = simd.mul_f32s(x, splat(std::f32::consts::FRAC_1_SQRT_2));
    let bounded = simd.min_f32s(simd.max_f32s(scaled, splat(-4.0)), splat(4.0));
    let square = simd.mul_f32s(bounded, bounded);
    let polynomial = |factors: &[f32]| {
        let mut value = splat(factors[0]);
        for factor in &factors[1..] {
            value = simd.mul_add_f32s(value, square, splat(*factor));
        }
        value
    };
    let erf = simd.div_f32s(simd.mul_f32s(bounded, polynomial(&ABOVE)), polynomial(&BELOW));
    let half = simd.mul_f32s(x, splat(0.5));
    simd.mul_add_f32s(half, erf, half)
}

/// Layer norm of every row, in place.
pub(super) fn layer_norm(arch: Arch, rows: &mut [f32], weight: &[f32], bias: &[f32]) {
    struct Work<'a>(&'a mut [f32], &'a [f32], &'a [f32]);
    impl WithSimd for Work<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let Self(rows, weight, bias) = self;
            let width = weight.len();
            let share = 1.0 / width as f32;
            for row in rows.chunks_exact_mut(width) {
                let mean = sum(row, |number| number) * share;
                let variance = sum(row, |number| (number - mean) * (number - mean)) * share;
                let scale = 1.0 / (variance + 1e-12).sqrt();
                for ((number, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
                    *number = (*number - mean) * scale * weight + bias;
                }
            }
        }
    }
    arch.dispatch(Work(rows, weight, bias));
}

/// Softmax of the first `length` numbers of each row of `width`, after scaling; the numbers behind them become 0.
pub(super) fn softmax(arch: Arch, rows: &mut [f32], width: usize, length: usize, scale: f32) {
    struct Work<'a>(&'a mut [f32], usize, usize, f32);
    impl WithSimd for Work<'_> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            let Self(rows, width, length, scale) = self;
            for row in rows.chunks_exact_mut(width) {
                let (known, behind) = row.split_at_mut(length);
                let mut greatest = f32::NEG_INFINITY;
                for number in known.iter_mut() {
                    *number *= scale;
                    greatest = if *number > greatest { *number } else { greatest };
                }
                for number in known {
                    *number = exponential(*number - greatest);
                }
                behind.fill(0.0);
                let share = 1.0 / sum(row, |number| number);
                for number in row {
                    *number *= share;
                }
            }
        }
    }
    arch.dispatch(Work(rows, width, length, scale));
}

/// The mean of rows, scaled to unit length. A mean of nothing but zeros stays as it is.
pub(super) fn mean_pool(arch: Arch, rows: &[f32], width: usize) -> Vec<f32> {
    struct Work<'a>(&'a [f32], usize);
    impl WithSimd for Work<'_> {
        type Output = Vec<f32>;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
            let Self(rows, width) = self;
            let mut mean = vec![0.0; width];
            let mut count = 0.0_f32;
            for row in rows.chunks_exact(width) {
                count += 1.0;
                for (total, number) in mean.iter_mut().zip(row) {
                    *total += number;
                }
            }
            for number in &mut mean {
                *number /= count.max(1.0);
            }
            let length = sum(&mean, |number| number * number).sqrt().max(1e-12);
            for number in &mut mean {
                *number /= length;
            }
            mean
        }
    }
    arch.dispatch(Work(rows, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x and `x · (1 + erf(x / √2)) / 2` by Python's `math.erf`.
    const GELU: [(f32, f64); 9] = [
        (-6.0, -5.919_459_253_775_907e-9),
        (-3.0, -0.004_049_694_094_903_56),
        (-1.0, -0.158_655_253_931_457_05),
        (-0.25, -0.100_323_423_081_226_33),
        (0.0, 0.0),
        (0.1, 0.053_982_783_727_702_9),
        (1.0, 0.841_344_746_068_542_9),
        (2.5, 2.484_475_835_140_387_8),
        (8.0, 7.999_999_999_999_995),
    ];

    struct Each(Vec<f32>);

    impl WithSimd for Each {
        type Output = Vec<f32>;
        #[inline(always)]
        fn with_simd<S: Simd>(mut self, simd: S) -> Vec<f32> {
            for x in S::as_mut_simd_f32s(&mut self.0).0 {
                *x = gelu(simd, *x);
            }
            self.0
        }
    }

    #[test]
    fn gelu_has_the_values_of_the_error_function() {
        for (x, expected) in GELU {
            let got = Arch::new().dispatch(Each(vec![x; 64]))[0];
            assert!(
                (f64::from(got) - expected).abs() < 5e-7 * f64::from(x).abs().max(1.0),
                "{x}: {got}, not {expected}"
            );
        }
    }

    #[test]
    fn the_exponential_is_right_to_the_last_place_but_one() {
        for step in 0..8700 {
            let power = -(step as f32) / 100.0;
            let exact = f64::from(power).exp();
            assert!((f64::from(exponential(power)) - exact).abs() <= 2.5e-7 * exact, "{power}");
        }
    }

    #[test]
    fn every_width_of_register_gives_the_same_bits() {
        let numbers: Vec<f32> = (0..384 * 3).map(|at| ((at * 7919 % 1000) as f32 - 500.0) / 170.0).collect();
        let weight: Vec<f32> = (0..384).map(|at| 1.0 + at as f32 / 900.0).collect();
        let both = [Arch::new(), Arch::Scalar].map(|arch| {
            let mut rows = numbers.clone();
            layer_norm(arch, &mut rows, &weight, &weight);
            softmax(arch, &mut rows, 384, 380, 0.3);
            let mut bells = arch.dispatch(Each(numbers.clone()));
            bells.extend(mean_pool(arch, &rows, 384));
            bells.extend(rows);
            bells.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
        });
        assert_eq!(both[0], both[1]);
    }
}
