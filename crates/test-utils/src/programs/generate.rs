//! Statements of a random program.

use super::tree::{
    BlockVar, Buffer, BufferId, Expr, ExprKind, Extent, Home, Loop, Param, Program, Stmt, StmtKind,
    Type, VarId,
};
use crate::{Rng, programs::Features};

/// The allowed access to a buffer's cells at this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Anything.
    Free,
    /// All may read, none writes.
    ReadOnly,
    /// Each thread reads and writes its own cell.
    Own,
    /// Nothing.
    None,
}

/// A variable in scope.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) id: VarId,
    pub(super) ty: Type,
    /// A mutable cell that may be assigned here.
    pub(super) is_assignable: bool,
    /// Its values are below this, and not negative.
    pub(super) below: Option<Extent>,
}

/// The place where the threads are that own cells.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    /// Index into buffers of one dimension, and how many there are.
    pub(super) linear: (Expr, i64),
    /// Indices into buffers of two dimensions.
    pub(super) square: [Expr; 2],
    /// Index into shared buffers of one block.
    pub(super) in_block: (Expr, i64),
}

/// The state of the generation.
pub(super) struct Generator<'f> {
    pub(super) features: Features<'f>,
    pub(super) rng: Rng,
    pub(super) program: Program,
    pub(super) vars: Vec<Var>,
    /// The visible buffers, and the allowed access to each.
    pub(super) buffers: Vec<(BufferId, Access)>,
    /// The expressions computed so far.
    pub(super) pool: Vec<Expr>,
    pub(super) next_var: VarId,
    /// Statements that may still be made.
    budget: usize,
    pub(super) owner: Option<Owner>,
    pub(super) in_kernel: bool,
    pub(super) loops: usize,
    /// Calls and vectors that have been made, to be made again.
    pub(super) made: Vec<Expr>,
    /// The operator that is called next: programs of consecutive seeds call all of them.
    pub(super) next_name: usize,
}

/// The types that programs use, the common ones often.
const TYPES: [Type; 16] = [
    Type::I32,
    Type::I32,
    Type::I32,
    Type::I32,
    Type::Float(32),
    Type::Float(32),
    Type::Float(32),
    Type::Int(64),
    Type::Int(64),
    Type::Float(16),
    Type::Float(64),
    Type::Int(8),
    Type::Int(16),
    Type::UInt(8),
    Type::UInt(32),
    Type::UInt(64),
];

pub(super) fn program(seed: u64, features: Features<'_>) -> Program {
    let mut generator = Generator {
        features,
        rng: Rng::new(seed),
        program: Program {
            is_noalias: false,
            captures: Vec::new(),
            params: Vec::new(),
            buffers: Vec::new(),
            statements: Vec::new(),
        },
        vars: Vec::new(),
        buffers: Vec::new(),
        pool: Vec::new(),
        next_var: 0,
        budget: 0,
        owner: None,
        in_kernel: false,
        loops: 0,
        made: Vec::new(),
        next_name: (seed as usize).wrapping_mul(4),
    };
    generator.program.is_noalias = generator.rng.one_in(2);
    generator.parameters();
    match features {
        Features::Unknowns => generator.captures(),
        Features::Scalable => generator.scalable_parameters(),
        _ => {}
    }
    generator.budget = 4 + generator.rng.below(16);
    let statements = if generator.rng.one_in(4) { generator.kernels() } else { generator.list(0) };
    generator.program.statements = statements;
    if let Features::Unknowns = features {
        generator.capture_shapes();
    }
    generator.program
}

