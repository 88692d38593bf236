//! The families on which the peers are quadratic or worse, and deep and long inputs: work is counted, twice the input
//! is at most a little more than twice the work.

use ir::{effects::EffectTable, plan::Preset};
use transform::ops::{OpOptions, plan_counted};

use super::units;

const PRESETS: [Preset; 3] = [Preset::Mlir19, Preset::Mlir24, Preset::Default];

#[track_caller]
fn check(n: usize, text: impl Fn(usize) -> String, n_actions: impl Fn(usize) -> usize) {
    for preset in PRESETS {
        let work = |n: usize| {
            let options = OpOptions { preset, allow_unsound: true };
            let unit = units(&text(n)).into_iter().next().unwrap();
            let (plan, work) = plan_counted(&unit.lowered.body, EffectTable::builtin(), &options);
            assert_eq!(plan.actions.len(), n_actions(n), "{preset:?}");
            work.visited + work.compared
        };
        let (once, twice) = (work(n), work(2 * n));
        assert!(twice <= once * 21 / 10, "{preset:?}: {once} for {n}, {twice} for twice as much");
    }
}

fn function(body: &str) -> String {
    format!(
        "\"func.func\"() <{{sym_name = \"f\", function_type = () -> ()}}> ({{\n\
         ^bb0(%m: memref<f32>, %c: i1, %a: i32):\n{body}\"func.return\"() : () -> ()\n}}) : () -> ()\n"
    )
}

#[test]
fn equal_loads() {
    let load = |i| format!("%l{i} = \"memref.load\"(%m) : (memref<f32>) -> f32\n");
    let one_use = |i| format!("\"test.use\"(%l{i}) : (f32) -> ()\n");
    let text = |n| {
        let loads: String = (0..n).map(load).collect();
        function(&(loads + &(0..n).map(one_use).collect::<String>()))
    };
    check(7_500, text, |n| n - 1);
}

#[test]
fn operations_with_equal_headers_and_different_regions() {
    let text = |n| {
        let one = |i| {
            format!(
                "%r{i} = \"scf.if\"(%c) ({{\n%k = \"arith.constant\"() <{{value = {i} : i32}}> : () -> i32\n\
                 %s = \"arith.addi\"(%k, %a) : (i32, i32) -> i32\n\"scf.yield\"(%s) : (i32) -> ()\n}}, {{\n\
                 \"scf.yield\"(%a) : (i32) -> ()\n}}) : (i1) -> i32\n\"test.use\"(%r{i}) : (i32) -> ()\n"
            )
        };
        function(&(0..n).map(one).collect::<String>())
    };
    check(2_000, text, |_| 0);
}

#[test]
fn deep_nests() {
    let text = |n: usize| {
        let open = "\"scf.if\"(%c) ({\n%x = \"arith.addi\"(%a, %a) : (i32, i32) -> i32\n\"test.use\"(%x) : (i32) -> ()\n";
        // The name may be used again in a region beside, not in one inside.
        let opens: String = (0..n).map(|i| open.replace("%x", &format!("%x{i}"))).collect();
        let closes = "\"scf.yield\"() : () -> ()\n}, {\n}) : (i1) -> ()\n".repeat(n);
        function(&(opens + &closes))
    };
    check(5_000, text, |n| n - 1);
}

#[test]
fn long_chains_of_blocks() {
    let text = |n| {
        let block = |i| {
            format!(
                "\"cf.br\"()[^b{i}] : () -> ()\n^b{i}:\n%x{i} = \"arith.addi\"(%a, %a) : (i32, i32) -> i32\n\
                 \"test.use\"(%x{i}) : (i32) -> ()\n"
            )
        };
        function(&(0..n).map(block).collect::<String>())
    };
    check(50_000, text, |n| n - 1);
}

#[test]
fn residual_networks() {
    // What Paddle's pass compares again for each of its users.
    let text = |n: usize| {
        let mut body = String::new();
        for half in ["p", "q"] {
            body += &format!("%{half}0 = \"arith.addi\"(%a, %a) : (i32, i32) -> i32\n");
            for i in 0..n {
                body += &format!(
                    "%{half}{} = \"arith.addi\"(%{half}{i}, %{half}{i}) <{{overflowFlags = #arith.overflow<nsw>}}> : (i32, i32) -> i32\n",
                    i + 1
                );
            }
        }
        body += &format!("\"test.use\"(%p{n}, %q{n}) : (i32, i32) -> ()\n");
        function(&body)
    };
    check(1_000, text, |n| n + 1);
}
