//! Python itself as the oracle: generated texts without effects, their values by both.

use std::{io::Write as _, process::Command};

use crate::tvmscript::{Capture, Context, discover::MODULE, functions, staging::format};

/// A small deterministic source of choices.
struct Choices(u64);

impl Choices {
    fn next(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).unwrap_or(0)
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.next(all.len())]
    }

    /// An expression: a number, mostly.
    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .of(&[
                    "0", "1", "2", "3", "7", "-1", "-5", "16", "100", "True", "1.5", "0.1",
                    "-2.25", "x", "y",
                ])
                .to_owned();
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.next(16) {
            0..=5 => {
                let op = self.of(&["+", "-", "*", "//", "%", "/", "&", "|", "^", "<<", ">>", "**"]);
                format!("({a} {op} {b})")
            }
            6 => format!("max({a}, {b}, key=lambda v: v % 3)"),
            7 => format!("min({a}, {b})"),
            8 => format!("(abs({a}) if {b} else {a})"),
            9 => format!("int({a})"),
            10 => format!("len({})", self.sequence(depth - 1)),
            11 => format!("sum(v for v in {} if isinstance(v, int))", self.sequence(depth - 1)),
            12 => format!("({a} < {b} <= {a})"),
            13 => format!("({a} and {b} or not {a})"),
            14 => format!("divmod({a}, {b})[0]"),
            _ => format!("round({a})"),
        }
    }

    fn sequence(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .of(&["(1, 2, 3)", "[3, 1, 2]", "'abc'", "range(4)", "()", "[0.5]", "z"])
                .to_owned();
        }
        let a = self.sequence(depth - 1);
        match self.next(12) {
            0 => format!("list({a})"),
            1 => format!("tuple({a})[::-1]"),
            2 => format!("[v for v in {a}]"),
            3 => format!("list(zip({a}, {}))", self.sequence(depth - 1)),
            4 => format!("list(enumerate({a}, {}))", self.of(&["0", "5"])),
            5 => format!("({}, *{a})", self.number(depth - 1)),
            6 => format!(
                "list({a})[{}:{}]",
                self.of(&["0", "1", "-2", ""]),
                self.of(&["2", "-1", ""])
            ),
            7 => format!("sorted(map(str, {a}))"),
            8 => format!("list(reversed(list({a})))"),
            9 => format!("[f'{{v}}' for v in {a} if v]"),
            10 => format!("list({{v: 1 for v in map(str, {a})}}.items())"),
            _ => format!("'-'.join(map(str, {a})).split('-')"),
        }
    }

    fn text(&mut self) -> String {
        let (x, y) = (self.next(9), self.of(&["2.5", "-3", "0", "1 << 40"]));
        let z = self.of(&[
            "'hello'",
            "(1, (2, 'x'))",
            "{'k': 1}",
            "[None, True, 2.0]",
            "range(9, 0, -2)",
        ]);
        let value = match self.next(3) {
            0 => self.number(3),
            1 => self.sequence(3),
            _ => {
                let (a, b) = (self.number(2), self.sequence(2));
                format!("f(lambda v: {}, {b}, {a})", self.number(1))
            }
        };
        format!(
            "x = {x}\ny = {y}\nz = {z}\ndef f(g, items, start):\n    out = [start]\n    for i, it in \
             enumerate(items):\n        if i > 3:\n            break\n        out.append((g(i), it))\n    \
             return out\nN = {value}\n"
        )
    }
}

/// The answers of Python for each text: the `repr` of `N`, or nothing where it raises an error.
fn by_python(texts: &[String]) -> Option<Vec<String>> {
    let program = "import sys, warnings\nwarnings.simplefilter('ignore')\nsys.set_int_max_str_digits(0)\n\
        for text in sys.stdin.read().split('\\0'):\n    space = {}\n    try:\n        exec(text, space)\n        \
        print(repr(space['N'])[:2000].replace('\\n', ' '))\n    except BaseException:\n        print('!')\n";
    let mut child = Command::new("python3")
        .args(["-I", "-c", program])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let joined = texts.join("\0");
    std::thread::spawn(move || stdin.write_all(joined.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let lines = String::from_utf8(output.stdout).ok()?;
    Some(lines.lines().map(str::to_owned).collect())
}

#[test]
fn values_are_those_of_python() {
    let mut choices = Choices(7);
    let texts: Vec<String> = (0..600).map(|_| choices.text()).collect();
    let Some(expected) = by_python(&texts) else {
        let said = "skipped: values_are_those_of_python (there is no python3)";
        writeln!(std::io::stderr(), "{said}").expect("standard error is open");
        return;
    };
    assert_eq!(expected.len(), texts.len());
    let mut n_known = 0;
    for (text, expected) in texts.iter().zip(&expected) {
        // Where Python raises an error there is no kernel, and nothing to be right about.
        if expected == "!" {
            continue;
        }
        let file = functions(&syntax::parse(text));
        let found = file.scopes().capture(MODULE, None, "N", Context::default()).capture;
        // What is not known claims nothing.
        let Capture::Constant(value) = found else { continue };
        let Some(found) = format::repr(&value).filter(|_| value.is_known()) else { continue };
        n_known += 1;
        assert_eq!(&found.chars().take(2000).collect::<String>(), expected, "{text}");
    }
    assert!(n_known > 200, "only {n_known} of the values are known");
}
