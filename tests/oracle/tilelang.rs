//! Kernels of TileLang before any pass, executed at the level of tiles: the results are those of plain loops.
//!
//! The kernels are ours, printed by TileLang (`tests/tilelang`). TileLang's own results need a GPU.

use interp::{Argument, Array, Options, Schedule, needs, run};
use ir::DataType;

use crate::functions::{Function, functions_of};

/// The kernel of a file.
fn kernel(name: &str) -> Function {
    let path = format!("{}/tilelang/{name}.py", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the kernel is there");
    let function = functions_of(name, &text).remove(0);
    assert!(function.lowered.diagnostics.is_empty(), "{:?}", function.lowered.diagnostics);
    assert_eq!(function.lowered.body.dialect, ir::Dialect::TileLang);
    function
}

/// The arguments before and after a run of a kernel, in each order of threads and blocks; nothing goes wrong in any.
#[track_caller]
fn executed(name: &str) -> (Vec<Array>, Vec<Array>) {
    let body = kernel(name).lowered.body;
    let needed = needs(&body, &interp::Symbols::default()).expect("arrays");
    let arguments: Vec<Argument> = needed.iter().enumerate().map(|(n, it)| given(n, it)).collect();
    let before = arrays(&arguments);
    let mut results: Option<Vec<Array>> = None;
    for schedule in [Schedule::Lockstep, Schedule::Reverse, Schedule::Random(7)] {
        let options = Options { schedule, find_races: true, ..Options::default() };
        let outcome = run(&body, arguments.clone(), &options).expect("runs");
        let events: Vec<_> = outcome.events.iter().map(|it| &it.detail).collect();
        assert!(events.is_empty(), "{name}: {events:?}");
        let after = arrays(&outcome.arguments);
        if let Some(first) = &results {
            let bits = |all: &[Array]| all.iter().map(Array::to_f64s).collect::<Vec<_>>();
            assert_eq!(bits(first), bits(&after), "{name}: {schedule:?}");
        }
        results = Some(after);
    }
    (before, results.expect("a run"))
}

fn given(number: usize, need: &interp::ArgumentNeed) -> Argument {
    let interp::ArgumentNeed::Array { dtype, shape } = need else { panic!("{need:?}") };
    let mut array = Array::zeros(*dtype, shape);
    for at in 0..array.len() {
        let value = ((at * 37 + number * 11) % 23) as f64;
        let value = if *dtype == DataType::INT32 { value % 8.0 } else { (value - 11.0) / 8.0 };
        array.set_f64(at, value);
    }
    Argument::Array(array)
}

fn arrays(arguments: &[Argument]) -> Vec<Array> {
    let arrays = arguments.iter().map(|it| match it {
        Argument::Array(array) => array.clone(),
        other => panic!("{other:?}"),
    });
    arrays.collect()
}

#[track_caller]
fn assert_near(found: &Array, expected: &[f64], tolerance: f64) {
    let found = found.to_f64s();
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "element {at}: {a}, expected {b}");
    }
}

/// The product of two matrices; of a turned one the rows are the columns.
fn product(a: &[f64], b: &[f64], [m, n, k]: [usize; 3], turned: bool) -> Vec<f64> {
    let of_a = |i: usize, p: usize| if turned { a[p * m + i] } else { a[i * k + p] };
    let of_b = |p: usize, j: usize| if turned { b[j * k + p] } else { b[p * n + j] };
    let at = |i: usize, j: usize| (0..k).map(|p| of_a(i, p) * of_b(p, j)).sum();
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
}

fn sum_rows(x: &[f64], columns: usize, of: impl Fn(f64) -> f64) -> Vec<f64> {
    x.chunks(columns).map(|row| row.iter().map(|&it| of(it)).sum()).collect()
}

#[test]
fn products_of_tiles_are_products() {
    // The last tiles lie beyond the matrices in all three dimensions.
    let (before, after) = executed("gemm_tail");
    let [a, b] = [&before[0], &before[1]].map(Array::to_f64s);
    assert_near(&after[2], &product(&a, &b, [13, 11, 19], false), 1e-6);
    let (before, after) = executed("gemm_tt");
    let [a, b] = [&before[0], &before[1]].map(Array::to_f64s);
    assert_near(&after[2], &product(&a, &b, [16, 8, 16], true), 1e-6);
}

#[test]
fn warps_that_copy_and_warps_that_multiply_meet_at_barriers() {
    let (before, after) = executed("specialized");
    let [a, b] = [&before[0], &before[1]].map(Array::to_f64s);
    assert_near(&after[2], &product(&a, &b, [16, 16, 64], false), 1e-6);
}

#[test]
fn each_thread_has_its_own_row() {
    let (before, after) = executed("gemv");
    let [a, b] = [&before[0], &before[1]].map(Array::to_f64s);
    assert_near(&after[2], &product(&b, &a, [32, 1, 24], false), 1e-6);
}

#[test]
fn elements_beyond_the_end_are_neither_read_nor_written() {
    let (before, after) = executed("elementwise");
    let [a, b] = [&before[0], &before[1]].map(Array::to_f64s);
    let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a + b * 2.0).max(0.0)).collect();
    assert_near(&after[2], &expected, 1e-3);
}

