//! The state of one run: which values are known where, which bindings were made so far, and how nodes of the body
//! become terms.
//!
//! Statements behind a barrier (a branch, a loop's body) are imported when the run reaches them. Names from enclosing
//! scopes are substituted then ([`Run::import`]): a node that got a name where it is in scope is a variable, whatever
//! is in it. So each text is rewritten at most once for each scope that it is directly in.

use ir::{ExprId, OccurrenceId, OpId, arena::Id, plan::Refusal};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{
    normal::{Class, Normal},
    pool::{Operands, Origin, Pool, Tag, Var, X, tag_of},
};
use crate::cse::{Work, facts::Facts};

/// The place where a variable that the pass makes is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// A statement before an operation.
    Before(OpId),
    /// A let around an occurrence.
    Around(OccurrenceId),
    /// A let around the value of another variable that the pass makes, by its number.
    InValue(usize),
}

/// A variable that the pass makes.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) var: Var,
    pub(super) name: Box<str>,
    pub(super) origin: ExprId,
    /// The lets around that, in its operand.
    pub(super) depth: u32,
    pub(super) home: Home,
    /// Its value in the end.
    pub(super) value: X,
}

/// The bindings that must not be made.
#[derive(Default)]
pub(super) struct Vetoes {
    /// Values that are not to be taken out, by their first form.
    pub(super) values: FxHashMap<ExprId, Refusal>,
    /// Variables of the user that are not to be put in.
    pub(super) users: FxHashSet<Var>,
}

impl Vetoes {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.users.is_empty()
    }
}

