//! The tree after an edit is that of a fresh parse, and shares the untouched parts.

use rowan::{TextRange, TextSize};
use test_utils::{Rng, Sample, sample_files};

use crate::{Edit, Parse, dump, green::same_tree, parse};

/// Applies an edit to a parse and its text; fails if the result is not the fresh parse.
fn check_edit(old: &Parse, text: &mut String, edit: &Edit) -> Parse {
    let before = text.clone();
    edit.apply(text);
    let new = old.reparse(edit);
    let fresh = parse(text);
    if !same_tree(new.parse.green().node(), fresh.green().node()) {
        let (new, fresh) = (dump(&new.parse.syntax()), dump(&fresh.syntax()));
        let line = new.lines().zip(fresh.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let show = |dump: &str| {
            dump.lines().skip(line.saturating_sub(5)).take(12).collect::<Vec<_>>().join("\n")
        };
        panic!(
            "{edit:?} in\n{before}\ngives from line {line}\n{}\ninstead of\n{}",
            show(&new),
            show(&fresh)
        );
    }
    assert!(new.range.end() <= new.parse.text_len());
    new.parse
}

const SNIPPETS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "#",
    "# c\n",
    "\\",
    "\\\n",
    ":",
    ":\n",
    ",",
    "=",
    " = ",
    "==",
    ".",
    ";",
    "; ",
    "@",
    "@a\n",
    "+",
    " + ",
    "x",
    "1",
    "0x",
    "if ",
    "if a:\n",
    "else:\n",
    "elif b:\n",
    "    else:\n",
    "for i in n:\n",
    "def f():\n",
    "    pass\n",
    "        y = 1\n",
    "try:\n",
    "except:\n",
    "finally:\n",
    "with a as b:\n",
    "while x:\n    break\n",
    "match x:\n",
    "case y:\n",
    "class C:\n",
    "lambda x: ",
    "not ",
    " in ",
    " is ",
    "f\"{",
    "f'{a}'",
    "r'",
    "b\"",
    "é",
    "\u{feff}",
    "\0",
    "$",
    "\x0c",
    "async ",
    "await ",
    "return",
    "import a\n",
    "x = (\n",
    "\n\n",
    "    # c\n",
    "x[i]\n",
    "type X = 1\n",
    "\u{2028}",
    "...",
    "->",
    "**",
    "1_000",
    "1e5",
    "lambda",
    "\n    ",
    "\n        ",
    "pass",
    "_ = (yield)\n",
];

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// An edit of some kind that people and tools make.
fn random_edit(rng: &mut Rng, text: &str) -> Edit {
    let at = boundary(text, rng.below(text.len() + 1));
    let range = |a: usize, b: usize| TextRange::new((a as u32).into(), (b as u32).into());
    let line_start = text[..at].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |it| at + it + 1);
    match rng.below(12) {
        0..=3 => Edit::insert((at as u32).into(), *rng.pick(SNIPPETS)),
        4 => Edit::insert((line_start as u32).into(), *rng.pick(SNIPPETS)),
        5 => Edit::insert((boundary(text, line_end) as u32).into(), *rng.pick(SNIPPETS)),
        6 => {
            let start = boundary(text, at.saturating_sub(1));
            Edit::delete(range(start.min(at), at))
        }
        7 => Edit::delete(range(at, boundary(text, at + rng.below(20)).max(at))),
        8 => Edit::delete(range(line_start, line_end)),
        9 => {
            Edit::replace(range(at, boundary(text, at + rng.below(8)).max(at)), *rng.pick(SNIPPETS))
        }
        10 => {
            // A piece is moved: pasted from elsewhere.
            let from = boundary(text, rng.below(text.len() + 1));
            let to = boundary(text, from + rng.below(120)).max(from);
            Edit::insert((at as u32).into(), &text[from..to])
        }
        _ => {
            // A line is indented or dedented.
            let white =
                text[line_start..].len() - text[line_start..].trim_start_matches([' ', '\t']).len();
            let new = [0, 2, 4, 8, white.saturating_sub(4), white + 4];
            Edit::replace(range(line_start, line_start + white), " ".repeat(*rng.pick(&new)))
        }
    }
}

