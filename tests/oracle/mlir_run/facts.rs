//! The facts about integers of MLIR, against their values in runs of generated functions.
//!
//! Each function writes the values of its integers into a log, with the number of each, as they are computed: what
//! loops carry, what choices yield, arguments of blocks, sums of few bits. Every value has to be in its bounds and in its
//! congruence, and a simpler form is none that is another constant.

use arith::operations::{OperationFacts, StatedFacts};
use interp::{
    Argument, Array, Options,
    mlir::{Launch, Program, run},
};
use ir::{Body, DataType, ValueId, ValueKind};
use test_utils::Rng;

use super::program::documents;

/// Values of one run.
const LOG: i64 = 4096;

const WORDS: [&str; 3] = ["index", "i32", "i8"];

struct Generator {
    rng: Rng,
    out: String,
    /// By number: the name that was logged.
    logged: Vec<String>,
    n: usize,
    n_blocks: usize,
}

/// Visible values, by the place of their type in [`WORDS`].
type Seen = [Vec<String>; 3];

impl Generator {
    fn fresh(&mut self) -> String {
        self.n += 1;
        format!("%v{}", self.n)
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn pick(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn value(&mut self, seen: &Seen, ty: usize) -> String {
        self.rng.pick(&seen[ty]).clone()
    }

    /// Defines a value and logs it.
    fn define(&mut self, seen: &mut Seen, ty: usize, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        self.log(&name, WORDS[ty]);
        seen[ty].push(name.clone());
        name
    }

    fn log(&mut self, name: &str, ty: &str) {
        let number = self.logged.len();
        self.logged.push(name.to_owned());
        let (q, wide, id, next) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let widen = match ty {
            "index" => "index_cast",
            "i1" => "extui",
            _ => "extsi",
        };
        self.line(&format!("{q} = memref.load %count[%k0] : memref<1xindex>"));
        self.line(&format!("{wide} = arith.{widen} {name} : {ty} to i64"));
        self.line(&format!("memref.store {wide}, %log[{q}] : memref<{LOG}xi64>"));
        self.line(&format!("{id} = arith.constant {number} : i64"));
        self.line(&format!("memref.store {id}, %ids[{q}] : memref<{LOG}xi64>"));
        self.line(&format!("{next} = arith.addi {q}, %k1 : index"));
        self.line(&format!("memref.store {next}, %count[%k0] : memref<1xindex>"));
    }

    fn computation(&mut self, seen: &mut Seen, ty: usize) -> String {
        let (a, b) = (self.value(seen, ty), self.value(seen, ty));
        let word = WORDS[ty];
        let operations = [
            "addi",
            "addi",
            "subi",
            "muli",
            "minsi",
            "maxsi",
            "minui",
            "maxui",
            "remui",
            "remsi",
            "divui",
            "divsi",
            "floordivsi",
            "andi",
            "shrui",
            "shrsi",
            "shli",
            "ceildivsi",
        ];
        let op = *self.rng.pick(&operations);
        let is_division = op.contains("div") || op.contains("rem");
        let b = match op {
            _ if is_division || op == "andi" => {
                let n = [1, 2, 3, 4, 7, 8, 15][self.pick(7)];
                self.constant(word, n)
            }
            "shrui" | "shrsi" | "shli" => {
                let n = self.pick(5) as i64;
                self.constant(word, n)
            }
            _ if self.pick(2) == 0 => {
                let n = self.rng.between(-9, 12);
                self.constant(word, n)
            }
            _ => b,
        };
        let flags = match op {
            "addi" | "subi" | "muli" if self.pick(4) == 0 => " overflow<nsw>",
            _ => "",
        };
        self.define(seen, ty, &format!("arith.{op} {a}, {b}{flags} : {word}"))
    }

    fn constant(&mut self, word: &str, n: i64) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = arith.constant {n} : {word}"));
        name
    }

    fn condition(&mut self, seen: &Seen) -> String {
        let ty = self.pick(3);
        let (a, mut b) = (self.value(seen, ty), self.value(seen, ty));
        if self.pick(2) == 0 {
            let n = self.rng.between(-4, 20);
            b = self.constant(WORDS[ty], n);
        }
        let word = *self.rng.pick(&["slt", "sge", "ult", "eq", "sle", "ne"]);
        let name = self.fresh();
        self.line(&format!("{name} = arith.cmpi {word}, {a}, {b} : {}", WORDS[ty]));
        self.log(&name, "i1");
        name
    }

    fn statements(&mut self, seen: &mut Seen, depth: usize) {
        for _ in 0..1 + self.pick(3) {
            let ty = self.pick(3);
            match self.pick(12) {
                0..=3 => drop(self.computation(seen, ty)),
                4 => {
                    let at = self.value(seen, 0);
                    self.define(seen, 1, &format!("arith.index_cast {at} : index to i32"));
                }
                5 => {
                    let at = self.value(seen, 1);
                    self.define(seen, 2, &format!("arith.trunci {at} : i32 to i8"));
                }
                6 => {
                    let condition = self.condition(seen);
                    let (a, b) = (self.value(seen, ty), self.value(seen, ty));
                    let text = format!("arith.select {condition}, {a}, {b} : {}", WORDS[ty]);
                    self.define(seen, ty, &text);
                }
                7 | 8 if depth < 2 => self.counted(seen, depth),
                9 if depth < 2 => self.choice(seen, depth),
                10 if depth < 2 => self.while_loop(seen, depth),
                11 if depth == 0 => self.blocks(seen),
                _ => {}
            }
        }
    }

    /// Types of what is carried, and the values to begin with: often constants.
    fn beginnings(&mut self, seen: &Seen) -> Vec<(usize, String)> {
        let n = 1 + self.pick(3);
        (0..n)
            .map(|_| {
                let ty = self.pick(3);
                match self.pick(3) {
                    0 => (ty, self.value(seen, ty)),
                    _ => {
                        let n = self.rng.between(-3, 9);
                        (ty, self.constant(WORDS[ty], n))
                    }
                }
            })
            .collect()
    }

    /// The next of a value.
    fn next(&mut self, seen: &mut Seen, (ty, now): (usize, &str)) -> String {
        let word = WORDS[ty];
        match self.pick(6) {
            0..=2 => {
                let n = self.rng.between(-3, 9);
                let by = self.constant(word, n);
                let op = *self.rng.pick(&["addi", "addi", "subi"]);
                let next = self.define(seen, ty, &format!("arith.{op} {now}, {by} : {word}"));
                match self.pick(3) {
                    0 => {
                        let n = self.rng.between(0, 30);
                        let end = self.constant(word, n);
                        let op = *self.rng.pick(&["minsi", "maxsi", "remui"]);
                        match op == "remui" && n == 0 {
                            true => next,
                            false => {
                                self.define(seen, ty, &format!("arith.{op} {next}, {end} : {word}"))
                            }
                        }
                    }
                    _ => next,
                }
            }
            3 => now.to_owned(),
            4 => self.computation(seen, ty),
            _ => self.value(seen, ty),
        }
    }

    fn with(&mut self, seen: &Seen, names: &[(usize, String)]) -> Seen {
        let mut inner = seen.clone();
        for (ty, name) in names {
            self.log(name, WORDS[*ty]);
            inner[*ty].push(name.clone());
        }
        inner
    }

    fn yields(&mut self, inner: &mut Seen, names: &[(usize, String)]) -> String {
        let next: Vec<String> =
            names.iter().map(|(ty, name)| self.next(inner, (*ty, name))).collect();
        next.join(", ")
    }

    fn results(&mut self, seen: &mut Seen, result: &str, types: &[usize]) {
        for (at, &ty) in types.iter().enumerate() {
            let name = format!("{result}#{at}");
            self.log(&name, WORDS[ty]);
            seen[ty].push(name);
        }
    }

    fn counted(&mut self, seen: &mut Seen, depth: usize) {
        let begin = self.beginnings(seen);
        let names: Vec<(usize, String)> = begin.iter().map(|it| (it.0, self.fresh())).collect();
        let (result, index) = (self.fresh(), self.fresh());
        let first = self.pick(3);
        let end = *self.rng.pick(&["%n", "%k3", "%k5", "%k0"]);
        let step = 1 + self.pick(2);
        let list = pairs(&names, &begin);
        let types = types(&begin);
        let n = begin.len();
        let (word, from, to, by) = match self.pick(3) {
            0 if end != "%n" => {
                ("affine.for", first.to_string(), end[2..].to_owned(), step.to_string())
            }
            _ => ("scf.for", format!("%k{first}"), end.to_owned(), format!("%k{step}")),
        };
        self.line(&format!(
            "{result}:{n} = {word} {index} = {from} to {to} step {by} iter_args({list}) -> ({types}) {{"
        ));
        let mut inner = self.with(seen, &names);
        self.log(&index, "index");
        inner[0].push(index);
        self.statements(&mut inner, depth + 1);
        let next = self.yields(&mut inner, &names);
        let dialect = word.split('.').next().unwrap_or_default();
        self.line(&format!("{dialect}.yield {next} : {types}"));
        self.line("}");
        let types: Vec<usize> = begin.iter().map(|it| it.0).collect();
        self.results(seen, &result, &types);
    }

    fn choice(&mut self, seen: &mut Seen, depth: usize) {
        let begin = self.beginnings(seen);
        let condition = self.condition(seen);
        let result = self.fresh();
        let types_text = types(&begin);
        self.line(&format!("{result}:{} = scf.if {condition} -> ({types_text}) {{", begin.len()));
        for arm in 0..2 {
            let mut inner = seen.clone();
            if self.pick(2) == 0 {
                self.statements(&mut inner, depth + 1);
            }
            let next = self.yields(&mut inner, &begin);
            self.line(&format!("scf.yield {next} : {types_text}"));
            self.line(if arm == 0 { "} else {" } else { "}" });
        }
        let types: Vec<usize> = begin.iter().map(|it| it.0).collect();
        self.results(seen, &result, &types);
    }

    /// It goes on while its first value, an index from 0, is small.
    fn while_loop(&mut self, seen: &mut Seen, depth: usize) {
        let mut begin = self.beginnings(seen);
        begin.insert(0, (0, "%k0".to_owned()));
        let fresh = |it: &mut Self| -> Vec<(usize, String)> {
            begin.iter().map(|(ty, _)| (*ty, it.fresh())).collect()
        };
        let (names, after) = (fresh(self), fresh(self));
        let result = self.fresh();
        let types_text = types(&begin);
        let list = pairs(&names, &begin);
        self.line(&format!(
            "{result}:{} = scf.while ({list}) : ({types_text}) -> ({types_text}) {{",
            begin.len()
        ));
        let mut inner = self.with(seen, &names);
        let goes_on = self.fresh();
        let end = self.pick(6);
        self.line(&format!("{goes_on} = arith.cmpi slt, {}, %k{end} : index", names[0].1));
        self.statements(&mut inner, depth + 1);
        let mut handed: Vec<String> = names.iter().map(|it| it.1.clone()).collect();
        for at in 1..handed.len() {
            if self.pick(3) == 0 {
                handed[at] = self.value(&inner, names[at].0);
            }
        }
        self.line(&format!("scf.condition({goes_on}) {} : {types_text}", handed.join(", ")));
        self.line("} do {");
        let list: Vec<String> =
            after.iter().map(|(ty, name)| format!("{name}: {}", WORDS[*ty])).collect();
        self.line(&format!("^bb0({}):", list.join(", ")));
        let mut inner = self.with(seen, &after);
        self.statements(&mut inner, depth + 1);
        let next = self.yields(&mut inner, &after[1..]);
        let step = 1 + self.pick(3);
        let counted =
            self.define(&mut inner, 0, &format!("arith.addi {}, %k{step} : index", after[0].1));
        self.line(&format!("scf.yield {counted}, {next} : {types_text}"));
        self.line("}");
        let types: Vec<usize> = begin.iter().map(|it| it.0).collect();
        self.results(seen, &result, &types);
    }

    /// A choice and a loop of blocks.
    fn blocks(&mut self, seen: &mut Seen) {
        let n = self.n_blocks;
        self.n_blocks += 1;
        let (ty, other) = (self.pick(3), self.pick(3));
        let condition = self.condition(seen);
        let (x, y) = (self.fresh(), self.fresh());
        let (one, two) = (self.value(seen, ty), self.value(seen, ty));
        let word = WORDS[ty];
        let two = match self.pick(2) {
            0 => two,
            _ => {
                let n = self.rng.between(-2, 6);
                self.constant(word, n)
            }
        };
        self.line(&format!("cf.cond_br {condition}, ^j{n}({one} : {word}), ^s{n}"));
        self.line(&format!("^s{n}:"));
        self.line(&format!("cf.br ^j{n}({two} : {word})"));
        self.line(&format!("^j{n}({x}: {word}):"));
        self.log(&x, word);
        seen[ty].push(x.clone());
        let begin = self.constant(WORDS[other], 2);
        let word = WORDS[other];
        let count = self.fresh();
        self.line(&format!("cf.br ^h{n}(%k0, {begin} : index, {word})"));
        self.line(&format!("^h{n}({count}: index, {y}: {word}):"));
        self.log(&count, "index");
        self.log(&y, word);
        let goes_on = self.fresh();
        let end = self.pick(6);
        self.line(&format!("{goes_on} = arith.cmpi slt, {count}, %k{end} : index"));
        self.line(&format!("cf.cond_br {goes_on}, ^b{n}, ^e{n}"));
        self.line(&format!("^b{n}:"));
        let mut inner = seen.clone();
        inner[other].push(y.clone());
        inner[0].push(count.clone());
        self.statements(&mut inner, 1);
        let next = self.next(&mut inner, (other, &y));
        let counted = self.define(&mut inner, 0, &format!("arith.addi {count}, %k1 : index"));
        self.line(&format!("cf.br ^h{n}({counted}, {next} : index, {word})"));
        self.line(&format!("^e{n}:"));
        seen[other].push(y);
        seen[0].push(count);
    }
}

fn pairs(names: &[(usize, String)], begin: &[(usize, String)]) -> String {
    let pairs: Vec<String> =
        names.iter().zip(begin).map(|(a, b)| format!("{} = {}", a.1, b.1)).collect();
    pairs.join(", ")
}

fn types(of: &[(usize, String)]) -> String {
    let types: Vec<&str> = of.iter().map(|it| WORDS[it.0]).collect();
    types.join(", ")
}

/// A function, and the names of its log.
fn function(seed: u64) -> (String, Vec<String>) {
    let mut it = Generator {
        rng: Rng::new(seed),
        out: String::new(),
        logged: Vec::new(),
        n: 0,
        n_blocks: 0,
    };
    it.line(&format!(
        "func.func @f(%n: index, %x: i32, %z: i8, %log: memref<{LOG}xi64>, %ids: memref<{LOG}xi64>, %count: memref<1xindex>) {{"
    ));
    for k in 0..6 {
        it.line(&format!("%k{k} = arith.constant {k} : index"));
    }
    let mut seen =
        [vec!["%n".to_owned(), "%k3".to_owned()], vec!["%x".to_owned()], vec!["%z".to_owned()]];
    for _ in 0..3 {
        it.statements(&mut seen, 0);
    }
    it.line("return");
    it.line("}");
    (it.out, it.logged)
}

/// The facts about one value.
struct Bounds {
    interval: arith::Interval,
    modular: arith::Modular,
}

/// The facts of the values that are logged, by their number: the value stored after each number.
fn facts(body: &Body) -> Vec<Option<Bounds>> {
    let logged = logged_values(body);
    let mut facts = OperationFacts::new(body, &StatedFacts::default());
    logged
        .into_iter()
        .map(|(value, store)| {
            let context = facts.used(store, value)?;
            let term = facts.term(value)?;
            let analyzer = facts.analyzer();
            let dtype = analyzer.body().dtype(term)?;
            let interval = match dtype.is_bool() {
                false => analyzer.bound(context, term),
                true => match analyzer.decide(context, term) {
                    Some(value) => arith::Interval::constant(value.into()),
                    None => arith::Interval::new(0, 1),
                },
            };
            let modular = match dtype.is_bool() {
                true => arith::Modular::new(1, 0),
                false => analyzer.modular(context, term),
            };
            Some(Bounds { interval, modular })
        })
        .collect()
}

/// By number: the value that is logged, and the store that does it.
fn logged_values(body: &Body) -> Vec<(ValueId, ir::OpId)> {
    let named = |op: ir::OpId, name: &str| arith::operations::name_of(body, op) == name;
    let value = |op: ir::OpId| match body.expr(body.ops[op].operands[0]).kind {
        ir::ExprKind::Value(it) => it,
        _ => unreachable!("an operand is a value"),
    };
    let mut res = Vec::new();
    for (_, block) in body.blocks.iter() {
        for (at, &op) in block.ops.iter().enumerate() {
            let is_log = named(op, "memref.store")
                && block.ops.get(at + 1).is_some_and(|&it| named(it, "arith.constant"))
                && block.ops.get(at + 2).is_some_and(|&it| named(it, "memref.store"));
            if !is_log {
                continue;
            }
            let ValueKind::Result(widened, _) = body.values[value(op)].kind else { continue };
            let number = arith::operations::attr(body, block.ops[at + 1], "value");
            let number = number.and_then(|it| it.split(' ').next()?.parse::<usize>().ok());
            res.push((number.expect("a number"), (value(widened), op)));
        }
    }
    res.sort_by_key(|it| it.0);
    res.into_iter().map(|it| it.1).collect()
}

/// Values for the arguments: few iterations, numbers at the ends of their types.
fn arguments(rng: &mut Rng) -> Vec<Argument> {
    let n = *rng.pick(&[0, 1, 2, 5, 6, -1, i64::MIN]);
    let x = *rng.pick(&[0, 1, -1, 7, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 30, -13]);
    let z = *rng.pick(&[0, 1, -1, 127, -128, 100, -77]);
    let log = || Argument::Array(Array::zeros(DataType::INT64, &[LOG]));
    let count = Argument::Array(Array::zeros(DataType::INT64, &[1]));
    vec![Argument::Int(n), Argument::Int(x), Argument::Int(z), log(), log(), count]
}

fn numbers(outcome: &interp::mlir::Outcome, at: usize) -> Vec<i64> {
    let Argument::Array(array) = &outcome.arguments[at].value else { return Vec::new() };
    let (chunks, _) = array.data.as_chunks::<8>();
    chunks.iter().map(|it| i64::from_le_bytes(*it)).collect()
}

#[test]
fn facts_hold_of_what_runs_compute() {
    let n_seeds = if std::env::var_os("TIR_ORACLE_ALL").is_some() { 20_000 } else { 60 };
    let (mut n_values, mut n_known, mut n_runs) = (0usize, 0usize, 0usize);
    for seed in 0..n_seeds {
        let (text, names) = function(seed);
        let documents = documents(&text);
        let bodies: Vec<&Body> = documents[0].units.iter().map(|it| &it.body).collect();
        let program = Program::new(bodies.iter().copied());
        let number = program.function("f").expect("a function");
        let facts = facts(bodies[number]);
        assert_eq!(facts.len(), names.len(), "{text}");
        let options = Options { max_steps: 200_000, ..Options::default() };
        let mut rng = Rng::new(seed);
        for _ in 0..6 {
            let arguments = arguments(&mut rng);
            let shown = format!("{:?}", &arguments[..3]);
            let Ok(outcome) = run(&program, number, arguments, Launch::default(), &options) else {
                continue;
            };
            // Poison and divisions that trap are events: their values are any.
            if !outcome.events.is_empty() {
                continue;
            }
            n_runs += 1;
            let (log, ids) = (numbers(&outcome, 3), numbers(&outcome, 4));
            let defined = &outcome.arguments[3].defined;
            let n = numbers(&outcome, 5)[0].clamp(0, LOG) as usize;
            for at in 0..n {
                if !defined.get(at).copied().unwrap_or(true) {
                    continue;
                }
                let (value, id) = (log[at], ids[at] as usize);
                n_values += 1;
                let known = facts[id].as_ref().unwrap_or_else(|| {
                    panic!("seed {seed}: {} is never computed, but was: {shown}\n{text}", names[id])
                });
                let is_right =
                    known.interval.contains(value.into()) && known.modular.contains(value.into());
                assert!(
                    is_right,
                    "seed {seed}: {} = {value} is not in {:?}, {}, with {shown}\n{text}",
                    names[id], known.interval, known.modular
                );
                n_known += usize::from(known.interval.max - known.interval.min < 1 << 20);
            }
        }
    }
    assert!(n_runs > 100 && n_known * 3 > n_values, "{n_runs} {n_values} {n_known}");
}
