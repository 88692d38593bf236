//! Large programs of MLIR, of the shapes that are hard for compilers: the same for the same number, on every machine.

use std::fmt::Write as _;

use crate::rng::Rng;

/// A shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One block of arithmetic; more than half of it is there already.
    Flat,
    /// Functions of a hundred operations.
    Functions,
    /// A chain of blocks, each of which dominates the next.
    Chain,
    /// Branches that come together again.
    Diamonds,
    /// Loops, each in the one before, in nests of two hundred.
    Nest,
    /// Loads with stores between them.
    LoadStore,
    /// Loads of one place, all used.
    Loads,
    /// Structured operations that differ in their regions.
    Regions,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 8] = [
        Shape::Flat,
        Shape::Functions,
        Shape::Chain,
        Shape::Diamonds,
        Shape::Nest,
        Shape::LoadStore,
        Shape::Loads,
        Shape::Regions,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Flat => "flat",
            Shape::Functions => "functions",
            Shape::Chain => "chain",
            Shape::Diamonds => "diamonds",
            Shape::Nest => "nest",
            Shape::LoadStore => "loads and stores",
            Shape::Loads => "equal loads",
            Shape::Regions => "regions with one header",
        }
    }
}

const OPERATORS: [&str; 5] = ["addi", "muli", "subi", "andi", "xori"];

/// A program of about `n` operations.
pub fn mlir(shape: Shape, n: usize) -> String {
    let mut writer = Writer { text: String::new(), rng: Rng::new(7), next: 0 };
    match shape {
        Shape::Flat => writer.function("f", n),
        Shape::Functions => {
            for it in 0..n.div_ceil(100) {
                writer.next = 0;
                writer.function(&format!("f{it}"), 100);
            }
        }
        Shape::Chain => writer.chain(n),
        Shape::Diamonds => writer.diamonds(n),
        Shape::Nest => writer.nest(n),
        Shape::LoadStore => writer.loads_and_stores(n),
        Shape::Loads => writer.loads(n),
        Shape::Regions => writer.regions(n),
    }
    writer.text
}

struct Writer {
    text: String,
    rng: Rng,
    /// The number of the next value.
    next: usize,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    /// A value of one of the last `window`, or an argument.
    fn operand(&mut self, window: usize) -> String {
        let n = self.next.min(window);
        match self.rng.below(n + 2) {
            0 => "%a".to_owned(),
            1 => "%b".to_owned(),
            back => format!("%{}", self.next + 1 - back),
        }
    }

    fn arithmetic(&mut self, indent: &str, lhs: &str, rhs: &str) {
        let (operator, value) = (*self.rng.pick(&OPERATORS), self.next);
        self.line(format_args!("{indent}%{value} = arith.{operator} {lhs}, {rhs} : i64"));
        self.next += 1;
    }

    fn function(&mut self, name: &str, n: usize) {
        self.line(format_args!("func.func @{name}(%a: i64, %b: i64) -> i64 {{"));
        let mut seen: Vec<(&str, String, String)> = Vec::new();
        for _ in 0..n {
            let recent = seen.len().saturating_sub(50);
            let again = self.rng.below(100) < 57 && !seen.is_empty();
            let (operator, lhs, rhs) = if again {
                seen[recent + self.rng.below(seen.len() - recent)].clone()
            } else {
                let new = (*self.rng.pick(&OPERATORS), self.operand(200), self.operand(200));
                seen.push(new.clone());
                new
            };
            let value = self.next;
            self.line(format_args!("  %{value} = arith.{operator} {lhs}, {rhs} : i64"));
            self.next += 1;
        }
        let last = self.next - 1;
        self.line(format_args!("  return %{last} : i64\n}}"));
    }

    fn chain(&mut self, n: usize) {
        self.line(format_args!("func.func @f(%a: i64, %b: i64) -> i64 {{"));
        let n_blocks = n.div_ceil(8);
        for block in 0..n_blocks {
            if block > 0 {
                self.line(format_args!("^bb{block}:"));
            }
            for _ in 0..7 {
                let (lhs, rhs) = (self.operand(6), self.operand(0));
                self.arithmetic("  ", &lhs, &rhs);
            }
            let next = block + 1;
            self.line(format_args!("  cf.br ^bb{next}"));
        }
        let last = self.next - 1;
        self.line(format_args!("^bb{n_blocks}:\n  return %{last} : i64\n}}"));
    }