#[test]
fn rows_are_normalised() {
    let (before, after) = executed("softmax");
    let x = before[0].to_f64s();
    let expected = x.chunks(24).flat_map(|row| {
        let most = row.iter().copied().fold(f64::MIN, f64::max);
        let all: f64 = row.iter().map(|it| (it - most).exp()).sum();
        row.iter().map(move |it| (it - most).exp() / all)
    });
    assert_near(&after[1], &expected.collect::<Vec<_>>(), 1e-6);
    let (before, after) = executed("layer_norm");
    let [x, scale, bias] = [0, 1, 2].map(|it| before[it].to_f64s());
    let mut expected = Vec::new();
    for row in x.chunks(16) {
        let mean = row.iter().sum::<f64>() / 16.0;
        let variance = row.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 16.0;
        let each = row.iter().zip(&scale).zip(&bias);
        expected.extend(each.map(|((x, g), b)| (x - mean) / (variance + 1e-5).sqrt() * g + b));
    }
    assert_near(&after[3], &expected, 1e-5);
}

#[test]
fn reductions_and_prefixes() {
    let (before, after) = executed("reductions");
    let x = before[0].to_f64s();
    let rows = |of: &dyn Fn(&[f64]) -> f64| x.chunks(12).map(of).collect::<Vec<_>>();
    let mut expected = sum_rows(&x, 12, |it| it);
    expected.extend(rows(&|row| row.iter().copied().fold(f64::MAX, f64::min)));
    expected.extend(sum_rows(&x, 12, f64::abs));
    expected.extend(rows(&|row| row.iter().fold(0.0, |most: f64, it| most.max(it.abs()))));
    expected.extend(rows(&|row| row.iter().copied().fold(0.5, f64::max)));
    assert_near(&after[1], &expected, 1e-6);
    let columns: Vec<f64> = (0..12).map(|j| (0..8).map(|i| x[i * 12 + j]).sum()).collect();
    assert_near(&after[2], &columns, 1e-6);
    let (mut forward, mut backward) = (x.clone(), x.clone());
    for i in 0..8 {
        (1..12).for_each(|j| forward[i * 12 + j] += forward[i * 12 + j - 1]);
    }
    for i in (0..7).rev() {
        (0..12).for_each(|j| backward[i * 12 + j] += backward[(i + 1) * 12 + j]);
    }
    assert_near(&after[3], &forward, 1e-6);
    assert_near(&after[4], &backward, 1e-6);
}

#[test]
fn attention_with_a_running_maximum() {
    let (before, after) = executed("attention");
    let [q, k, v] = [0, 1, 2].map(|it| before[it].to_f64s());
    let mut expected = Vec::new();
    for row in 0..16 {
        let dot = |at: usize| (0..8).map(|d| q[row * 8 + d] * k[at * 8 + d]).sum::<f64>();
        let scores: Vec<f64> = (0..=row).map(dot).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = scores.iter().map(|it| ((it - most) * 0.5).exp2()).collect();
        let all: f64 = weights.iter().sum();
        let value = |d: usize| (0..=row).map(|at| weights[at] * v[at * 8 + d]).sum::<f64>() / all;
        expected.extend((0..8).map(value));
    }
    assert_near(&after[3], &expected, 2e-3);
}

#[test]
fn columns_of_a_convolution() {
    let (before, after) = executed("convolution");
    let [data, kernel] = [0, 1].map(|it| before[it].to_f64s());
    let mut expected = vec![0.0; 128];
    for (at, sum) in expected.iter_mut().enumerate() {
        let (y, x, f) = (at as i64 / 32, at as i64 / 8 % 4, at % 8);
        for (i, j, c) in (0..36).map(|it| (it / 12, it / 4 % 3, it % 4)) {
            let (row, column) = (y + i - 1, x + j - 1);
            if (0..4).contains(&row) && (0..4).contains(&column) {
                let place = (row * 16 + column * 4 + c) as usize;
                *sum += data[place] * kernel[((i * 3 + j) * 4 + c) as usize * 8 + f];
            }
        }
    }
    assert_near(&after[2], &expected, 1e-5);
}

#[test]
fn atomics_variables_and_narrow_floats() {
    let (before, after) = executed("histogram");
    let mut counts = before[1].to_f64s();
    before[0].to_f64s().iter().for_each(|it| counts[*it as usize] += 1.0);
    assert_eq!(after[1].to_f64s(), counts);
    let (tile, narrow) = (before[2].to_f64s(), after[3].to_f64s());
    let e4m3 = DataType::parse("float8_e4m3fn").expect("a type");
    let expected = (0..64).map(|at| e4m3.round_float(tile[at % 8 * 8 + at / 8] * 3.0));
    assert_eq!(narrow, expected.collect::<Vec<_>>());
}

#[test]
fn what_is_printed_is_read_again_as_the_same() {
    let names = [
        "attention",
        "convolution",
        "elementwise",
        "gemm_tail",
        "gemm_tt",
        "gemv",
        "histogram",
        "layer_norm",
        "reductions",
        "softmax",
        "specialized",
    ];
    for name in names {
        let text = ir::print::tvmscript(&kernel(name).lowered.body, 0);
        assert!(!text.contains("T.let[") && !text.contains("T.tl."), "{text}");
        let again = functions_of(name, &text).remove(0).lowered;
        assert!(again.diagnostics.is_empty(), "{name}: {:?}\n{text}", again.diagnostics);
        assert_eq!(ir::print::tvmscript(&again.body, 0), text, "{name}");
    }
}
