//! The preset `tvm-2022` against the rules of the pass written down as they are, on random programs.
//!
//! The reference does everything that the rules say, at every statement and every part of an expression, on trees: no
//! shortcut, no sharing. Both results are printed and must be the same text.

use std::rc::Rc;

use ir::plan::Preset;
use test_utils::Rng;
use transform::cse::CseOptions;

use crate::support::{lowered, rewritten, statements};

#[derive(PartialEq, Debug)]
enum Ex {
    Var(String),
    Int(i64),
    Bin(&'static str, E, E),
    Load(E),
    Let(String, E, E),
}
type E = Rc<Ex>;

#[derive(Clone, Debug)]
enum St {
    Let(String, E, Box<St>),
    Store(E, E),
    If(E, Box<St>, Option<Box<St>>),
    For(String, E, Box<St>),
    /// A statement around another one that hides nothing and knows nothing new: a launch.
    Around(String, Box<St>),
    Seq(Vec<St>),
}

// ---- expressions ----

fn parts(e: &Ex) -> Vec<&E> {
    match e {
        Ex::Var(_) | Ex::Int(_) => Vec::new(),
        Ex::Bin(_, a, b) | Ex::Let(_, a, b) => vec![a, b],
        Ex::Load(a) => vec![a],
    }
}

fn is_forbidden(e: &Ex) -> bool {
    matches!(e, Ex::Load(_)) || parts(e).iter().any(|it| is_forbidden(it))
}

fn is_eligible(e: &Ex) -> bool {
    matches!(e, Ex::Bin(..) | Ex::Let(..)) && !is_forbidden(e)
}

fn size(e: &Ex) -> usize {
    1 + parts(e).iter().map(|it| size(it)).sum::<usize>()
}

fn has_undefined(e: &Ex, known: &dyn Fn(&str) -> bool) -> bool {
    match e {
        Ex::Var(name) => !known(name),
        Ex::Let(name, value, body) => {
            has_undefined(value, known) || has_undefined(body, &|it| it == name || known(it))
        }
        _ => parts(e).iter().any(|it| has_undefined(it, known)),
    }
}

fn is_bool(e: &Ex) -> bool {
    match e {
        Ex::Bin(op, ..) => matches!(*op, "<" | "and"),
        Ex::Let(_, _, body) => is_bool(body),
        _ => false,
    }
}

fn text(e: &Ex) -> String {
    match e {
        Ex::Var(name) => name.clone(),
        Ex::Int(value) => value.to_string(),
        Ex::Bin(op, a, b) => format!("({} {op} {})", text(a), text(b)),
        Ex::Load(index) => format!("B[{}]", text(index)),
        Ex::Let(name, value, body) => {
            format!("T.Let({}, where={{{name}: {}}})", text(body), text(value))
        }
    }
}

fn replaced(e: &E, what: &E, name: &str) -> E {
    if e == what && is_eligible(e) {
        return Rc::new(Ex::Var(name.to_owned()));
    }
    match &**e {
        Ex::Var(_) | Ex::Int(_) => e.clone(),
        Ex::Bin(op, a, b) => Rc::new(Ex::Bin(op, replaced(a, what, name), replaced(b, what, name))),
        Ex::Load(a) => Rc::new(Ex::Load(replaced(a, what, name))),
        Ex::Let(v, a, b) => {
            Rc::new(Ex::Let(v.clone(), replaced(a, what, name), replaced(b, what, name)))
        }
    }
}

// ---- tables ----

type Table = Vec<(E, usize)>;

fn add(table: &mut Table, more: Table) {
    for (e, n) in more {
        match table.iter_mut().find(|it| it.0 == e) {
            Some(entry) => entry.1 += n,
            None => table.push((e, n)),
        }
    }
}

fn table_of(e: &E) -> Table {
    if is_eligible(e) {
        return vec![(e.clone(), 1)];
    }
    let mut table = Table::new();
    parts(e).into_iter().for_each(|it| add(&mut table, table_of(it)));
    table
}

fn barrier(c: &Table, t: &Table, e: &Table) -> Table {
    let count = |table: &Table, key: &E| table.iter().find(|it| it.0 == *key).map_or(0, |it| it.1);
    let mut seen = Table::new();
    for (one, other) in [(t, e), (c, t), (c, e)] {
        for (key, _) in one {
            if count(other, key) > 0 && count(&seen, key) == 0 {
                seen.push((key.clone(), count(c, key) + count(t, key) + count(e, key)));
            }
        }
    }
    seen
}

fn table_of_statement(s: &St) -> Table {
    let mut table = Table::new();
    match s {
        St::Let(_, value, body) => {
            add(&mut table, table_of(value));
            add(&mut table, table_of_statement(body));
        }
        St::Store(index, value) => {
            add(&mut table, table_of(value));
            add(&mut table, table_of(index));
        }
        St::If(c, t, e) => {
            let e = e.as_ref().map_or_else(Table::new, |it| table_of_statement(it));
            return barrier(&table_of(c), &table_of_statement(t), &e);
        }
        St::For(_, extent, body) => {
            return barrier(&Table::new(), &table_of(extent), &table_of_statement(body));
        }
        St::Around(_, body) => return table_of_statement(body),
        St::Seq(all) => all.iter().for_each(|it| add(&mut table, table_of_statement(it))),
    }
    table
}

fn replaced_in(s: &St, what: &E, name: &str) -> St {
    let e = |it: &E| replaced(it, what, name);
    let s_ = |it: &St| Box::new(replaced_in(it, what, name));
    match s {
        St::Let(v, value, body) => St::Let(v.clone(), e(value), s_(body)),
        St::Store(index, value) => St::Store(e(index), e(value)),
        St::If(c, t, other) => St::If(e(c), s_(t), other.as_ref().map(|it| s_(it))),
        St::For(v, extent, body) => St::For(v.clone(), e(extent), s_(body)),
        St::Around(v, body) => St::Around(v.clone(), s_(body)),
        St::Seq(all) => St::Seq(all.iter().map(|it| replaced_in(it, what, name)).collect()),
    }
}

// ---- the pass ----

struct Reference {
    context: Vec<(String, Option<E>)>,
    n_names: usize,
}

impl Reference {
    /// One sweep. `replace` and `bind` change the root.
    fn sweep(
        &mut self,
        table: Table,
        mut replace: impl FnMut(&E, &str),
        mut bind: impl FnMut(&E, &str),
    ) -> bool {
        let mut vector = table;
        vector.sort_by_key(|it| std::cmp::Reverse(size(&it.0)));
        let mut created = false;
        let mut i = 0;
        while i < vector.len() {
            let (e, n) = vector[i].clone();
            i += 1;
            let known = self.context.iter().find(|it| it.1.as_ref() == Some(&e));
            if let Some((name, _)) = known {
                replace(&e, &name.clone());
                continue;
            }
            let context = &self.context;
            if n >= 2 && !has_undefined(&e, &|name| context.iter().any(|it| it.0 == name)) {
                self.n_names += 1;
                bind(&e, &format!("cse_v{}", self.n_names));
                created = true;
                continue;
            }
            let mut queue: Vec<E> = parts(&e).into_iter().rev().cloned().collect();
            while let Some(part) = queue.pop() {
                if !is_eligible(&part) {
                    queue.extend(parts(&part).into_iter().rev().cloned());
                    continue;
                }
                match vector.iter_mut().find(|it| it.0 == part) {
                    Some(entry) => entry.1 += 1,
                    None => {
                        let after = vector.iter().rposition(|it| size(&it.0) >= size(&part));
                        vector.insert(after.map_or(0, |it| it + 1), (part, 1));
                    }
                }
            }
        }
        created
    }

