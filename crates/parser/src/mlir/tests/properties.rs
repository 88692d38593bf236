//! Properties of every text: nothing is lost, nothing panics, both ways to parse agree.

use std::{fs, path::PathBuf};

use super::*;

const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "%",
    "%0",
    "^",
    "^bb:",
    "#",
    "#m",
    "!",
    "@",
    "@f",
    ":",
    "::",
    "=",
    "->",
    "-",
    ",",
    ".",
    "//",
    "// -----\n",
    "\n//--- a.mlir\n",
    "\n//--- a.c\n",
    "\n",
    "\r",
    " ",
    "{-#",
    "#-}",
    "loc(",
    "a.b",
    "return",
    "func.func @f() {",
    "0x",
    "1.",
    "x",
    "4x",
    "tensor<",
    "affine_map<",
    "é",
    "\u{feff}",
    "\0",
    "scf.for ",
    "else",
    "attributes",
    "linalg.generic {",
];

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end.max(1) as u64) as usize
    }
}

/// The samples of MLIR that come with the workspace.
fn samples() -> Vec<String> {
    let mut res = Vec::new();
    let mut folders =
        vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/mlir")];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(folder)
            .expect("the samples are there")
            .map(|it| it.expect("readable").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else {
                res.push(fs::read_to_string(path).expect("readable"));
            }
        }
    }
    assert!(res.len() > 50);
    res
}

#[test]
fn the_samples_are_without_errors() {
    for text in samples() {
        assert_eq!(count(&check_lossless(&text), ERRORS), 0, "{text}");
    }
}

#[test]
fn every_prefix_and_suffix_is_kept() {
    for text in samples().iter().filter(|it| it.len() < 3_000) {
        for at in (0..=text.len()).filter(|it| text.is_char_boundary(*it)) {
            check_lossless(&text[..at]);
            check_lossless(&text[at..]);
        }
    }
}

#[test]
fn random_changes_lose_nothing_and_do_not_panic() {
    let samples: Vec<String> = samples().into_iter().filter(|it| it.len() < 20_000).collect();
    let mut random = Random(7);
    for _ in 0..3_000 {
        let mut text = samples[random.below(samples.len())].clone();
        for _ in 0..1 + random.below(6) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let end = text.ceil_char_boundary((at + random.below(10)).min(text.len()));
            let end = if random.below(2) == 0 { at } else { end };
            text.replace_range(at..end, FRAGMENTS[random.below(FRAGMENTS.len())]);
        }
        check_lossless(&text);
    }
}

#[test]
fn random_fragments_lose_nothing_and_do_not_panic() {
    let mut random = Random(8);
    for _ in 0..5_000 {
        let text: String =
            (0..random.below(40)).map(|_| FRAGMENTS[random.below(FRAGMENTS.len())]).collect();
        check_lossless(&text);
    }
}

/// Collects steps, and the texts of functions by their reported borders.
#[derive(Default)]
struct Collector {
    steps: Vec<Step>,
    largest: usize,
    begun: Vec<(usize, usize)>,
    functions: Vec<(std::ops::Range<usize>, Vec<Step>)>,
}

impl Sink for Collector {
    fn pieces(&mut self, pieces: &[Piece]) {
        self.largest = self.largest.max(pieces.len());
        self.steps.extend(pieces.iter().filter_map(|it| it.step()));
    }

    fn function_begins(&mut self, offset: usize) {
        self.begun.push((offset, self.steps.len()));
    }

    fn function_ends(&mut self, offset: usize) {
        let (start, first) = self.begun.pop().expect("it has begun");
        self.functions.push((start..offset, self.steps[first..].to_vec()));
    }
}

fn collect(text: &str) -> Collector {
    let mut sink = Collector::default();
    parse_into(text, Shapes::builtin(), &mut sink);
    assert!(sink.begun.is_empty());
    sink
}

#[test]
fn a_sink_gets_the_same_steps() {
    for text in samples() {
        assert_eq!(collect(&text).steps, parse(&text));
    }
}

/// Takes lines that repeat, and reads each.
struct LineReader<'t> {
    text: &'t str,
    at: usize,
    steps: Vec<Step>,
    n_lines: usize,
}

impl Sink for LineReader<'_> {
    fn takes_lines(&self) -> bool {
        true
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        for &piece in pieces {
            let end = self.at + piece.n_bytes() as usize;
            match piece {
                Piece::Step(step) => self.steps.push(step),
                Piece::Line { .. } => {
                    let mut steps = Vec::new();
                    let shapes = Shapes::builtin();
                    assert!(read_line(self.text, self.at, end, shapes, &mut steps));
                    self.steps.extend(steps.into_iter().filter_map(Piece::step));
                    self.n_lines += 1;
                }
            }
            self.at = end;
        }
    }
}

#[test]
fn lines_that_repeat_have_the_same_steps() {
    let mut random = Random(9);
    let mut n_lines = 0;
    for text in samples() {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..lines.len().min(100) {
            let mut line = lines[random.below(lines.len())].clone();
            if random.below(4) == 0 {
                let at = line.floor_char_boundary(random.below(line.len()));
                line.insert_str(at, FRAGMENTS[random.below(FRAGMENTS.len())]);
            }
            for _ in 0..1 + random.below(3) {
                lines.insert(random.below(lines.len()), line.clone());
            }
        }
        let text = lines.concat();
        let mut sink = LineReader { text: &text, at: 0, steps: Vec::new(), n_lines: 0 };
        parse_into(&text, Shapes::builtin(), &mut sink);
        assert!(sink.steps == parse(&text), "{text}");
        n_lines += sink.n_lines;
    }
    assert!(n_lines > 1000, "{n_lines}");
}

#[test]
fn the_steps_of_a_function_stand_alone() {
    let text = "#m = affine_map<() -> ()>\nmodule {\n  func.func @f() {\n    return\n  }\n  // c\n  \"func.func\"() ({\n  }) : () -> ()\n}\nllvm.func @g()\n";
    let functions = collect(text).functions;
    let texts: Vec<&str> = functions.iter().map(|(range, _)| &text[range.clone()]).collect();
    assert_eq!(
        texts,
        [
            "func.func @f() {\n    return\n  }",
            "\"func.func\"() ({\n  }) : () -> ()",
            "llvm.func @g()"
        ]
    );
    for (range, steps) in functions {
        let alone = parse(&text[range]);
        // Without the file and the chunk around.
        assert_eq!(steps, alone[2..alone.len() - 2]);
    }
}

#[test]
fn a_large_function_is_given_away_in_small_pieces() {
    let text =
        format!("func.func @f() {{\n{}}}\n", "  %0 = arith.addi %a, %b : i32\n".repeat(50_000));
    assert!(collect(&text).largest < 17_000);
}
