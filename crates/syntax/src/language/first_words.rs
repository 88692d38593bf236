//! Detection of the language of a text by its first words, where no file name tells it.
//!
//! In: a text. Out: whether it is MLIR, whether it is PIR: where it begins as no Python does. Comments, split markers
//! and blank lines tell nothing; `#a = …` may be an alias of MLIR or a comment of Python, so what follows it decides.
//! Reads no further than the first line that decides.

/// Words of Python that may stand between two names.
const OPERATORS: [&str; 8] = ["and", "as", "if", "in", "is", "not", "or", "for"];

/// The first words of a text that tell its language.
enum FirstWords<'a> {
    /// The definition of an alias of MLIR.
    Alias,
    /// A text that begins with a brace.
    Braces(&'a str),
    /// A line of something else.
    Line(&'a str),
    /// None.
    Nothing,
}

/// Returns true if a text looks like MLIR, and like no other language.
pub(super) fn is_mlir(text: &str) -> bool {
    match first_words(text) {
        FirstWords::Alias => true,
        // The metadata of a file.
        FirstWords::Braces(text) => in_braces(text).is_some_and(|it| it.starts_with("-#")),
        FirstWords::Line(line) => is_operation(line),
        FirstWords::Nothing => false,
    }
}

/// Returns true if a text looks like a program of PIR, and like no other language.
pub(super) fn is_pir(text: &str) -> bool {
    match first_words(text) {
        FirstWords::Braces(text) => in_braces(text).is_some_and(is_program),
        _ => false,
    }
}

fn first_words(text: &str) -> FirstWords<'_> {
    let text = text.trim_start_matches('\u{feff}');
    let mut has_alias = false;
    let mut offset = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let rest = &text[offset..];
        offset += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if is_alias(line, '!') {
            return FirstWords::Alias;
        }
        if is_alias(line, '#') {
            has_alias = true;
            continue;
        }
        if line.starts_with('{') {
            return FirstWords::Braces(rest);
        }
        return FirstWords::Line(line);
    }
    if has_alias { FirstWords::Alias } else { FirstWords::Nothing }
}

/// Returns the text after the brace that a text begins with.
fn in_braces(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('{')
}

/// Returns true if the text in braces is a program of PIR, rather than a dictionary of Python.
fn is_program(body: &str) -> bool {
    let body = body.trim_start();
    let has_no_results = || {
        let rest = body.strip_prefix('(')?.trim_start().strip_prefix(')')?.trim_start();
        rest.strip_prefix('=')?.trim_start().strip_prefix('"')
    };
    let has_results = || body.strip_prefix('(')?.trim_start().strip_prefix('%');
    body.starts_with('}') || has_results().is_some() || has_no_results().is_some()
}

/// `#name = …`, `!name = …`
fn is_alias(line: &str, sigil: char) -> bool {
    let Some(rest) = line.strip_prefix(sigil) else { return false };
    let name = name_of(rest);
    let behind = rest[name.len()..].trim_start();
    !name.is_empty() && behind.starts_with('=') && !behind.starts_with("==")
}

/// Returns true if a line begins an operation of MLIR.
fn is_operation(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix('"') {
        // A text that is called.
        return rest
            .split_once('"')
            .is_some_and(|(name, rest)| !name.is_empty() && rest.trim_start().starts_with('('));
    }
    // `%0 = …`, `^bb0:`: no line of Python begins so.
    if line.starts_with(['%', '^']) {
        return true;
    }
    let name = name_of(line);
    let behind = &line[name.len()..];
    let next = behind.trim_start();
    match name {
        "" => false,
        "module" | "builtin.module" => {
            next.is_empty() || next.starts_with('{') || begins_operand(next)
        }
        "func" => next.starts_with('@'),
        _ => name.contains('.') && behind.len() > next.len() && begins_operand(next),
    }
}