/// Small programs with everything that edits can break.
const PROGRAMS: &[&str] = &[
    "",
    "x = 1\ny = 2\nz = 3\n",
    "if a:\n    b\n    c\nelif d:\n    e\nelse:\n    f\ng\n",
    "def f(x, y):\n    '''doc\n    more'''\n    for i in range(10):\n        A[i] = (x +\n            y)\n        # c\n    # d\n# e\n    return x\n\n\ndef g():\n    pass\n",
    "@a\n@b(c)\nclass C:\n    @d\n    def e(self): return 1; pass\n\n    x: int = 1\n    # end\n\ny = C()",
    "try:\r\n    a\r\nexcept E as e:\r\n    b; c\r\nfinally:\r\n    d\r\n",
    "with a as b, (c):\n\tif d:\n\t\te\n\telse: f\n\tg\nh",
    "match x:\n    case 1:\n        a\n    case [b, *c] if d:\n        e\n    # f\ny\n",
    "x = [\n    1,\n    2,\n]\ny = f(a,\n      b=(1,\n         2))\n\n# c\n\nz = {'a': 1,\n     'b': 2}\n",
    "  a\n    b\n  c\nd\n      e\n   f\n",
    "if a:\n    if b:\n        if c:\n            d\n        # 8\n      # 6\n    # 4\n  # 2\n# 0\n        # 8\ne\n",
    "x = f'{a}' \"b\" r'\\'\ny = \"\"\"a\n  b\n\"\"\"\nz = 'open\nw = 1 \\\n  + 2\n",
];

/// With `RUN_SLOW_TESTS` set, tests go through many more cases, from other seeds.
fn slow_factor() -> usize {
    if std::env::var("RUN_SLOW_TESTS").is_ok_and(|it| !it.is_empty()) { 50 } else { 1 }
}

fn run_sequences(seed: u64, texts: &[&str], sequences: usize, edits: usize) {
    let mut rng = Rng::new(seed + slow_factor() as u64);
    let sequences = sequences * slow_factor();
    for _ in 0..sequences {
        let mut text = (*rng.pick(texts)).to_owned();
        let mut tree = parse(&text);
        for _ in 0..edits {
            let edit = random_edit(&mut rng, &text);
            tree = check_edit(&tree, &mut text, &edit);
        }
        assert_eq!(tree.text(), text);
    }
}

#[test]
fn random_edits_of_small_programs_give_the_fresh_tree() {
    run_sequences(1, PROGRAMS, 3_000, 12);
}

#[test]
fn random_edits_of_samples_give_the_fresh_tree() {
    let samples = sample_files();
    let short: Vec<&str> = samples
        .iter()
        .filter(|it| it.text.len() < 8_000)
        .map(|it: &Sample| it.text.as_str())
        .collect();
    run_sequences(2, &short, 120, 12);
}

#[test]
fn typing_and_deleting_key_by_key_gives_the_fresh_tree() {
    for program in PROGRAMS {
        let mut text = String::new();
        let mut tree = parse("");
        for c in program.chars() {
            let edit = Edit::insert(TextSize::of(text.as_str()), c);
            tree = check_edit(&tree, &mut text, &edit);
        }
        // Backwards from the middle.
        while let Some(at) =
            text[..boundary(&text, text.len() / 2)].char_indices().last().map(|(at, _)| at)
        {
            let end = boundary(&text, text.len() / 2) as u32;
            tree = check_edit(
                &tree,
                &mut text,
                &Edit::delete(TextRange::new((at as u32).into(), end.into())),
            );
        }
    }
}

/// A file of many functions, one of which has many statements.
fn big_file() -> String {
    let mut text = String::new();
    for i in 0..300 {
        text += &format!("@T.prim_func\ndef f{i}(A: T.Buffer((16,), \"float32\")):\n");
        text += "    for i in range(16):\n        A[i] = A[i] + 1.0\n\n";
    }
    text += "def big(A: T.Buffer((16,), \"float32\")):\n    with T.sblock(\"root\"):\n";
    for i in 0..4000 {
        text += &format!("        A[{i}] = A[{i}] * 2.0 + T.float32({i})\n");
    }
    text + "def last():\n    pass\n"
}

fn at(text: &str, needle: &str) -> u32 {
    text.find(needle).expect("it is in the text") as u32
}

