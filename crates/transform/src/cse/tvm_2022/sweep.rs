//! One sweep: from a table of computations to the variables that are used or made for them.
//!
//! In: the largest computations of a root with their counts, in the order they are met. They are looked at by size,
//! large first, and in the order in which they came among equals; one that gets no variable is split, and its parts
//! come after all of their size. That is a queue for each size: parts are smaller than the whole. Out: [`Given`], in
//! the order in which the variables were given. O(terms of the root · log).
//!
//! A replacement walks all of the root each time in TVM. Here all replacements of a sweep are made in one walk
//! ([`Replacing`]): earlier ones are met first on the way down, as they are larger. Only a user's variable that is put
//! in can make a term that was given a variable later in the same sweep; that is looked for on the way up.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    normal::Class,
    pool::{Operands, Var, X},
    run::{Home, Run},
};

/// A term that is replaced by a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) x: X,
    pub(super) var: Var,
    /// True if the variable is new.
    pub(super) is_made: bool,
}

/// The computations of a root: terms and counts.
#[derive(Default)]
pub(super) struct Table {
    entries: Vec<(X, u32)>,
    of_class: FxHashMap<Class, usize>,
    /// Entries by size, in the order to look at them.
    queues: BTreeMap<u32, Vec<usize>>,
}

impl Run<'_> {
    /// Adds computations that are met.
    pub(super) fn count(&mut self, table: &mut Table, x: X, n: u32) {
        let class = self.class(x);
        match table.of_class.get(&class) {
            Some(&at) => table.entries[at].1 += n,
            None => {
                table.of_class.insert(class, table.entries.len());
                let size = self.pool.term(x).size;
                table.queues.entry(size).or_default().push(table.entries.len());
                table.entries.push((x, n));
            }
        }
        self.work.visited += 1;
    }

    /// Looks at all computations of a table. `new_home`: the place where new variables are bound.
    pub(super) fn sweep(&mut self, mut table: Table, new_home: Home) -> Vec<Given> {
        let mut given = Vec::new();
        let mut defined = FxHashMap::default();
        let mut parts = Vec::new();
        while let Some((_, queue)) = table.queues.pop_last() {
            for at in queue {
                let (x, n) = table.entries[at];
                self.work.visited += 1;
                let class = self.class(x);
                if let Some(var) = self.available(class) {
                    given.push(Given { x, var, is_made: false });
                } else if n >= 2 && self.may_make(x) && self.is_defined(x, &mut defined) {
                    let var = self.make(x, new_home);
                    given.push(Given { x, var, is_made: true });
                } else {
                    parts.clear();
                    self.pool.parts(x, &mut parts);
                    for &part in &parts {
                        self.count(&mut table, part, 1);
                    }
                }
            }
        }
        given
    }

    fn may_make(&self, x: X) -> bool {
        let origin = self.pool.term(x).origin;
        !self.is_at_limit() && !self.vetoes.values.contains_key(&origin)
    }
}

/// The replacements of one sweep.
pub(super) struct Replacing {
    /// By class: the variable, and which replacement it is.
    of_class: FxHashMap<Class, (Var, u32)>,
    has_user_variables: bool,
    /// The rewritten terms, with the last replacement of a user's variable in each.
    memo: FxHashMap<X, (X, Option<u32>)>,
}

impl Replacing {
    pub(super) fn new(run: &mut Run<'_>, given: &[Given]) -> Replacing {
        let mut of_class = FxHashMap::default();
        for (at, it) in given.iter().enumerate() {
            of_class.insert(run.class(it.x), (it.var, at as u32));
        }
        let has_user_variables = given.iter().any(|it| !it.is_made);
        Replacing { of_class, has_user_variables, memo: FxHashMap::default() }
    }

    /// The term after the replacements.
    pub(super) fn apply(&mut self, run: &mut Run<'_>, x: X) -> X {
        self.visit(run, x).0
    }

    /// The value of a new variable after the replacements: those inside it.
    pub(super) fn apply_inside(&mut self, run: &mut Run<'_>, x: X) -> X {
        self.operands(run, x).0
    }

    fn visit(&mut self, run: &mut Run<'_>, x: X) -> (X, Option<u32>) {
        if let Some(&known) = self.memo.get(&x) {
            return known;
        }
        run.work.visited += 1;
        let result = match self.replacement(run, x) {
            Some((var, at)) => (run.use_of(var, x), self.mark(run, var, at)),
            None => self.operands(run, x),
        };
        self.memo.insert(x, result);
        result
    }

    fn mark(&self, run: &Run<'_>, var: Var, at: u32) -> Option<u32> {
        (self.has_user_variables && run.pool.value_of(var).is_some()).then_some(at)
    }

    fn replacement(&self, run: &mut Run<'_>, x: X) -> Option<(Var, u32)> {
        if !run.pool.term(x).is_eligible {
            return None;
        }
        let class = run.class(x);
        self.of_class.get(&class).copied()
    }

    fn operands(&mut self, run: &mut Run<'_>, x: X) -> (X, Option<u32>) {
        ir::stack::with_room(|| {
            let old = run.pool.term(x).operands.clone();
            let mut last = None;
            let new: Operands = old
                .iter()
                .map(|&it| {
                    let (new, at) = self.visit(run, it);
                    last = last.max(at);
                    new
                })
                .collect();
            let new = run.pool.with_operands(x, new);
            // What was given a variable before, was not this term yet.
            if let Some(at) = last
                && let Some((var, later)) = self.replacement(run, new)
                && later > at
            {
                return (run.use_of(var, new), last);
            }
            (new, last)
        })
    }
}
