//! Generated functions: index expressions and conditions under loops and guards, as text that both sides read.
//!
//! Input: how many files. Output: the same files each time. O(text).

use std::fmt::Write as _;

use crate::conformance::corpus::File;
use crate::conformance::inputs::Random;

/// The group of generated files.
pub(super) const GROUP: &str = "generated";

/// Expressions of a function.
const EXPRESSIONS: usize = 24;

/// Files with one function each.
pub(super) fn files(count: u64) -> Vec<File> {
    (0..count)
        .map(|seed| File {
            group: GROUP.to_owned(),
            name: format!("g{seed}"),
            path: format!("g{seed}.py").into(),
            text: function(&mut Random::new("generated", seed as usize)),
        })
        .collect()
}

fn pick<'a>(random: &mut Random, items: &[&'a str]) -> &'a str {
    items[random.below(items.len() as u64) as usize]
}

fn function(random: &mut Random) -> String {
    let mut text = String::from(
        "# from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef main(n: T.int32, m: T.int32, p: T.int32, A: T.Buffer((1,), \"int32\"), B: T.Buffer((1,), \"bool\")):\n",
    );
    let extents = ["4", "8", "16", "32", "7", "n", "m", "n * 4"];
    let (a, b, c) = (pick(random, &extents), pick(random, &extents), pick(random, &extents));
    let _ = writeln!(text, "    for i, j, k in T.grid({a}, {b}, {c}):");
    let mut indent = 8;
    for _ in 0..random.below(3) {
        let condition = match random.below(4) {
            0 => format!(
                "{} < {}",
                pick(random, &["i", "j", "k"]),
                pick(random, &["n", "m", "p", "5"])
            ),
            1 => format!("{} > 0", pick(random, &["n", "m", "p"])),
            2 => format!("i * {} + j < {}", 1 + random.below(9), 1 + random.below(64)),
            _ => condition(random, 1),
        };
        let _ = writeln!(text, "{:indent$}if {condition}:", "");
        indent += 4;
    }
    for _ in 0..EXPRESSIONS {
        let depth = 1 + random.below(4) as u32;
        let _ = if random.below(2) == 0 {
            writeln!(text, "{:indent$}A[0] = {}", "", index(random, depth))
        } else {
            writeln!(text, "{:indent$}B[0] = {}", "", condition(random, depth))
        };
    }
    text
}

fn index(random: &mut Random, depth: u32) -> String {
    let leaf = |random: &mut Random| match random.below(6) {
        0 => random.below(20).to_string(),
        1 => pick(random, &["n", "m", "p"]).to_owned(),
        _ => pick(random, &["i", "j", "k"]).to_owned(),
    };
    if depth == 0 || random.below(7) == 0 {
        return leaf(random);
    }
    let a = index(random, depth - 1);
    let constant = pick(random, &["2", "3", "4", "5", "8", "16", "32", "64"]);
    match random.below(12) {
        0..=2 => format!("({a} * {constant})"),
        3 | 4 => format!("({a} // {constant})"),
        5 | 6 => format!("({a} % {constant})"),
        7 => format!("T.{}({a}, {})", pick(random, &["min", "max"]), index(random, depth - 1)),
        8 => format!("({a} - {})", index(random, depth - 1)),
        9 => format!("({a} + {constant})"),
        _ => format!("({a} + {})", index(random, depth - 1)),
    }
}

fn condition(random: &mut Random, depth: u32) -> String {
    if depth > 1 && random.below(3) == 0 {
        let (a, b) = (condition(random, depth - 1), condition(random, depth - 1));
        return format!("({a} {} {b})", pick(random, &["and", "or"]));
    }
    let (a, b) = (index(random, depth), index(random, depth.min(1)));
    format!("({a} {} {b})", pick(random, &["<", "<", "<=", ">", ">=", "==", "!="]))
}