    fn expression(&mut self, e: &E) -> E {
        let result = std::cell::RefCell::new(e.clone());
        self.sweep(
            table_of(e),
            |what, name| {
                let new = replaced(&result.borrow(), what, name);
                *result.borrow_mut() = new;
            },
            |what, name| {
                let inner = replaced(&result.borrow(), what, name);
                *result.borrow_mut() = Rc::new(Ex::Let(name.to_owned(), what.clone(), inner));
            },
        );
        match &*result.into_inner() {
            Ex::Var(name) => Rc::new(Ex::Var(name.clone())),
            Ex::Int(value) => Rc::new(Ex::Int(*value)),
            Ex::Bin(op, a, b) => {
                let a = self.expression(a);
                Rc::new(Ex::Bin(op, a, self.expression(b)))
            }
            Ex::Load(a) => Rc::new(Ex::Load(self.expression(a))),
            Ex::Let(name, value, body) => {
                let new = self.expression(value);
                self.context.push((name.clone(), Some(value.clone())));
                let body = self.expression(body);
                self.context.pop();
                Rc::new(Ex::Let(name.clone(), new, body))
            }
        }
    }

    fn statement(&mut self, s: &St) -> St {
        let result = std::cell::RefCell::new(s.clone());
        loop {
            let table = table_of_statement(&result.borrow());
            let created = self.sweep(
                table,
                |what, name| {
                    let new = replaced_in(&result.borrow(), what, name);
                    *result.borrow_mut() = new;
                },
                |what, name| {
                    let inner = Box::new(replaced_in(&result.borrow(), what, name));
                    *result.borrow_mut() = St::Let(name.to_owned(), what.clone(), inner);
                },
            );
            if !created {
                break;
            }
        }
        match result.into_inner() {
            St::Let(name, value, body) => {
                let new = self.expression(&value);
                self.context.push((name.clone(), Some(value)));
                let body = self.statement(&body);
                self.context.pop();
                St::Let(name, new, Box::new(body))
            }
            St::Store(index, value) => {
                let value = self.expression(&value);
                St::Store(self.expression(&index), value)
            }
            St::If(c, t, e) => {
                let c = self.expression(&c);
                let t = Box::new(self.statement(&t));
                St::If(c, t, e.map(|it| Box::new(self.statement(&it))))
            }
            St::For(name, extent, body) => {
                let extent = self.expression(&extent);
                self.context.push((name.clone(), None));
                let body = self.statement(&body);
                self.context.pop();
                St::For(name, extent, Box::new(body))
            }
            St::Around(name, body) => St::Around(name, Box::new(self.statement(&body))),
            St::Seq(all) => St::Seq(all.iter().map(|it| self.statement(it)).collect()),
        }
    }
}

// ---- text ----

fn print(s: &St, indent: usize, out: &mut String) {
    let pad = "    ".repeat(indent);
    match s {
        St::Let(name, value, body) => {
            let ty = if is_bool(value) { "bool" } else { "int32" };
            out.push_str(&format!("{pad}{name}: T.let[T.{ty}] = {}\n", text(value)));
            print(body, indent, out);
        }
        St::Store(index, value) => {
            out.push_str(&format!("{pad}M[{}] = {}\n", text(index), text(value)));
        }
        St::If(c, t, e) => {
            out.push_str(&format!("{pad}if {}:\n", text(c)));
            print(t, indent + 1, out);
            if let Some(e) = e {
                out.push_str(&format!("{pad}else:\n"));
                print(e, indent + 1, out);
            }
        }
        St::For(name, extent, body) => {
            out.push_str(&format!("{pad}for {name} in range({}):\n", text(extent)));
            print(body, indent + 1, out);
        }
        St::Around(name, body) => {
            out.push_str(&format!("{pad}with T.launch_thread(\"threadIdx.x\", 32) as {name}:\n"));
            print(body, indent + 1, out);
        }
        St::Seq(all) => all.iter().for_each(|it| print(it, indent, out)),
    }
}

fn function(s: &St) -> String {
    let mut out = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(x: T.int32, y: T.int32, z: T.int32, \
         M: T.Buffer((4096,), \"int32\"), B: T.Buffer((4096,), \"int32\")):\n",
    );
    print(s, 1, &mut out);
    out
}

// ---- random programs ----

struct Generator {
    rng: Rng,
    names: Vec<String>,
    n_names: usize,
}

impl Generator {
    fn pick(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn atom(&mut self) -> E {
        if self.pick(6) == 0 {
            return Rc::new(Ex::Int(2 + self.pick(2) as i64));
        }
        // The newest names most: what is bound is to be used.
        let n = self.names.len();
        let at = self.pick(n).max(self.pick(n));
        Rc::new(Ex::Var(self.names[at].clone()))
    }

    fn number(&mut self, depth: usize) -> E {
        if depth == 0 || self.pick(4) == 0 {
            let n = self.names.len();
            let at = self.pick(n);
            return Rc::new(Ex::Var(self.names[at].clone()));
        }
        if self.pick(8) == 0 {
            return Rc::new(Ex::Load(self.number(depth - 1)));
        }
        let op = ["+", "*", "-"][self.pick(3)];
        let left = self.number(depth - 1);
        let right = if self.pick(2) == 0 { self.atom() } else { self.number(depth - 1) };
        // TVM folds these when it reads them.
        let is_folded = op == "-" && left == right;
        Rc::new(Ex::Bin(if is_folded { "+" } else { op }, left, right))
    }

    fn condition(&mut self) -> E {
        let one = Rc::new(Ex::Bin("<", self.number(2), self.number(2)));
        if self.pick(2) == 0 {
            return one;
        }
        Rc::new(Ex::Bin("and", one, Rc::new(Ex::Bin("<", self.number(2), self.number(2)))))
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    fn list(&mut self, depth: usize, length: usize) -> St {
        let n_names = self.names.len();
        let list = self.rest(depth, length);
        self.names.truncate(n_names);
        list
    }

    /// Statements up to the end of a list; a binding holds the rest.
    fn rest(&mut self, depth: usize, length: usize) -> St {
        let mut all = Vec::new();
        for left in (0..length).rev() {
            match self.pick(if depth == 0 { 6 } else { 10 }) {
                0 | 1 if left > 0 => {
                    let value = self.number(2);
                    let name = self.fresh("a");
                    self.names.push(name.clone());
                    all.push(St::Let(name, value, Box::new(self.rest(depth, left))));
                    return one_or_all(all);
                }
                6 | 7 => {
                    let condition = self.condition();
                    let then = Box::new(self.list(depth - 1, 2));
                    let other = (self.pick(2) == 0).then(|| Box::new(self.list(depth - 1, 2)));
                    all.push(St::If(condition, then, other));
                }
                8 | 9 => {
                    let extent = self.number(2);
                    let name = self.fresh("i");
                    self.names.push(name.clone());
                    let body = Box::new(self.list(depth - 1, 2));
                    self.names.pop();
                    all.push(St::For(name, extent, body));
                }
                _ => all.push(St::Store(self.number(2), self.number(3))),
            }
        }
        one_or_all(all)
    }
}

fn one_or_all(mut all: Vec<St>) -> St {
    if all.len() == 1
        && let Some(one) = all.pop()
    {
        return one;
    }
    St::Seq(all)
}

#[test]
fn random_programs_become_what_the_rules_say() {
    let options =
        CseOptions { preset: Preset::Tvm2022, allow_unsound: true, ..CseOptions::default() };
    let (mut n_bound, mut n_lets) = (0, 0);
    for seed in 0..3000 {
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        let mut generator = Generator { rng: Rng::new(seed), names, n_names: 0 };
        let is_launched = generator.pick(3) == 0;
        if is_launched {
            generator.names.push("tid".to_owned());
        }
        let length = 2 + generator.pick(4);
        let mut program = generator.list(2, length);
        if is_launched {
            program = St::Around("tid".to_owned(), Box::new(program));
        }
        let context = ["x", "y", "z"].map(|it| (it.to_owned(), None)).to_vec();
        let expected = Reference { context, n_names: 0 }.statement(&program);
        let printed = |text: &str| statements(&ir::print::tvmscript(&lowered(text)[0].2.body, 0));
        let before = function(&program);
        let after = rewritten(&before, &options);
        assert_eq!(after, printed(&function(&expected)), "seed {seed}:\n{before}");
        n_bound += usize::from(after.contains("cse_v"));
        n_lets += usize::from(after.contains("T.Let("));
    }
    assert!(n_bound > 500 && n_lets > 20, "{n_bound} bind, {n_lets} with lets");
}
