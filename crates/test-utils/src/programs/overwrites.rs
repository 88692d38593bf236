//! More stores to the elements that a program stores to, so that some of them are written over before anything reads
//! them.
//!
//! In: a program and a seed. Out: the program with stores of constants put in: before a store, as it is, in a branch,
//! in both branches, in a loop; or as a loop over the whole buffer before or after it. Places are chosen regardless of
//! reads between: many of the stores are needed, and a pass that removes others has to tell them apart. A store that
//! would name a variable before its definition is not put in. Threads keep to their own elements, so nothing races that
//! did not. Linear in the size of the program.

use super::tree::{Expr, ExprKind, Extent, Home, Loop, Program, Stmt, StmtKind, Type, VarId};
use crate::Rng;

impl Program {
    /// The program with more stores to the elements that it stores to.
    #[must_use]
    pub fn with_overwrites(mut self, seed: u64) -> Program {
        let mut statements = std::mem::take(&mut self.statements);
        let mut next_var = 1 + largest_var(&statements).unwrap_or(0).max(1_000);
        let mut inserter =
            Inserter { rng: Rng::new(seed), program: &self, next_var: &mut next_var };
        inserter.list(&mut statements, false);
        self.statements = statements;
        self
    }
}

struct Inserter<'p> {
    rng: Rng,
    program: &'p Program,
    next_var: &'p mut VarId,
}

impl Inserter<'_> {
    fn list(&mut self, list: &mut Vec<Stmt>, in_threads: bool) {
        for stmt in list.iter_mut() {
            let is_launch = match stmt.kind {
                StmtKind::Launch(..) => true,
                StmtKind::For(kind, _) => {
                    matches!(kind, Loop::Parallel | Loop::Vectorized | Loop::Thread(_))
                }
                _ => false,
            };
            for body in &mut stmt.bodies {
                self.list(body, in_threads || is_launch);
            }
        }
        let mut at = 0;
        while at < list.len() {
            if matches!(list[at].kind, StmtKind::Store(_)) && self.rng.one_in(2) {
                at += self.around(list, at, in_threads);
            }
            at += 1;
        }
    }

    /// Puts stores before (or after) the store at a place; how many statements came before it.
    fn around(&mut self, list: &mut Vec<Stmt>, at: usize, in_threads: bool) -> usize {
        let store = list[at].clone();
        let StmtKind::Store(buffer) = store.kind else { return 0 };
        let furthest = at - self.rng.below(4).min(at);
        let is_visible =
            |&it: &usize| list[it..at].iter().all(|it| !defines(it, &store.exprs[1..]));
        let place = (furthest..at).find(is_visible).unwrap_or(at);
        if self.rng.one_in(3) {
            let other = self.copy(&store);
            list[at] = self.branch(vec![vec![store.clone()], vec![other]]);
        }
        let mut new = match self.rng.below(5) {
            0 => {
                let copy = self.copy(&store);
                self.branch(vec![vec![copy]])
            }
            1 => {
                let body = vec![self.copy(&store)];
                let (var, extent) = (self.var(), Expr::int(self.rng.below(3) as i64));
                Stmt::with_bodies(StmtKind::For(Loop::Range, var), vec![extent], vec![body])
            }
            _ => self.copy(&store),
        };
        let fill = (!in_threads && self.rng.one_in(4)).then(|| self.fill(buffer)).flatten();
        if let Some(fill) = fill {
            if self.rng.one_in(2) {
                list.insert(at + 1, fill);
                return 1;
            }
            new = fill;
        }
        list.insert(place, new);
        1
    }

    fn var(&mut self) -> VarId {
        *self.next_var += 1;
        *self.next_var
    }

    fn constant(&mut self, ty: Type) -> Expr {
        let text = match ty {
            Type::Bool => "True",
            Type::Float(_) => *self.rng.pick(&["0.0", "1.0", "2.0"]),
            Type::Int(_) | Type::UInt(_) => *self.rng.pick(&["0", "1", "2"]),
        };
        Expr::literal(ty, ty.literal_of(text))
    }

    /// A store of a constant to the same element.
    fn copy(&mut self, store: &Stmt) -> Stmt {
        let mut copy = store.clone();
        copy.exprs[0] = self.constant(store.exprs[0].ty);
        copy
    }

    /// Variable 0 is an `int32` parameter of every program.
    fn branch(&mut self, bodies: Vec<Vec<Stmt>>) -> Stmt {
        let limit = Expr::int(self.rng.below(5) as i64);
        let condition = Expr::infix(Type::Bool, "<", Expr::var(Type::I32, 0), limit);
        Stmt::with_bodies(StmtKind::If, vec![condition], bodies)
    }

    /// Loops over a whole buffer that store a constant.
    fn fill(&mut self, buffer: u32) -> Option<Stmt> {
        let data = &self.program.buffers[buffer as usize];
        if matches!(data.home, Home::View(_)) {
            return None;
        }
        let vars: Vec<VarId> = data.shape.iter().map(|_| self.var()).collect();
        let mut exprs = vec![self.constant(data.ty)];
        exprs.extend(vars.iter().map(|it| Expr::var(Type::I32, *it)));
        let mut stmt = Stmt::new(StmtKind::Store(buffer), exprs);
        for (&var, extent) in vars.iter().zip(&data.shape).rev() {
            let extent = match *extent {
                Extent::Const(n) => Expr::int(n),
                Extent::Var(var) => Expr::var(Type::I32, var),
                // A part of it.
                Extent::Times(_, n) => Expr::int(n),
            };
            stmt =
                Stmt::with_bodies(StmtKind::For(Loop::Range, var), vec![extent], vec![vec![stmt]]);
        }
        Some(stmt)
    }
}

/// Returns true if a statement defines a variable that the expressions name, or makes a buffer.
fn defines(stmt: &Stmt, exprs: &[Expr]) -> bool {
    let names =
        |var: VarId| exprs.iter().any(|it| it.any(&mut |node| node.kind == ExprKind::Var(var)));
    match stmt.kind {
        StmtKind::Let(var, _) | StmtKind::Cell(var, _) => names(var),
        StmtKind::Alloc(_) | StmtKind::View(_) => true,
        _ => false,
    }
}

fn largest_var(statements: &[Stmt]) -> Option<VarId> {
    let of = |stmt: &Stmt| {
        let own = match &stmt.kind {
            StmtKind::Let(var, _)
            | StmtKind::Cell(var, _)
            | StmtKind::For(_, var)
            | StmtKind::While(var, _)
            | StmtKind::Launch(_, var) => Some(*var),
            StmtKind::Block(vars) => vars.iter().map(|it| it.var).max(),
            _ => None,
        };
        own.max(stmt.bodies.iter().filter_map(|it| largest_var(it)).max())
    };
    statements.iter().filter_map(of).max()
}