/// One run over a body.
pub(super) struct Run<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) pool: Pool<'a>,
    pub(super) normal: Normal,
    pub(super) vetoes: &'a Vetoes,
    pub(super) work: &'a mut Work,
    /// By variable: whether it is in the context.
    known: Vec<bool>,
    /// Values in the context, outermost variable first.
    available: FxHashMap<Class, SmallVec<[Var; 1]>>,
    /// By node of the body: the variable that stands for it here.
    named: Vec<Option<Var>>,
    /// Terms that a variable stands for here: two nodes may become one term when a user's variable is put in.
    forms: FxHashMap<X, Var>,
    /// The earlier entries of [`Run::named`].
    undo: Vec<(ExprId, Option<Var>)>,
    /// Terms of nodes, valid while the stamp is the current one.
    imported: Vec<(u32, X)>,
    stamp: u32,
    has_merged: bool,
    /// True if a term in [`Run::imported`] is a variable by [`Run::forms`], which holds only as long as it is in the
    /// context.
    has_form: bool,
    pub(super) made: Vec<Made>,
    /// By variable that the pass makes: its number.
    pub(super) number_of: FxHashMap<Var, usize>,
    /// Numbers in the order in which the bindings stand.
    pub(super) standing: Vec<usize>,
    /// The last term of each operand that was visited.
    pub(super) results: Vec<(OccurrenceId, X)>,
    names: Box<dyn FnMut() -> Box<str> + 'a>,
    /// The limit on new variables; beyond it no variable of the user is substituted any more, either.
    limit: Option<usize>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        facts: &'a Facts<'a>,
        pool: Pool<'a>,
        normal: Normal,
        vetoes: &'a Vetoes,
        names: Box<dyn FnMut() -> Box<str> + 'a>,
        limit: Option<usize>,
        work: &'a mut Work,
    ) -> Run<'a> {
        let n_exprs = facts.body.n_exprs();
        Run {
            facts,
            known: vec![false; pool.n_vars()],
            pool,
            normal,
            vetoes,
            work,
            available: FxHashMap::default(),
            named: vec![None; n_exprs],
            forms: FxHashMap::default(),
            undo: Vec::new(),
            imported: vec![(0, 0); n_exprs],
            stamp: 1,
            has_merged: false,
            has_form: false,
            made: Vec::new(),
            number_of: FxHashMap::default(),
            standing: Vec::new(),
            results: Vec::new(),
            names,
            limit,
        }
    }

    // ---- the context ----

    /// Adds a variable to the context, with its value if it has one.
    pub(super) fn enter(&mut self, var: Var, value: Option<X>) {
        if self.known.len() <= var as usize {
            self.known.resize(var as usize + 1, false);
        }
        self.known[var as usize] = true;
        if let Some(value) = value.filter(|&it| self.pool.term(it).is_eligible) {
            let class = self.class(value);
            self.available.entry(class).or_default().push(var);
        }
    }

    /// Takes the newest variable out of the context.
    pub(super) fn leave(&mut self, var: Var, value: Option<X>) {
        self.known[var as usize] = false;
        if std::mem::take(&mut self.has_form) {
            self.stamp += 1;
        }
        if let Some(value) = value.filter(|&it| self.pool.term(it).is_eligible) {
            let class = self.class(value);
            if let Some(vars) = self.available.get_mut(&class) {
                vars.retain(|it| *it != var);
            }
        }
    }

    /// The outermost variable that has the value of a term.
    pub(super) fn available(&mut self, class: Class) -> Option<Var> {
        let vars = self.available.get(&class)?;
        let is_usable = |var: &Var| {
            let is_made = self.pool.value_of(*var).is_none();
            is_made || !(self.is_at_limit() || self.vetoes.users.contains(var))
        };
        vars.iter().copied().find(is_usable)
    }

    /// Returns true if no further binding is to be made.
    pub(super) fn is_at_limit(&self) -> bool {
        self.limit.is_some_and(|it| self.made.len() >= it)
    }

    /// Terms of one class are equivalent.
    pub(super) fn class(&mut self, x: X) -> Class {
        self.normal.class(&self.pool, x, self.work)
    }

    /// Returns true if all variables of a term are in the context; `memo` belongs to one context.
    pub(super) fn is_defined(&self, x: X, memo: &mut FxHashMap<X, bool>) -> bool {
        let mut stack = vec![(x, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if memo.contains_key(&at) {
                continue;
            }
            let term = self.pool.term(at);
            if term.has_let {
                memo.insert(at, self.is_defined_with_lets(at));
            } else if !is_ready {
                stack.push((at, true));
                stack.extend(term.operands.iter().map(|&it| (it, false)));
            } else {
                let is_defined = match term.tag {
                    Tag::Var(var) => self.is_known(var),
                    Tag::Unbound(_) | Tag::Unknown(_) => false,
                    _ => term.operands.iter().all(|it| memo.get(it) == Some(&true)),
                };
                memo.insert(at, is_defined);
            }
        }
        memo.get(&x) == Some(&true)
    }

    fn is_known(&self, var: Var) -> bool {
        self.known.get(var as usize).copied().unwrap_or_default()
    }

    /// The variables of lets are their own, so it does not matter where one is met.
    fn is_defined_with_lets(&self, x: X) -> bool {
        let (mut bound, mut free) = (FxHashSet::default(), Vec::new());
        let (mut stack, mut seen) = (vec![x], FxHashSet::default());
        while let Some(at) = stack.pop() {
            if !seen.insert(at) {
                continue;
            }
            let term = self.pool.term(at);
            match term.tag {
                Tag::Var(var) if !self.is_known(var) => free.push(var),
                Tag::Unbound(_) | Tag::Unknown(_) => return false,
                Tag::Let(var) => {
                    bound.insert(var);
                }
                _ => {}
            }
            stack.extend(&term.operands);
        }
        free.iter().all(|it| bound.contains(it))
    }

    // ---- names that were given ----

    /// A mark for [`Run::forget`].
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// From here on a variable stands for a term and for the node that it was made from.
    pub(super) fn name(&mut self, x: X, var: Var) {
        let origin = self.pool.term(x).origin;
        self.undo.push((origin, self.named[origin.index()]));
        self.named[origin.index()] = Some(var);
        self.forms.insert(x, var);
        self.has_merged |= self.pool.value_of(var).is_some();
        self.stamp += 1;
    }

    /// Returns true if terms may have become equal because a user's variable was substituted.
    pub(super) fn has_merged(&self) -> bool {
        self.has_merged
    }

    /// Forgets the names given since the mark.
    pub(super) fn forget(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((origin, before)) = self.undo.pop() {
                self.named[origin.index()] = before;
            }
            self.stamp += 1;
        }
    }

    // ---- import ----

    /// The term of a node, with the values that have a name here replaced.
    pub(super) fn import(&mut self, expr: ExprId) -> X {
        let body = self.facts.body;
        let flags = body.expr(expr).flags;
        if flags.has_binder || flags.open_binders > 0 {
            return self.import_open(expr, &mut Vec::new());
        }
        let mut stack = vec![(expr, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if self.imported[at.index()].0 == self.stamp {
                continue;
            }
            self.work.visited += 1;
            if let Some(var) = self.named[at.index()] {
                let x = self.pool.var(var, body.ty(at), closed(at));
                self.imported[at.index()] = (self.stamp, x);
                continue;
            }
            if !is_ready {
                stack.push((at, true));
                body.each_child(body.expr(at).kind, &mut |child| stack.push((child, false)));
                continue;
            }
            let mut operands = Operands::new();
            body.each_child(body.expr(at).kind, &mut |child| {
                operands.push(self.imported[child.index()].1);
            });
            let x = self.node(at, operands);
            self.imported[at.index()] = (self.stamp, x);
        }
        self.imported[expr.index()].1
    }

    fn node(&mut self, expr: ExprId, operands: Operands) -> X {
        let body = self.facts.body;
        let x = self.pool.make(tag_of(body, expr), body.ty(expr), operands, closed(expr));
        // Equal only since a name was put in.
        match self.forms.get(&x) {
            Some(&var) if self.has_merged && self.is_known(var) => {
                self.has_form = true;
                self.pool.var(var, body.ty(expr), closed(expr))
            }
            _ => x,
        }
    }

    /// Like [`Run::import`] for nodes with lets in them: their variables are new each time.
    fn import_open(&mut self, expr: ExprId, binders: &mut Vec<Var>) -> X {
        ir::stack::with_room(|| {
            let body = self.facts.body;
            let node = body.expr(expr);
            if !node.flags.has_binder && node.flags.open_binders == 0 {
                return self.import(expr);
            }
            self.work.visited += 1;
            let origin = Origin { expr, depth: binders.len() as u32 };
            match node.kind {
                ir::ExprKind::Bound(index) => {
                    let at = binders.len().checked_sub(1 + index as usize);
                    match at.and_then(|it| binders.get(it).copied()) {
                        Some(var) => self.pool.var(var, node.ty, origin),
                        None => {
                            self.pool.make(Tag::Unknown(expr), node.ty, Operands::new(), origin)
                        }
                    }
                }
                ir::ExprKind::Let { value, body: inner } => {
                    let value = self.import_open(value, binders);
                    let var = self.pool.new_var();
                    binders.push(var);
                    let inner = self.import_open(inner, binders);
                    binders.pop();
                    let operands = [value, inner].into_iter().collect();
                    self.pool.make(Tag::Let(var), node.ty, operands, origin)
                }
                ir::ExprKind::Lambda { .. } => {
                    self.pool.make(Tag::Unknown(expr), node.ty, Operands::new(), origin)
                }
                _ => {
                    let children = body.children(expr);
                    let operands =
                        children.into_iter().map(|it| self.import_open(it, binders)).collect();
                    self.pool.make(tag_of(body, expr), node.ty, operands, origin)
                }
            }
        })
    }

    // ---- what is made ----

    /// A new variable for a term.
    pub(super) fn make(&mut self, x: X, home: Home) -> Var {
        let var = self.pool.new_var();
        let name = (self.names)();
        let Origin { expr: origin, depth } = self.pool.term(x).first();
        self.number_of.insert(var, self.made.len());
        self.made.push(Made { var, name, origin, depth, home, value: x });
        if self.known.len() <= var as usize {
            self.known.resize(var as usize + 1, false);
        }
        var
    }

    /// The use of a variable that stands for a term.
    pub(super) fn use_of(&mut self, var: Var, instead_of: X) -> X {
        let term = self.pool.term(instead_of);
        let (ty, origin) = (term.ty, term.first());
        self.pool.var(var, ty, origin)
    }
}

/// A node without free bound variables: the lets around it do not matter.
fn closed(expr: ExprId) -> Origin {
    Origin { expr, depth: 0 }
}