#[test]
fn an_edit_costs_its_statement_not_its_file() {
    let text = big_file();
    let old = parse(&text);
    let cost = |at: u32, len: u32, with: &str| {
        let edit = Edit::replace(TextRange::at(at.into(), len.into()), with);
        check_edit(&old, &mut text.clone(), &edit);
        old.reparse(&edit).lexed
    };
    let in_big = at(&text, "A[2000] = A[2000]") + 4;
    // A key inside a statement, a new statement, a removed one, a comment.
    assert!(cost(in_big, 1, "7") < 1_000);
    assert!(cost(in_big, 0, "+ x") < 1_000);
    assert!(cost(in_big - 4, 0, "y = 1\n        ") < 1_000);
    assert!(cost(in_big - 4, 50, "") < 1_000);
    assert!(cost(in_big - 12, 0, "        # why\n") < 1_000);
    // A bracket that stays open while the next key is awaited takes a few statements.
    assert!(cost(in_big, 0, "(") < 10_000);
    // The last statement of the list, and the end of the file.
    assert!(cost(at(&text, "A[3999] = "), 1, "B") < 1_000);
    assert!(cost(text.len() as u32, 0, "def new():\n    pass\n\n") < 1_000);
    // The header of a small function reads that function and the one before.
    assert!(cost(at(&text, "f150(") + 1, 3, "abc") < 2_000);
    // An open triple quote takes the rest of the file, once.
    assert!(cost(in_big, 0, "'''") < 3 * text.len() as u64);
}

#[test]
fn an_edit_inside_a_token_costs_the_token() {
    let terms: Vec<String> = (0..2000).map(|i| format!("A[x{i}, {i}]")).collect();
    let text = format!("def f():\n    y = {}  # sum\n", terms.join(" + "));
    let old = parse(&text);
    let cost = |needle: &str, len: u32, with: &str| {
        let start = at(&text, needle) + 1;
        let edit = Edit::replace(TextRange::at(start.into(), len.into()), with);
        check_edit(&old, &mut text.clone(), &edit);
        old.reparse(&edit).lexed
    };
    // A digit, a longer number, a name, a comment.
    for (needle, len, with) in
        [("1500]", 1, "7"), ("1500]", 0, "22"), ("x1500", 2, "_b"), ("# sum", 4, "any text: (")]
    {
        assert!(cost(needle, len, with) < 20, "{needle}");
    }
    // Other tokens than before: the statement is read.
    for (needle, len, with) in
        [("1500]", 1, " "), ("1500]", 0, ".5"), ("x1500", 0, "("), ("# sum", 0, "\n")]
    {
        assert!(cost(needle, len, with) > 10_000, "{needle}");
    }
}

#[test]
fn names_that_become_keywords_are_read_with_their_statement() {
    for (text, at, with) in [
        ("matc x:\n    case 1:\n        a\n", 4, "h"),
        ("match x:\n    cas 1:\n        a\n", 16, "e"),
        ("typ X = 1\n", 3, "e"),
        ("f\"{x}\" + fo\n", 11, "r"),
        ("x = y in f\"a\"\n", 5, "i"),
        ("a = f (b) \"c\"\n", 10, "f"),
    ] {
        check_edit(&parse(text), &mut text.to_owned(), &Edit::insert(at.into(), with));
    }
}

#[test]
fn untouched_nodes_keep_their_address() {
    let text = big_file();
    let old = parse(&text);
    let functions = |parse: &Parse| {
        let root = parse.syntax();
        let functions = root.children().filter(|it| it.kind() == crate::SyntaxKind::FUNCTION_DEF);
        functions.map(|it| crate::Green::of(&it)).collect::<Vec<_>>()
    };
    let before = functions(&old);
    for (needle, changed) in [("A[2000] = A[2000]", 300), ("f150(", 150), ("f0(", 0)] {
        let edit = Edit::insert((at(&text, needle) + 1).into(), "z");
        let after = functions(&old.reparse(&edit).parse);
        assert_eq!(before.len(), after.len());
        for (i, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(
                before.ptr_eq(after),
                i != changed,
                "function {i} after an edit at {needle}"
            );
        }
    }
    // A line above all of them changes none.
    let after = functions(&old.reparse(&Edit::insert(0.into(), "# c\n\n")).parse);
    assert!(before.iter().zip(&after).all(|(before, after)| before.ptr_eq(after)));
}

#[test]
fn edits_of_deeply_nested_blocks_stay_linear() {
    let mut text = String::new();
    for level in 0..600 {
        text += &format!("{}if a:\n", " ".repeat(level));
    }
    text += &format!("{}pass\n", " ".repeat(600));
    let old = parse(&text);
    let middle = text.len() as u32 / 2;
    for with in ["'''", "(", "\n", "x", " "] {
        let edit = Edit::insert(middle.into(), with);
        assert!(old.reparse(&edit).lexed < 12 * text.len() as u64, "{with:?}");
        check_edit(&old, &mut text.clone(), &edit);
    }
}