/// Returns true if the text after a name and a blank begins an operand or a word, which is impossible after a Python
/// name.
fn begins_operand(next: &str) -> bool {
    let mut chars = next.chars();
    let (first, second) = (chars.next(), chars.next());
    match first {
        Some('@') => second.is_some_and(|it| it == '"' || is_letter(it)),
        Some('%' | '#' | '!' | '^') => second.is_some_and(|it| is_letter(it) || it.is_numeric()),
        Some('{' | '"') => true,
        Some(it) if is_letter(it) => !OPERATORS.contains(&name_of(next)),
        _ => false,
    }
}

fn is_letter(it: char) -> bool {
    it.is_alphabetic() || it == '_'
}

/// The name, with dots, that a text begins with.
fn name_of(text: &str) -> &str {
    let end = text.find(|it: char| !(it.is_alphanumeric() || "_$.-".contains(it)));
    let name = &text[..end.unwrap_or(text.len())];
    if name.starts_with(is_letter) { name } else { "" }
}

#[cfg(test)]
mod tests {
    use crate::Language::{self, Mlir, Pir};

    #[track_caller]
    fn check(expected: Option<Language>, texts: &[&str]) {
        for text in texts {
            for head in ["", "\u{feff}", "\n\r\n  ", "// RUN: x\n", "// -----\r\n\n"] {
                let text = format!("{head}{text}");
                assert_eq!(Language::of_text(&text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn mlir_is_known_by_its_operations_in_both_forms() {
        check(
            Some(Mlir),
            &[
                "\"test.op\"() : () -> ()",
                "\"test.op\" () : () -> ()",
                "\"unregistered\"(%0) : (i32) -> ()",
                "\"func.func\"() <{sym_name = \"f\"}> ({\n}) : () -> ()",
                "%0 = arith.constant 1 : i32",
                "%0:2 = \"test.op\"() : () -> (i32, i32)",
                "^bb0:\n  return",
                "module {\n}",
                "module\n{\n}",
                "module @m attributes {a} {}",
                "module attributes {a} {}",
                "builtin.module {}",
                "func.func @f() { return }",
                "func.func private @f()",
                "func @f() { return }",
                "tt.func public @f() {}",
                "llvm.mlir.global internal constant @s(\"a\")",
                "gpu.module @k {}",
                "spirv.module Logical GLSL450 {}",
                "memref.global \"private\" @m : memref<2xi32>",
                "hw.module @\"a b\"() {}",
                "test.op %0 : i32",
                "#map = affine_map<() -> ()>\nmodule {}",
                "#map = affine_map<() -> ()>\n#a.b = 1\n",
                "!t = tuple<i32>\n",
                "{-#\n  dialect_resources: {}\n#-}",
            ],
        );
    }

    #[test]
    fn programs_of_pir_are_known_by_their_braces() {
        check(
            Some(Pir),
            &[
                "{\n    (%0) = \"pd_op.data\" () {} : () -> tensor<f32>\n}",
                "{ ( %0, %1 ) = \"a.b\" () {} : () -> tensor<f32>, tensor<f32> }",
                "{\n  () = \"builtin.shadow_output\" (%0) {} : (f32) ->\n}",
                "{\n  ()=\"cf.yield\" () {} : () ->\n}",
                "{}",
                "{\n}\n",
            ],
        );
    }

    #[test]
    fn python_is_neither() {
        check(
            None,
            &[
                "",
                "x = 1",
                "from tvm.script import tirx as T\n",
                "import tvm",
                "\"docs\"\nx = 1",
                "\"\"\"docs (all)\"\"\"",
                "@T.prim_func\ndef f(): pass",
                "# a = b\nmodule = 1",
                "#x = 1\nfrom tvm.script import tirx as T\n",
                "module = 1",
                "module.run(1)",
                "modules {",
                "a.b @ c",
                "a.b in c",
                "a.b if c else d",
                "T.evaluate(0)",
                "a.b = 1",
                "a.b: int = 1",
                "a.b % c",
                "{\"a\": 1}",
                "{1, 2}",
                "func(1)",
                "class A:\n    pass",
            ],
        );
    }
}
