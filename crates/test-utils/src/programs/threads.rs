//! Concurrent parts: kernels, parallel and vectorised loops. Each thread has cells of its own.

use super::{
    generate::{Access, Generator, Owner},
    tree::{BufferId, Expr, Extent, Home, Loop, Stmt, StmtKind, Type},
};

impl Generator<'_> {
    /// Host code with one or two kernels.
    pub(super) fn kernels(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        if self.rng.one_in(2) {
            self.host(&mut list);
        }
        for _ in 0..1 + self.rng.below(2) {
            let (vars, buffers) = (self.vars.clone(), self.buffers.clone());
            self.kernel(&mut list);
            (self.vars, self.buffers) = (vars, buffers);
            if self.rng.one_in(3) {
                self.host(&mut list);
            }
        }
        list
    }

    fn host(&mut self, list: &mut Vec<Stmt>) {
        for _ in 0..1 + self.rng.below(2) {
            if self.rng.one_in(2) {
                let ty = self.ty();
                let value = self.expr(ty, 3);
                let var = self.declare(ty, None);
                list.push(Stmt::new(StmtKind::Let(var, ty), vec![value]));
            } else {
                self.store(list);
            }
        }
    }

    fn kernel(&mut self, list: &mut Vec<Stmt>) {
        let (blocks, threads) = (1 + self.rng.below(3) as i64, 2 + self.rng.below(3) as i64);
        let is_launch = !self.rng.one_in(4);
        self.vars.retain(|it| !it.is_assignable);
        let block = self.declare(Type::I32, Some(Extent::Const(blocks)));
        let thread = self.declare(Type::I32, Some(Extent::Const(threads)));
        let (bx, tx) = (Expr::var(Type::I32, block), Expr::var(Type::I32, thread));
        let base = Expr::infix(Type::I32, "*", bx.clone(), Expr::int(threads));
        let linear = Expr::infix(Type::I32, "+", base, tx.clone());
        self.owner = Some(Owner {
            linear: (linear, blocks * threads),
            square: [bx, tx.clone()],
            in_block: (tx, threads),
        });
        self.in_kernel = true;
        self.share_out();
        let mut body = Vec::new();
        if self.rng.one_in(2) {
            self.shared_tile(threads, &mut body);
        }
        for _ in 0..1 + self.rng.below(3) {
            body.extend(self.list(1));
            if self.rng.one_in(2) {
                self.barrier(&mut body);
            }
        }
        self.in_kernel = false;
        self.owner = None;
        let nest = |kind: StmtKind, extent: i64, body: Vec<Stmt>| {
            vec![Stmt::with_bodies(kind, vec![Expr::int(extent)], vec![body])]
        };
        let (outer, inner) = if is_launch {
            (StmtKind::Launch("blockIdx.x", block), StmtKind::Launch("threadIdx.x", thread))
        } else {
            let of = |tag, var| StmtKind::For(Loop::Thread(tag), var);
            (of("blockIdx.x", block), of("threadIdx.x", thread))
        };
        list.extend(nest(outer, blocks, nest(inner, threads, body)));
    }

    /// A barrier: shared memory gets new owners.
    fn barrier(&mut self, body: &mut Vec<Stmt>) {
        body.push(Stmt::new(StmtKind::Sync, Vec::new()));
        for at in 0..self.buffers.len() {
            let id = self.buffers[at].0;
            if self.program.buffers[id as usize].home == Home::Alloc("shared") {
                let access = if self.rng.one_in(2) { Access::Own } else { Access::ReadOnly };
                self.buffers[at].1 = access;
            }
        }
    }

    fn shared_tile(&mut self, threads: i64, body: &mut Vec<Stmt>) {
        let ty = self.ty();
        let value = self.expr(ty, 2);
        let id = self.new_buffer(ty, vec![Extent::Const(threads)], Home::Alloc("shared"));
        self.set_access(id, Access::Own);
        body.push(Stmt::new(StmtKind::Alloc(id), Vec::new()));
        let own = self.own_indices(id).expect("a tile has a cell for each thread");
        let exprs = std::iter::once(value).chain(own).collect();
        body.push(Stmt::new(StmtKind::Store(id), exprs));
    }

    fn set_access(&mut self, buffer: BufferId, access: Access) {
        if let Some(entry) = self.buffers.iter_mut().find(|it| it.0 == buffer) {
            entry.1 = access;
        }
    }

    /// Gives each visible buffer to the threads cell by cell, or to all for reading.
    pub(super) fn share_out(&mut self) {
        for at in 0..self.buffers.len() {
            let id = self.buffers[at].0;
            let is_view = matches!(self.program.buffers[id as usize].home, Home::View(_));
            let access = match self.buffers[at].1 {
                _ if self.in_kernel
                    && self.program.buffers[self.program.root(id) as usize].home
                        == Home::Alloc("local") =>
                {
                    Access::None
                }
                Access::Free if is_view => {
                    let root = self.program.root(id);
                    match self.access(root) {
                        Access::ReadOnly => Access::ReadOnly,
                        _ => Access::None,
                    }
                }
                Access::Free if self.own_indices(id).is_some() && !self.rng.one_in(3) => {
                    Access::Own
                }
                Access::Free => Access::ReadOnly,
                other => other,
            };
            self.buffers[at].1 = access;
        }
    }

    /// The cell that belongs to the current thread, if the buffer has one for each.
    pub(super) fn own_indices(&self, buffer: BufferId) -> Option<Vec<Expr>> {
        let owner = self.owner.as_ref()?;
        let data = &self.program.buffers[buffer as usize];
        let is_shared = data.home == Home::Alloc("shared");
        match data.shape[..] {
            [Extent::Const(n)] if is_shared => {
                (owner.in_block.1 <= n).then(|| vec![owner.in_block.0.clone()])
            }
            [Extent::Const(n)] => (owner.linear.1 <= n).then(|| vec![owner.linear.0.clone()]),
            [Extent::Const(n), Extent::Const(m)] => {
                (n >= 4 && m >= 4).then(|| owner.square.to_vec())
            }
            _ => None,
        }
    }

    /// A parallel or vectorised loop in code that is not in one.
    pub(super) fn concurrent_loop(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        if self.owner.is_some() {
            return self.store(list);
        }
        let is_vector = self.rng.one_in(2);
        let extent = 2 + self.rng.below(3) as i64;
        let (vars, buffers) = (self.vars.clone(), self.buffers.clone());
        for var in &mut self.vars {
            var.is_assignable = false;
        }
        let var = self.declare(Type::I32, Some(Extent::Const(extent)));
        let index = Expr::var(Type::I32, var);
        self.owner = Some(Owner {
            linear: (index.clone(), extent),
            square: [index.clone(), Expr::int(1)],
            in_block: (index, extent),
        });
        self.share_out();
        let body = if is_vector {
            let mut body = Vec::new();
            for _ in 0..1 + self.rng.below(2) {
                self.store(&mut body);
            }
            body
        } else {
            self.list(depth + 1)
        };
        self.owner = None;
        (self.vars, self.buffers) = (vars, buffers);
        let kind = if is_vector { Loop::Vectorized } else { Loop::Parallel };
        let kind = StmtKind::For(kind, var);
        list.push(Stmt::with_bodies(kind, vec![Expr::int(extent)], vec![body]));
    }
}
