//! Nests of schedulable blocks, as functions have that are still to be scheduled: loops, a block whose variables are
//! their values, memory of the block, and blocks inside that fill and use it. The outer loops may be bound to threads,
//! each of which has cells of its own.

use super::{
    generate::{Generator, Owner},
    tree::{BlockVar, BufferId, Expr, Extent, Form, Home, Loop, Stmt, StmtKind, Type, VarId},
};

/// Loops of a nest: their kinds and extents.
type Loops = [(Loop, i64); 2];

impl Generator<'_> {
    /// A nest, where one may stand; whether it does.
    pub(super) fn nest(&mut self, depth: usize, list: &mut Vec<Stmt>) -> bool {
        if depth > 2 || self.in_kernel || self.owner.is_some() {
            return false;
        }
        let is_bound = depth == 0 && self.rng.one_in(3);
        let kinds = match (is_bound, self.rng.below(3)) {
            (true, _) => [Loop::Thread("blockIdx.x"), Loop::Thread("threadIdx.x")],
            (false, 0) => [Loop::Unroll, Loop::Range],
            (false, _) => [Loop::Range, Loop::Range],
        };
        let loops = kinds.map(|kind| (kind, 2 + self.rng.below(3) as i64));
        let (vars, buffers) = (self.vars.clone(), self.buffers.clone());
        let n_loops = std::mem::take(&mut self.loops);
        if is_bound {
            self.vars.retain(|it| !it.is_assignable);
        }
        let outer = loops.map(|(_, extent)| self.declare(Type::I32, Some(Extent::Const(extent))));
        let block = self.outer_block(loops, outer, is_bound, depth);
        (self.vars, self.buffers) = (vars, buffers);
        self.loops = n_loops;
        list.push(looped(loops, outer, block));
        true
    }

    /// The block inside both loops.
    fn outer_block(
        &mut self,
        loops: Loops,
        outer: [VarId; 2],
        is_bound: bool,
        depth: usize,
    ) -> Stmt {
        let mut exprs: Vec<Expr> = outer.iter().map(|it| Expr::var(Type::I32, *it)).collect();
        let all = loops[0].1 * loops[1].1;
        let row = |vars: [VarId; 2]| {
            let base =
                Expr::infix(Type::I32, "*", Expr::var(Type::I32, vars[0]), Expr::int(loops[1].1));
            Expr::infix(Type::I32, "+", base, Expr::var(Type::I32, vars[1]))
        };
        if self.rng.one_in(3) {
            let limit = Expr::int(1 + self.rng.below(all as usize) as i64);
            exprs.push(Expr::infix(Type::Bool, "<", row(outer), limit));
        }
        let is_reduction = !is_bound && self.rng.one_in(3);
        let vars = loops.map(|it| self.declare(Type::I32, Some(Extent::Const(it.1))));
        if is_bound {
            self.owner = Some(Owner {
                linear: (row(vars), all),
                square: vars.map(|it| Expr::var(Type::I32, it)),
                in_block: (Expr::var(Type::I32, vars[1]), loops[1].1),
            });
            self.in_kernel = true;
            self.share_out();
        }
        let mut declarations = self.accesses();
        let init = if is_reduction { self.stores(1) } else { Vec::new() };
        let body = self.outer_body(is_bound, depth, &mut declarations);
        if is_bound {
            self.owner = None;
            self.in_kernel = false;
        }
        let block = |at: usize| BlockVar {
            var: vars[at],
            extent: loops[at].1,
            is_reduction: is_reduction && at == 1,
        };
        let kind = StmtKind::Block(vec![block(0), block(1)]);
        Stmt::with_bodies(kind, exprs, vec![body, init, declarations])
    }

    /// Memory of the block, a block that fills it, statements, a block that uses it.
    fn outer_body(
        &mut self,
        is_bound: bool,
        depth: usize,
        declarations: &mut Vec<Stmt>,
    ) -> Vec<Stmt> {
        let extent = 2 + self.rng.below(3) as i64;
        let mut body = Vec::new();
        if !is_bound && !self.rng.one_in(4) {
            let scope = *self.rng.pick(&["global", "shared", "local"]);
            let ty = self.ty();
            let memory = self.new_buffer(ty, vec![Extent::Const(extent)], Home::Block(scope));
            declarations.push(Stmt::new(StmtKind::Alloc(memory), Vec::new()));
            body.push(self.fill(memory, extent));
        }
        body.extend(self.list(depth + 2));
        if !is_bound {
            body.push(self.inner(extent, |it| it.stores(2)));
        }
        body
    }

    /// Loops with a block that writes each element.
    fn fill(&mut self, memory: BufferId, extent: i64) -> Stmt {
        let ty = self.program.buffers[memory as usize].ty;
        self.inner(extent, |it| {
            let var = it.vars.last().expect("the block has a variable").id;
            let value = it.expr(ty, 3);
            vec![Stmt::new(StmtKind::Store(memory), vec![value, Expr::var(Type::I32, var)])]
        })
    }

    /// A loop with a block of one variable.
    fn inner(&mut self, extent: i64, body: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Stmt {
        self.scoped(|it| {
            let outer = it.declare(Type::I32, Some(Extent::Const(extent)));
            let var = it.declare(Type::I32, Some(Extent::Const(extent)));
            let declarations = it.accesses();
            let body = body(it);
            let kind = StmtKind::Block(vec![BlockVar { var, extent, is_reduction: false }]);
            let value = Expr::var(Type::I32, outer);
            let block = Stmt::with_bodies(kind, vec![value], vec![body, Vec::new(), declarations]);
            let kind = StmtKind::For(Loop::Range, outer);
            Stmt::with_bodies(kind, vec![Expr::int(extent)], vec![vec![block]])
        })
    }

    fn stores(&mut self, n: usize) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..n {
            self.store(&mut list);
        }
        list
    }

    /// Returns the declared reads and writes of the block: all elements of all buffers, or nothing.
    fn accesses(&mut self) -> Vec<Stmt> {
        if self.rng.one_in(2) {
            return Vec::new();
        }
        let whole = |at: usize, buffer: BufferId| {
            let shape = &self.program.buffers[buffer as usize].shape;
            let dims: Option<Vec<String>> = shape
                .iter()
                .map(|it| match it {
                    Extent::Const(n) => Some(format!("0:{n}")),
                    Extent::Var(_) | Extent::Times(..) => None,
                })
                .collect();
            dims.map(|it| format!("{{b{at}}}[{}]", it.join(", ")))
        };
        let (mut texts, mut buffers) = (Vec::new(), Vec::new());
        for (buffer, _) in &self.buffers {
            if let Some(text) = whole(buffers.len(), *buffer) {
                texts.push(text);
                buffers.push(*buffer);
            }
        }
        let statement = |name: &str| {
            let text = format!("T.{name}({})", texts.join(", "));
            let form = Form { buffers: buffers.clone(), ..Form::new(&text) };
            Stmt::new(StmtKind::Form(Box::new(form)), Vec::new())
        };
        vec![statement("reads"), statement("writes")]
    }
}

fn looped(loops: Loops, vars: [VarId; 2], inner: Stmt) -> Stmt {
    loops.iter().zip(vars).rev().fold(inner, |inner, (&(kind, extent), var)| {
        Stmt::with_bodies(StmtKind::For(kind, var), vec![Expr::int(extent)], vec![vec![inner]])
    })
}