impl Generator<'_> {
    pub(super) fn ty(&mut self) -> Type {
        *self.rng.pick(&TYPES)
    }

    pub(super) fn new_var(&mut self) -> VarId {
        self.next_var += 1;
        self.next_var - 1
    }

    pub(super) fn declare(&mut self, ty: Type, below: Option<Extent>) -> VarId {
        let id = self.new_var();
        self.vars.push(Var { id, ty, is_assignable: false, below });
        id
    }

    fn parameters(&mut self) {
        for at in 0..2 + self.rng.below(4) {
            let ty = if at < 2 {
                Type::I32
            } else if self.rng.one_in(6) {
                Type::Bool
            } else {
                self.ty()
            };
            let var = self.declare(ty, None);
            self.program.params.push(Param::Scalar(var, ty));
        }
        let first = self.ty();
        for at in 0..2 + self.rng.below(3) {
            let ty = if at < 2 && !self.rng.one_in(4) { first } else { self.ty() };
            let shape = match self.rng.below(8) {
                0 | 1 => vec![Extent::Const(4), Extent::Const(4)],
                2 => vec![Extent::Var(0)],
                _ => vec![Extent::Const(16)],
            };
            let id = self.new_buffer(ty, shape, Home::Param);
            self.program.params.push(Param::Buffer(id));
        }
        // The first one is the length that shapes name: it must be known before them.
        let Generator { rng, program, .. } = self;
        rng.shuffle(&mut program.params[1..]);
    }

    pub(super) fn new_buffer(&mut self, ty: Type, shape: Vec<Extent>, home: Home) -> BufferId {
        let id = self.program.buffers.len() as BufferId;
        self.program.buffers.push(Buffer { ty, shape, home, is_scalable: false });
        let access = match home {
            Home::View(of) => self.view_access(of),
            Home::Param | Home::Alloc(_) | Home::Block(_) => Access::Free,
        };
        self.buffers.push((id, access));
        id
    }

    fn view_access(&self, of: BufferId) -> Access {
        match self.buffers.iter().find(|(id, _)| *id == of) {
            Some((_, access @ (Access::Free | Access::ReadOnly))) => *access,
            _ => Access::None,
        }
    }

    /// Runs `inner` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let (vars, buffers) = (self.vars.len(), self.buffers.len());
        let result = inner(self);
        self.vars.truncate(vars);
        self.buffers.truncate(buffers);
        result
    }

    /// A list of statements in a scope of its own.
    pub(super) fn list(&mut self, depth: usize) -> Vec<Stmt> {
        self.scoped(|it| {
            let mut list = Vec::new();
            let n = if depth == 0 { 3 + it.rng.below(6) } else { 1 + it.rng.below(3) };
            for _ in 0..n {
                if it.budget == 0 && !list.is_empty() {
                    break;
                }
                if it.rng.one_in(5) {
                    it.motif(depth, &mut list);
                } else {
                    it.statement(depth, &mut list);
                }
                if matches!(
                    list.last().map(|it| &it.kind),
                    Some(StmtKind::Break | StmtKind::Continue | StmtKind::Return)
                ) {
                    break;
                }
            }
            list
        })
    }

    fn statement(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        self.budget = self.budget.saturating_sub(1);
        let is_deep = depth >= 4 || self.budget == 0;
        if self.feature(depth, list) {
            return;
        }
        match self.rng.below(40) {
            0..=5 if !is_deep => self.branch(depth, list),
            6..=11 if !is_deep => self.for_loop(depth, list),
            12 if !is_deep => self.while_loop(depth, list),
            13 | 14 if !is_deep => self.concurrent_loop(depth, list),
            15 if !is_deep && !self.in_kernel => self.block(depth, list),
            16..=19 => self.binding(list),
            20 => self.cell(list),
            21 | 22 => self.assign(list),
            23 => self.allocation(list),
            24 => self.view(list),
            25 if depth > 0 => self.jump(list),
            26 if !self.in_kernel && self.owner.is_none() => {
                let condition = self.expr(Type::Bool, 2);
                list.push(Stmt::new(StmtKind::Assert, vec![condition]));
            }
            27 if !self.in_kernel && self.owner.is_none() => self.unknown_call(list),
            _ => self.store(list),
        }
    }

    /// A statement of the program's features; whether there was one to make here.
    fn feature(&mut self, depth: usize, list: &mut Vec<Stmt>) -> bool {
        match self.features {
            Features::Usual => false,
            _ if !self.rng.one_in(3) => false,
            Features::Unknowns => self.unknown_statement(list),
            Features::Calls(names) => self.operator_call(names, list),
            Features::Scalable => self.vector_store(list),
            Features::Blocks => self.nest(depth, list),
        }
    }

    /// A call that may read and write all that it can reach. It stands alone: the order of operands is not defined.
    fn unknown_call(&mut self, list: &mut Vec<Stmt>) {
        if self.buffers.is_empty() {
            return;
        }
        let (buffer, _) = *self.rng.pick(&self.buffers);
        let ty = self.ty();
        let operand = self.expr(ty, 2);
        let ty = self.ty();
        let call = Expr::new(ty, ExprKind::Unknown(buffer), vec![operand]);
        if self.rng.one_in(2) {
            return list.push(Stmt::new(StmtKind::Evaluate, vec![call]));
        }
        let var = self.declare(ty, None);
        list.push(Stmt::new(StmtKind::Let(var, ty), vec![call]));
    }

    /// The same value twice or more, with something between.
    fn motif(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        let Some(target) = self.target() else { return self.statement(depth, list) };
        let value = self.fresh(self.program.buffers[target as usize].ty, 3);
        let condition = self.expr(Type::Bool, 2);
        for at in 0..2 + self.rng.below(2) {
            if at > 0 && self.rng.one_in(2) {
                self.statement(depth + 2, list);
            }
            if !self.is_allowed(&value) || !self.is_allowed(&condition) {
                return;
            }
            let Some(store) = self.store_of(target, value.clone()) else { return };
            let stmt = match self.rng.below(5) {
                0 | 1 => store,
                2 | 3 => {
                    Stmt::with_bodies(StmtKind::If, vec![condition.clone()], vec![vec![store]])
                }
                _ => {
                    let (extent, _) = self.extent();
                    let var = self.new_var();
                    let kind = StmtKind::For(Loop::Range, var);
                    Stmt::with_bodies(kind, vec![extent], vec![vec![store]])
                }
            };
            list.push(stmt);
        }
    }

    // ---- simple statements ----

    /// A buffer that may be written here.
    pub(super) fn target(&mut self) -> Option<BufferId> {
        let can = |it: &&(BufferId, Access)| matches!(it.1, Access::Free | Access::Own);
        let targets: Vec<BufferId> = self.buffers.iter().filter(can).map(|it| it.0).collect();
        (!targets.is_empty()).then(|| *self.rng.pick(&targets))
    }

    pub(super) fn store_of(&mut self, target: BufferId, value: Expr) -> Option<Stmt> {
        let mut exprs = vec![value];
        exprs.extend(self.indices(target)?);
        Some(Stmt::new(StmtKind::Store(target), exprs))
    }

    pub(super) fn store(&mut self, list: &mut Vec<Stmt>) {
        let Some(target) = self.target() else { return };
        let value = self.expr(self.program.buffers[target as usize].ty, 3);
        list.extend(self.store_of(target, value));
    }

    fn binding(&mut self, list: &mut Vec<Stmt>) {
        let ty = if self.rng.one_in(6) { Type::Bool } else { self.ty() };
        let value = self.expr(ty, 3);
        let var = self.declare(ty, None);
        list.push(Stmt::new(StmtKind::Let(var, ty), vec![value]));
    }

    fn cell(&mut self, list: &mut Vec<Stmt>) {
        let ty = self.ty();
        let value = self.expr(ty, 2);
        let id = self.new_var();
        self.vars.push(Var { id, ty, is_assignable: true, below: None });
        list.push(Stmt::new(StmtKind::Cell(id, ty), vec![value]));
    }

    fn assign(&mut self, list: &mut Vec<Stmt>) {
        let cells: Vec<(VarId, Type)> =
            self.vars.iter().filter(|it| it.is_assignable).map(|it| (it.id, it.ty)).collect();
        if cells.is_empty() {
            return self.store(list);
        }
        let (var, ty) = *self.rng.pick(&cells);
        let value = self.expr(ty, 3);
        list.push(Stmt::new(StmtKind::Assign(var), vec![value]));
    }

    fn allocation(&mut self, list: &mut Vec<Stmt>) {
        let ty = self.ty();
        let scope = if self.in_kernel || self.rng.one_in(2) { "local" } else { "global" };
        let extent = 1 + self.rng.below(4) as i64;
        let value = self.expr(ty, 2);
        let id = self.new_buffer(ty, vec![Extent::Const(extent)], Home::Alloc(scope));
        list.push(Stmt::new(StmtKind::Alloc(id), Vec::new()));
        if !self.rng.one_in(6) {
            let var = self.new_var();
            let store = Stmt::new(StmtKind::Store(id), vec![value, Expr::var(Type::I32, var)]);
            let kind = StmtKind::For(Loop::Range, var);
            list.push(Stmt::with_bodies(kind, vec![Expr::int(extent)], vec![vec![store]]));
        }
    }

    /// A view with elements of the same width, of another shape or type.
    fn view(&mut self, list: &mut Vec<Stmt>) {
        if self.buffers.is_empty() {
            return;
        }
        let (of, access) = *self.rng.pick(&self.buffers);
        let buffer = &self.program.buffers[of as usize];
        let n: Option<i64> = buffer.shape.iter().try_fold(1, |n, extent| match extent {
            Extent::Const(extent) => Some(n * extent),
            Extent::Var(_) | Extent::Times(..) => None,
        });
        let (ty, Some(n)) = (buffer.ty, n) else { return };
        if !matches!(access, Access::Free | Access::ReadOnly) {
            return;
        }
        let same_width: Vec<Type> =
            TYPES.iter().copied().filter(|it| it.bits() == ty.bits()).collect();
        let ty = if self.rng.one_in(2) { ty } else { *self.rng.pick(&same_width) };
        let id = self.new_buffer(ty, vec![Extent::Const(n)], Home::View(of));
        list.push(Stmt::new(StmtKind::View(id), Vec::new()));
    }

    fn jump(&mut self, list: &mut Vec<Stmt>) {
        let kind = match self.rng.below(3) {
            0 if self.loops > 0 => StmtKind::Break,
            1 if self.loops > 0 => StmtKind::Continue,
            2 if self.owner.is_none() => {
                list.push(Stmt::new(StmtKind::Return, vec![Expr::int(0)]));
                return;
            }
            _ => return self.store(list),
        };
        list.push(Stmt::new(kind, Vec::new()));
    }

    // ---- statements with bodies ----

    fn branch(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        let condition = self.expr(Type::Bool, 2);
        let mut bodies = vec![self.list(depth + 1)];
        if self.rng.one_in(2) {
            bodies.push(self.list(depth + 1));
        }
        list.push(Stmt::with_bodies(StmtKind::If, vec![condition], bodies));
    }

    /// An extent, small in most runs, and the knowledge of it.
    pub(super) fn extent(&mut self) -> (Expr, Option<Extent>) {
        if let Features::Unknowns = self.features
            && self.rng.one_in(3)
        {
            return (self.captured_int(), None);
        }
        match self.rng.below(8) {
            0 | 1 => (Expr::var(Type::I32, 0), Some(Extent::Var(0))),
            2 => {
                let inner = self.expr(Type::I32, 2);
                (Expr::infix(Type::I32, "%", inner, Expr::int(4)), Some(Extent::Const(4)))
            }
            3 => {
                let inner = self.expr(Type::I32, 1);
                (Expr::call(Type::I32, "min", vec![inner, Expr::int(3)]), Some(Extent::Const(3)))
            }
            4 => (Expr::int(0), Some(Extent::Const(0))),
            _ => {
                let n = 1 + self.rng.below(4) as i64;
                (Expr::int(n), Some(Extent::Const(n)))
            }
        }
    }

    fn for_loop(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        let (extent, below) = self.extent();
        let (kind, exprs, below) = match self.rng.below(6) {
            0 => {
                let low = self.expr(Type::I32, 1);
                let high = Expr::infix(Type::I32, "+", low.clone(), extent);
                (Loop::Serial, vec![low, high], None)
            }
            1 => (Loop::Unroll, vec![extent], below),
            _ => (Loop::Range, vec![extent], below),
        };
        self.loops += 1;
        let (var, body) = self.scoped(|it| {
            let var = it.declare(Type::I32, below);
            (var, it.list(depth + 1))
        });
        self.loops -= 1;
        list.push(Stmt::with_bodies(StmtKind::For(kind, var), exprs, vec![body]));
    }

    fn while_loop(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        let condition = self.expr(Type::Bool, 2);
        let limit = 1 + self.rng.below(4) as u8;
        let id = self.new_var();
        self.loops += 1;
        let body = self.scoped(|it| {
            it.vars.push(Var { id, ty: Type::I32, is_assignable: false, below: None });
            it.list(depth + 1)
        });
        self.loops -= 1;
        let kind = StmtKind::While(id, limit);
        list.push(Stmt::with_bodies(kind, vec![condition], vec![body]));
    }

    fn block(&mut self, depth: usize, list: &mut Vec<Stmt>) {
        if self.owner.is_some() {
            return self.store(list);
        }
        let loops = std::mem::take(&mut self.loops);
        let stmt = self.scoped(|it| {
            let n = 1 + it.rng.below(2);
            let is_reduction = it.rng.one_in(3);
            let mut exprs: Vec<Expr> = (0..n)
                .map(|_| {
                    let inner = it.expr(Type::I32, 2);
                    Expr::infix(Type::I32, "%", inner, Expr::int(4))
                })
                .collect();
            // The predicate is evaluated outside: it sees no variable of the block.
            if it.rng.one_in(3) {
                exprs.push(it.expr(Type::Bool, 2));
            }
            let mut vars = Vec::new();
            for at in 0..n {
                let var = it.declare(Type::I32, Some(Extent::Const(4)));
                let is_reduction = is_reduction && at + 1 == n;
                vars.push(BlockVar { var, extent: 4, is_reduction });
            }
            let mut bodies = Vec::new();
            if is_reduction {
                let mut init = Vec::new();
                it.store(&mut init);
                bodies.push(init);
            }
            bodies.insert(0, it.list(depth + 1));
            Stmt::with_bodies(StmtKind::Block(vars), exprs, bodies)
        });
        self.loops = loops;
        list.push(stmt);
    }
}
