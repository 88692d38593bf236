//! Generated functions with loops and choices whose values go round together, some of them alike: before and after
//! every plan.
//!
//! Each loop and choice yields up to three values, made by one list of operations that sometimes differs in one of
//! them; so some are equal at every step, some only at the first.

use frontend::{
    mlir::{Shapes, UnitKind, lower_file},
    ops,
};
use ir::{
    effects::EffectTable,
    plan::{
        Preset,
        ops::{OpActionKind, OpChange},
    },
};
use test_utils::Rng;
use transform::ops::{OpOptions, plan, rewrite};

use super::{check_document, program::documents};
use crate::tally::Tally;

const OPERATIONS: [&str; 6] = ["addi", "subi", "muli", "andi", "xori", "maxsi"];

/// How a next value is made: operations, each of the value so far and another one.
type Steps = Vec<(&'static str, String)>;

struct Generator {
    rng: Rng,
    out: String,
    n: usize,
    n_blocks: usize,
}

impl Generator {
    fn pick(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn is_likely(&mut self, percent: usize) -> bool {
        self.pick(100) < percent
    }

    fn value(&mut self, seen: &[String]) -> String {
        let at = self.pick(seen.len());
        seen[at].clone()
    }

    fn fresh(&mut self) -> String {
        self.n += 1;
        format!("%v{}", self.n)
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn compute(&mut self, op: &str, a: &str, b: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = arith.{op} {a}, {b} : i32"));
        name
    }

    /// Operations, memory, loops and choices; their definitions are visible afterwards.
    fn statements(&mut self, seen: &mut Vec<String>, depth: usize) {
        for _ in 0..2 + self.pick(4) {
            let (a, b) = (self.value(seen), self.value(seen));
            let at = self.pick(4);
            match self.pick(12) {
                0..=4 => {
                    let op = OPERATIONS[self.pick(OPERATIONS.len())];
                    let name = self.compute(op, &a, &b);
                    seen.push(name);
                }
                5 | 6 => {
                    let name = self.fresh();
                    self.line(&format!("{name} = memref.load %m[%k{at}] : memref<4xi32>"));
                    seen.push(name);
                }
                7 => self.line(&format!("memref.store {a}, %m[%k{at}] : memref<4xi32>")),
                8 | 9 if depth < 2 => self.counted_loop(seen, depth),
                10 if depth < 2 => self.choice(seen, depth),
                11 if depth == 0 => self.blocks(seen),
                _ if depth < 2 => self.while_loop(seen, depth),
                _ => {}
            }
        }
    }

    /// Values to begin with, most of them one, and as many names.
    fn beginnings(&mut self, seen: &[String]) -> (Vec<String>, Vec<String>) {
        let first = self.value(seen);
        let n = 1 + self.pick(3);
        let begin = (0..n)
            .map(|_| if self.is_likely(70) { first.clone() } else { self.value(seen) })
            .collect();
        (begin, (0..n).map(|_| self.fresh()).collect())
    }

    fn steps(&mut self, seen: &[String]) -> Steps {
        let n = 1 + self.pick(3);
        (0..n).map(|_| (OPERATIONS[self.pick(OPERATIONS.len())], self.value(seen))).collect()
    }

    /// The next values of some: by the same steps, or nearly.
    fn next(&mut self, values: &[String], steps: &Steps) -> Vec<String> {
        let crossed = self.is_likely(15);
        let mut res: Vec<String> = Vec::new();
        for value in values {
            let mut steps = steps.clone();
            if self.is_likely(15) {
                let at = self.pick(steps.len());
                steps[at].0 = OPERATIONS[self.pick(OPERATIONS.len())];
            }
            let mut now = value.clone();
            for (op, other) in &steps {
                now = match self.is_likely(20) {
                    true => self.compute(op, other, &now),
                    false => self.compute(op, &now, other),
                };
            }
            res.push(now);
        }
        if crossed {
            res.reverse();
        }
        res
    }

    fn counted_loop(&mut self, seen: &mut Vec<String>, depth: usize) {
        let (begin, names) = self.beginnings(seen);
        let result = self.fresh();
        let index = self.fresh();
        let (from, to) = (self.pick(2), self.pick(4));
        let pairs: Vec<_> = names.iter().zip(&begin).map(|(a, b)| format!("{a} = {b}")).collect();
        let types = types(names.len());
        let pairs = pairs.join(", ");
        self.line(&format!(
            "{result}:{} = scf.for {index} = %k{from} to %k{to} step %k1 iter_args({pairs}) -> ({types}) {{",
            names.len()
        ));
        let mut inner = seen.clone();
        inner.extend(names.iter().cloned());
        self.statements(&mut inner, depth + 1);
        let steps = self.steps(&inner);
        let next = self.next(&names, &steps);
        self.line(&format!("scf.yield {} : {types}", next.join(", ")));
        self.line("}");
        seen.extend((0..names.len()).map(|it| format!("{result}#{it}")));
    }

    /// It ends when a counter among its values is there.
    fn while_loop(&mut self, seen: &mut Vec<String>, depth: usize) {
        let (begin, names) = self.beginnings(seen);
        let (result, counter, count) = (self.fresh(), self.fresh(), self.fresh());
        let n = names.len();
        let pairs: Vec<_> = names.iter().zip(&begin).map(|(a, b)| format!("{a} = {b}")).collect();
        let types = types(n);
        self.line(&format!(
            "{result}:{} = scf.while ({counter} = %k0, {}) : (index, {types}) -> (index, {types}) {{",
            n + 1,
            pairs.join(", ")
        ));
        let goes_on = self.fresh();
        let end = self.pick(4);
        self.line(&format!("{goes_on} = arith.cmpi ult, {counter}, %k{end} : index"));
        let mut inner = seen.clone();
        inner.extend(names.iter().cloned());
        self.statements(&mut inner, depth + 1);
        let handed = if self.is_likely(50) {
            names.clone()
        } else {
            let steps = self.steps(&inner);
            self.next(&names, &steps)
        };
        self.line(&format!(
            "scf.condition({goes_on}) {counter}, {} : index, {types}",
            handed.join(", ")
        ));
        let after: Vec<String> = (0..n).map(|_| self.fresh()).collect();
        let list: Vec<_> = after.iter().map(|it| format!("{it}: i32")).collect();
        self.line("} do {");
        self.line(&format!("^bb0({count}: index, {}):", list.join(", ")));
        let mut inner = seen.clone();
        inner.extend(after.iter().cloned());
        let steps = self.steps(&inner);
        let next = self.next(&after, &steps);
        let counted = self.fresh();
        self.line(&format!("{counted} = arith.addi {count}, %k1 : index"));
        self.line(&format!("scf.yield {counted}, {} : index, {types}", next.join(", ")));
        self.line("}");
        seen.extend((0..n).map(|it| format!("{result}#{}", it + 1)));
    }

    fn choice(&mut self, seen: &mut Vec<String>, depth: usize) {
        let (begin, _) = self.beginnings(seen);
        let (condition, result) = (self.fresh(), self.fresh());
        let (a, b) = (self.value(seen), self.value(seen));
        let types = types(begin.len());
        self.line(&format!("{condition} = arith.cmpi slt, {a}, {b} : i32"));
        self.line(&format!("{result}:{} = scf.if {condition} -> ({types}) {{", begin.len()));
        let steps = self.steps(seen);
        for arm in 0..2 {
            let mut inner = seen.clone();
            self.statements(&mut inner, depth + 1);
            let handed = if self.is_likely(70) { self.next(&begin, &steps) } else { begin.clone() };
            self.line(&format!("scf.yield {} : {types}", handed.join(", ")));
            self.line(if arm == 0 { "} else {" } else { "}" });
        }
        seen.extend((0..begin.len()).map(|it| format!("{result}#{it}")));
    }

    /// A loop of blocks.
    fn blocks(&mut self, seen: &mut Vec<String>) {
        let (begin, names) = self.beginnings(seen);
        let n = self.n_blocks;
        self.n_blocks += 1;
        let (index, goes_on) = (self.fresh(), self.fresh());
        let types = types(names.len());
        let list: Vec<_> = names.iter().map(|it| format!("{it}: i32")).collect();
        self.line(&format!("cf.br ^head{n}(%k0, {} : index, {types})", begin.join(", ")));
        self.line(&format!("^head{n}({index}: index, {}):", list.join(", ")));
        let end = self.pick(4);
        self.line(&format!("{goes_on} = arith.cmpi ult, {index}, %k{end} : index"));
        self.line(&format!("cf.cond_br {goes_on}, ^body{n}, ^exit{n}"));
        self.line(&format!("^body{n}:"));
        let mut inner = seen.clone();
        inner.extend(names.iter().cloned());
        self.statements(&mut inner, 1);
        let steps = self.steps(&inner);
        let next = self.next(&names, &steps);
        let counted = self.fresh();
        self.line(&format!("{counted} = arith.addi {index}, %k1 : index"));
        self.line(&format!("cf.br ^head{n}({counted}, {} : index, {types})", next.join(", ")));
        self.line(&format!("^exit{n}:"));
        seen.extend(names);
    }
}

fn types(n: usize) -> String {
    vec!["i32"; n].join(", ")
}

fn function(seed: u64) -> String {
    let mut it = Generator { rng: Rng::new(seed), out: String::new(), n: 0, n_blocks: 0 };
    it.line("func.func @f(%a: i32, %b: i32, %m: memref<4xi32>) -> (i32, i32, i32) {");
    for k in 0..4 {
        it.line(&format!("%k{k} = arith.constant {k} : index"));
    }
    let mut seen = vec!["%a".to_owned(), "%b".to_owned()];
    it.statements(&mut seen, 0);
    it.statements(&mut seen, 0);
    let last: Vec<String> = seen.iter().rev().take(2).cloned().collect();
    let any = it.value(&seen);
    it.line(&format!("return {}, {}, {any} : i32, i32, i32", last[0], last[1]));
    it.line("}");
    it.out
}

#[test]
fn edited_text_of_loops_is_the_rewritten_body() {
    let options = OpOptions { preset: Preset::Default, allow_unsound: false };
    let read = |text: &str| {
        let mut units = Vec::new();
        lower_file(text, Shapes::builtin(), &mut |unit| units.push(unit));
        units.into_iter().find(|it| it.kind == UnitKind::Function).expect("a function").lowered
    };
    let mut n_dropped = 0;
    for seed in 0..n_seeds() {
        let text = function(seed);
        let unit = read(&text);
        let plan = plan(&unit.body, EffectTable::builtin(), &options);
        n_dropped += plan.actions.iter().filter(|it| is_drop(&it.change)).count();
        let edited = ops::edits(&text, &unit.source_map, &unit.body, &plan).apply(&text);
        let (rewritten, again) = (rewrite(&unit.body, &plan), read(&edited));
        assert_eq!(
            ir::print::generic(&again.body),
            ir::print::generic(&rewritten),
            "seed {seed}\n{text}\n{edited}"
        );
    }
    assert!(n_dropped > 100, "{n_dropped}");
}

fn n_seeds() -> u64 {
    match std::env::var_os("TIR_ORACLE_ALL") {
        Some(_) => 20_000,
        None => 250,
    }
}

fn is_drop(change: &OpChange) -> bool {
    matches!(change, OpChange::RemoveArgument { .. })
}

#[test]
fn loops_whose_values_go_together_keep_what_they_compute() {
    let n = n_seeds();
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let options = OpOptions { preset: Preset::Default, allow_unsound: false };
    for seed in 0..n {
        let text = function(seed);
        for document in documents(&text) {
            let name = format!("seed {seed}");
            failures.extend(check_document(&name, &document, 300_000, &mut tally));
            for unit in document.units.iter().filter(|it| it.is_function) {
                let plan_of = |body| plan(body, EffectTable::builtin(), &options);
                let first = plan_of(&unit.body);
                let carried = [OpActionKind::EqualCarried, OpActionKind::EqualArguments];
                if first.actions.iter().any(|it| carried.contains(&it.kind)) {
                    tally.add("with equal values that are handed on", &name);
                }
                let after = rewrite(&unit.body, &first);
                if !plan_of(&after).is_empty() {
                    tally.add("a second plan finds more", &name);
                }
            }
        }
    }
    tally.print("generated loops");
    assert!(failures.is_empty(), "{}\n{}", failures.join("\n"), function(0));
    assert!(tally.count("equal") * 10 > n as usize * 8);
    assert!(tally.count("with equal values that are handed on") * 3 > n as usize);
    assert!(tally.count("a second plan finds more") * 100 <= n as usize);
}
