//! Properties of every text: nothing is lost, nothing panics.

use std::{fs, path::PathBuf};

use super::*;
use crate::tvmscript::lex;

pub(super) const SAMPLES: &[&str] = &[
    "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16, 16), \"float32\")):\n        T.func_attr({\"tir.noalias\": True})\n        # with T.block(\"root\"):\n        for i, j in T.grid(16, 16):\n            with T.sblock(\"B\"):\n                v_i, v_j = T.axis.remap(\"SS\", [i, j])\n                T.reads(A[v_i, v_j])\n                T.writes(B[v_i, v_j])\n                B[v_i, v_j] = A[v_i, v_j] * T.float32(2.0) + T.if_then_else(\n                    0 <= v_i and v_i < 8, A[v_i, v_j], T.float32(0.0)\n                )\n",
    "import a\n\nx: int = [i for i in range(3) if i]\n\n\ndef f(a, *b, c=1, **d) -> int:\n\tif a and not b:\n\t\treturn f'{a!r:>{c}}' # r\n\telif c: pass\n\telse:\n\t\ttry:\n\t\t\traise E from e\n\t\texcept (A, B) as e:\n\t\t\tpass\n\t\tfinally: x = lambda y: y ** -1\n\n\t# end of f\n# end\nmatch x:\n  case [1, *r] if r: y = {1: 2, **z}\n",
    "\u{feff}größe = '''a\r\nb''' \\\r\n  + r\"\\\" \r\nwhile (x := g(\r\n  1,\r\n)): a; b;\r\n\x0cdel a[1:2, ...]\r\n",
];

const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ";",
    "=",
    ".",
    "\n",
    "\n    ",
    "\n  ",
    "\t",
    "'",
    "\"",
    "'''",
    "f\"{",
    "\\",
    "#",
    " ",
    "if ",
    "else:",
    "for i in x:\n",
    "def f(",
    "class ",
    "@",
    "async ",
    "match x:\n",
    "case ",
    "lambda ",
    "not ",
    "in ",
    "yield ",
    "*",
    "**",
    "->",
    ":=",
    "\r",
    "\0",
    "é",
    "€",
    "\u{feff}",
    "\x0c",
    "1",
    "x",
    "with (",
    "import ",
    "try:\n",
    "return",
];

/// `text` with one random place replaced.
pub(super) fn mutated(text: &str, random: &mut Random) -> (String, std::ops::Range<usize>, usize) {
    let at = text.floor_char_boundary(random.below(text.len() + 1));
    let removed = if random.below(2) == 0 { 0 } else { random.below(12) };
    let end = text.ceil_char_boundary((at + removed).min(text.len()));
    let inserted = FRAGMENTS[random.below(FRAGMENTS.len() + 1).min(FRAGMENTS.len() - 1)];
    let inserted = if removed > 0 && random.below(2) == 0 { "" } else { inserted };
    (format!("{}{inserted}{}", &text[..at], &text[end..]), at..end, inserted.len())
}

#[test]
fn the_samples_are_without_errors() {
    for text in SAMPLES {
        let parse = check_lossless(text);
        assert_eq!(count(&parse, is_error), 0, "{}", dump(text, &parse, true));
    }
}

#[test]
fn every_prefix_and_suffix_is_kept() {
    for text in SAMPLES {
        for (at, _) in text.char_indices() {
            check_lossless(&text[..at]);
            check_lossless(&text[at..]);
        }
    }
}

#[test]
fn every_mutation_is_kept() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for text in SAMPLES {
        for _ in 0..400 {
            let mut text = String::from(*text);
            for _ in 0..8 {
                text = mutated(&text, &mut random).0;
                check_lossless(&text);
            }
        }
    }
}

#[test]
fn random_fragments_are_kept() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..3_000 {
        let text: String =
            (0..random.below(60)).map(|_| FRAGMENTS[random.below(FRAGMENTS.len())]).collect();
        check_lossless(&text);
        let lexed = lex(&text);
        assert_eq!(lexed.len(), lexed.kinds().len());
    }
}

#[test]
fn committed_corpus_files_are_without_errors() {
    let mut folders =
        vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus"))];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|it| it.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "py")
                && let Ok(text) = fs::read_to_string(&path)
            {
                let parse = check_lossless(&text);
                assert_eq!(count(&parse, is_error), 0, "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 0, "no corpus file was found");
}