    fn diamonds(&mut self, n: usize) {
        self.line(format_args!("func.func @f(%a: i64, %b: i64, %c: i1) -> i64 {{"));
        let mut dominating = "%a".to_owned();
        for at in (0..n.div_ceil(11)).map(|it| it * 3) {
            for _ in 0..4 {
                let rhs = self.operand(0);
                let lhs = dominating.clone();
                self.arithmetic("  ", &lhs, &rhs);
            }
            dominating = format!("%{}", self.next - 1);
            let (then, otherwise, after) = (at + 1, at + 2, at + 3);
            self.line(format_args!("  cf.cond_br %c, ^bb{then}, ^bb{otherwise}"));
            for block in [then, otherwise] {
                self.line(format_args!("^bb{block}:"));
                for _ in 0..2 {
                    let (lhs, rhs) = (dominating.clone(), self.operand(0));
                    self.arithmetic("  ", &lhs, &rhs);
                }
                self.line(format_args!("  cf.br ^bb{after}"));
            }
            self.line(format_args!("^bb{after}:"));
        }
        self.line(format_args!("  return {dominating} : i64\n}}"));
    }

    fn nest(&mut self, n: usize) {
        const DEPTH: usize = 200;
        self.line(format_args!(
            "func.func @f(%l: index, %h: index, %s: index, %a: i64, %b: i64) {{"
        ));
        for nest in 0..n.div_ceil(DEPTH * 5) {
            for depth in 0..DEPTH {
                self.line(format_args!("scf.for %i{nest}_{depth} = %l to %h step %s {{"));
                for _ in 0..3 {
                    let (lhs, rhs, value) = (self.operand(0), self.operand(0), self.next);
                    let operator = *self.rng.pick(&OPERATORS);
                    self.line(format_args!("%v{value} = arith.{operator} {lhs}, {rhs} : i64"));
                    self.next += 1;
                }
            }
            self.text.push_str(&"}\n".repeat(DEPTH));
        }
        self.line(format_args!("  return\n}}"));
    }

    fn loads_and_stores(&mut self, n: usize) {
        self.line(format_args!("func.func @f(%m: memref<128xi64>, %i: index, %j: index) {{"));
        while self.next < n {
            let (value, place) = (self.next, *self.rng.pick(&["%i", "%j"]));
            if value > 3 && self.rng.one_in(5) {
                let stored = value - 1;
                self.line(format_args!("  memref.store %{stored}, %m[{place}] : memref<128xi64>"));
            }
            self.line(format_args!("  %{value} = memref.load %m[{place}] : memref<128xi64>"));
            self.next += 1;
            if value > 1 {
                let (lhs, rhs) = (format!("%{value}"), format!("%{}", value - 1));
                self.arithmetic("  ", &lhs, &rhs);
            }
        }
        self.line(format_args!("  return\n}}"));
    }

    fn loads(&mut self, n: usize) {
        self.line(format_args!("func.func @f(%m: memref<8xi64>, %i: index) {{"));
        for value in 0..n {
            self.line(format_args!("  %{value} = memref.load %m[%i] : memref<8xi64>"));
        }
        for value in 0..n {
            self.line(format_args!("  \"test.use\"(%{value}) : (i64) -> ()"));
        }
        self.line(format_args!("  return\n}}"));
    }

    fn regions(&mut self, n: usize) {
        self.line(format_args!(
            "#m = affine_map<(d0) -> (d0)>\nfunc.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) {{"
        ));
        for value in 0..n {
            self.line(format_args!(
                "  %{value} = linalg.generic {{indexing_maps = [#m, #m], iterator_types = [\"parallel\"]}} \
                 ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {{\n  ^bb0(%p: f32, %q: f32):\n    \
                 %c = arith.constant {value}.0 : f32\n    %s = arith.addf %p, %c : f32\n    \
                 linalg.yield %s : f32\n  }} -> tensor<8xf32>\n  \"test.use\"(%{value}) : (tensor<8xf32>) -> ()"
            ));
        }
        self.line(format_args!("  return\n}}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_about_the_size_that_is_asked_for() {
        for shape in Shape::ALL {
            let lines = mlir(shape, 2000).lines().count();
            assert!((1900..=16_000).contains(&lines), "{shape:?}: {lines}");
        }
    }
}
