//! Expressions of a random program: fresh ones, repeated ones, near misses.

use super::{
    generate::{Access, Generator, Var},
    tree::{BufferId, Expr, ExprKind, Extent, Type},
};
use crate::programs::Features;

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const FLOAT_CALLS: [&str; 9] =
    ["exp", "sqrt", "log2", "fabs", "floor", "sigmoid", "rsqrt", "tanh", "exp2"];

impl Generator<'_> {
    /// An expression, often one that has been computed before.
    pub(super) fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        if depth > 0
            && self.rng.one_in(2)
            && let Some(again) = self.again(ty)
        {
            return again;
        }
        self.fresh(ty, depth)
    }

    pub(super) fn fresh(&mut self, ty: Type, depth: usize) -> Expr {
        let node = if depth == 0 { self.leaf(ty) } else { self.operation(ty, depth) };
        let node = match self.features {
            Features::Unknowns => self.through_unknown(node),
            _ => node,
        };
        if (3..=15).contains(&node.size()) {
            self.pool.push(node.clone());
        }
        node
    }

    /// Something of this type that has been computed and can be computed here, or nearly that.
    fn again(&mut self, ty: Type) -> Option<Expr> {
        for _ in 0..6 {
            if self.pool.is_empty() {
                return None;
            }
            // The newer half more often.
            let n = self.pool.len();
            let from = if self.rng.one_in(2) { n / 2 } else { 0 };
            let at = from + self.rng.below(n - from);
            if self.pool[at].ty != ty {
                continue;
            }
            let found = self.pool[at].clone();
            let found = if self.rng.one_in(4) { self.near_miss(found) } else { found };
            if self.is_allowed(&found) {
                return Some(found);
            }
        }
        None
    }

    /// Returns true if all its names are visible here, and all its loads are readable.
    pub(super) fn is_allowed(&self, node: &Expr) -> bool {
        let mut bound = Vec::new();
        !node.any(&mut |it| match &it.kind {
            &ExprKind::Let(var) => {
                bound.push(var);
                false
            }
            &ExprKind::Var(var) => {
                !bound.contains(&var) && !self.vars.iter().any(|it| it.id == var)
            }
            &ExprKind::Load(buffer) => match self.access(buffer) {
                Access::Free | Access::ReadOnly => false,
                Access::Own => self.own_indices(buffer).as_ref() != Some(&it.operands),
                Access::None => true,
            },
            &ExprKind::Unknown(buffer) => self.access(buffer) != Access::Free,
            ExprKind::Form(form) => form.buffers.iter().any(|&it| {
                !self.program.buffers[it as usize].is_scalable && self.access(it) != Access::Free
            }),
            _ => false,
        })
    }

    pub(super) fn access(&self, buffer: BufferId) -> Access {
        self.buffers.iter().find(|it| it.0 == buffer).map_or(Access::None, |it| it.1)
    }

    /// Another expression of the same type that looks alike; equal in value for some changes, not for others.
    fn near_miss(&mut self, mut node: Expr) -> Expr {
        let n = node.operands.len();
        if let ExprKind::Form(form) = &mut node.kind
            && self.rng.one_in(2)
        {
            self.swap_capture(form);
            return node;
        }
        match self.rng.below(5) {
            0 | 1 if n == 2 && !matches!(node.kind, ExprKind::Let(_) | ExprKind::Load(_)) => {
                if node.operands[0].ty == node.operands[1].ty {
                    node.operands.swap(0, 1);
                    let flipped = match node.kind {
                        ExprKind::Infix("<") => ">",
                        ExprKind::Infix("<=") => ">=",
                        ExprKind::Infix(">") => "<",
                        ExprKind::Infix(">=") => "<=",
                        _ => return node,
                    };
                    node.kind = ExprKind::Infix(flipped);
                }
                node
            }
            2 if n > 0 && !matches!(node.kind, ExprKind::Load(_) | ExprKind::Let(_)) => {
                let at = self.rng.below(n);
                let inner = node.operands.remove(at);
                let inner = self.near_miss(inner);
                node.operands.insert(at, inner);
                node
            }
            3 => reassociated(node),
            _ if n == 0 && !matches!(node.kind, ExprKind::Load(_)) => self.leaf(node.ty),
            _ => node,
        }
    }

    pub(super) fn leaf(&mut self, ty: Type) -> Expr {
        let vars: Vec<u32> = self.vars.iter().filter(|it| it.ty == ty).map(|it| it.id).collect();
        if !vars.is_empty() && !self.rng.one_in(4) {
            return Expr::var(ty, *self.rng.pick(&vars));
        }
        if self.rng.one_in(2)
            && let Some(load) = self.load(ty)
        {
            return load;
        }
        // Only constants would be folded when the text is read.
        let is_int = |it: &&Var| it.ty == Type::I32;
        let ints: Vec<u32> = self.vars.iter().filter(is_int).map(|it| it.id).collect();
        if vars.is_empty() && ty != Type::Bool && !ints.is_empty() && !self.rng.one_in(4) {
            let inner = Expr::var(Type::I32, *self.rng.pick(&ints));
            return Expr::new(ty, ExprKind::Cast, vec![inner]);
        }
        self.literal(ty)
    }

    pub(super) fn literal(&mut self, ty: Type) -> Expr {
        let text = match ty {
            Type::Bool => if self.rng.one_in(2) { "True" } else { "False" }.to_owned(),
            Type::Float(_) => {
                (*self.rng.pick(&["0.0", "1.0", "0.5", "2.0", "-1.5", "3.25"])).into()
            }
            Type::UInt(_) => self.rng.pick(&["0", "1", "2", "3", "5", "8"]).to_string(),
            Type::Int(_) => self.rng.pick(&["0", "1", "2", "3", "-1", "-2", "7", "8"]).to_string(),
        };
        Expr::literal(ty, ty.literal_of(&text))
    }

    /// An element of a buffer that may be read here.
    fn load(&mut self, ty: Type) -> Option<Expr> {
        let can = |it: &&(BufferId, Access)| {
            it.1 != Access::None && self.program.buffers[it.0 as usize].ty == ty
        };
        let sources: Vec<BufferId> = self.buffers.iter().filter(can).map(|it| it.0).collect();
        if sources.is_empty() {
            return None;
        }
        let source = *self.rng.pick(&sources);
        let indices = self.indices(source)?;
        Some(Expr::new(ty, ExprKind::Load(source), indices))
    }

    /// Indices into a buffer that this place may access.
    pub(super) fn indices(&mut self, buffer: BufferId) -> Option<Vec<Expr>> {
        if self.access(buffer) == Access::Own {
            return self.own_indices(buffer);
        }
        let shape = self.program.buffers[buffer as usize].shape.clone();
        Some(shape.into_iter().map(|it| self.index(it)).collect())
    }

    fn index(&mut self, extent: Extent) -> Expr {
        let fits = |below: Extent| match (below, extent) {
            (Extent::Const(below), Extent::Const(extent)) => below <= extent,
            (below, extent) => below == extent,
        };
        let vars: Vec<u32> = self
            .vars
            .iter()
            .filter(|it| it.ty == Type::I32 && it.below.is_some_and(fits))
            .map(|it| it.id)
            .collect();
        if !vars.is_empty() && !self.rng.one_in(3) {
            return Expr::var(Type::I32, *self.rng.pick(&vars));
        }
        let below = |n: i64| if n > 0 { n } else { 1 };
        match (extent, self.rng.below(6)) {
            (Extent::Const(n), 0..=2) => Expr::int(self.rng.between(0, below(n) - 1)),
            (Extent::Const(n), 3) => {
                let inner = self.expr(Type::I32, 1);
                let low = Expr::call(Type::I32, "max", vec![inner, Expr::int(0)]);
                Expr::call(Type::I32, "min", vec![low, Expr::int(below(n) - 1)])
            }
            (Extent::Const(n), _) => {
                let inner = self.expr(Type::I32, 1);
                Expr::infix(Type::I32, "%", inner, Expr::int(below(n)))
            }
            (Extent::Var(_) | Extent::Times(..), 0 | 1) | (Extent::Times(..), _) => Expr::int(0),
            (Extent::Var(var), _) => {
                let inner = self.expr(Type::I32, 1);
                Expr::infix(Type::I32, "%", inner, Expr::var(Type::I32, var))
            }
        }
    }

    fn operation(&mut self, ty: Type, depth: usize) -> Expr {
        match ty {
            Type::Bool => self.condition(depth),
            Type::Float(_) => self.float(ty, depth),
            Type::Int(_) | Type::UInt(_) => self.integer(ty, depth),
        }
    }

    fn condition(&mut self, depth: usize) -> Expr {
        match self.rng.below(12) {
            0..=6 => {
                let ty = if self.rng.one_in(2) { Type::I32 } else { self.ty() };
                let left = self.expr(ty, depth - 1);
                let right = if self.rng.one_in(2) { self.literal(ty) } else { self.leaf(ty) };
                let op = *self.rng.pick(&COMPARISONS);
                Expr::infix(Type::Bool, op, left, right)
            }
            7..=9 => {
                let (left, right) =
                    (self.expr(Type::Bool, depth - 1), self.expr(Type::Bool, depth));
                let op = if self.rng.one_in(2) { "and" } else { "or" };
                Expr::infix(Type::Bool, op, left, right)
            }
            10 => {
                let inner = self.expr(Type::Bool, depth - 1);
                Expr::new(Type::Bool, ExprKind::Prefix("not "), vec![inner])
            }
            _ => self.leaf(Type::Bool),
        }
    }

    /// Two operands of a type.
    fn pair(&mut self, ty: Type, op: &'static str, depth: usize) -> Expr {
        let (left, right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        Expr::infix(ty, op, left, right)
    }

    fn choice(&mut self, ty: Type, name: &'static str, depth: usize) -> Expr {
        let condition = self.expr(Type::Bool, depth - 1);
        let (left, right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        Expr::call(ty, name, vec![condition, left, right])
    }

    fn integer(&mut self, ty: Type, depth: usize) -> Expr {
        match self.rng.below(40) {
            0..=7 => self.pair(ty, "+", depth),
            8..=10 => self.pair(ty, "-", depth),
            11..=16 => self.pair(ty, "*", depth),
            17..=22 => self.division(ty, depth),
            23 | 24 => {
                let name = if self.rng.one_in(2) { "min" } else { "max" };
                let operands = vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
                Expr::call(ty, name, operands)
            }
            25 | 26 => self.choice(ty, "if_then_else", depth),
            27 => self.choice(ty, "Select", depth),
            28 | 29 => {
                let op = *self.rng.pick(&["&", "|", "^"]);
                self.pair(ty, op, depth)
            }
            30 => self.shift(ty, depth),
            31 | 32 => self.cast(ty, depth),
            33 => self.bound(ty, depth),
            34 if ty.bits() >= 32 => {
                let inner = self.expr(ty, depth - 1);
                Expr::call(ty, "popcount", vec![inner])
            }
            35 => {
                let inner = self.expr(ty, depth - 1);
                Expr::new(ty, ExprKind::Prefix("~"), vec![inner])
            }
            _ => self.load(ty).unwrap_or_else(|| self.leaf(ty)),
        }
    }

    fn division(&mut self, ty: Type, depth: usize) -> Expr {
        let left = self.expr(ty, depth - 1);
        let divisor = match self.rng.below(5) {
            0 | 1 => {
                let digits = self.rng.pick(&["2", "3", "4", "7", "8"]).to_string();
                Expr::literal(ty, ty.literal_of(&digits))
            }
            2 => {
                let inner = self.leaf(ty);
                Expr::call(ty, "max", vec![inner, Expr::literal(ty, ty.literal_of("1"))])
            }
            _ => self.leaf(ty),
        };
        // A constant may be zero, and the text of a division by it is an error of its own.
        let is_known =
            !divisor.any(&mut |it| matches!(it.kind, ExprKind::Var(_) | ExprKind::Load(_)));
        let divisor = if is_known { Expr::literal(ty, ty.literal_of("5")) } else { divisor };
        match self.rng.below(6) {
            0 | 1 => Expr::infix(ty, "//", left, divisor),
            2 | 3 => Expr::infix(ty, "%", left, divisor),
            4 => Expr::call(ty, "truncdiv", vec![left, divisor]),
            _ => Expr::call(ty, "truncmod", vec![left, divisor]),
        }
    }

    fn shift(&mut self, ty: Type, depth: usize) -> Expr {
        let left = self.expr(ty, depth - 1);
        let amount = if self.rng.one_in(2) {
            Expr::literal(ty, ty.literal_of(&self.rng.below(usize::from(ty.bits())).to_string()))
        } else {
            let inner = self.leaf(ty);
            let mask = ty.literal_of(&(ty.bits() - 1).to_string());
            Expr::infix(ty, "&", inner, Expr::literal(ty, mask))
        };
        Expr::infix(ty, if self.rng.one_in(2) { "<<" } else { ">>" }, left, amount)
    }

    fn cast(&mut self, ty: Type, depth: usize) -> Expr {
        let from = match self.rng.below(8) {
            0 => Type::Bool,
            1 => self.ty(),
            _ => {
                let from = self.ty();
                if ty.is_integer() && from.is_float() { Type::I32 } else { from }
            }
        };
        let inner = self.expr(from, depth - 1);
        if from == ty {
            return inner;
        }
        Expr::new(ty, ExprKind::Cast, vec![inner])
    }

    /// A value named inside an expression.
    fn bound(&mut self, ty: Type, depth: usize) -> Expr {
        let inner = self.ty();
        let value = self.expr(inner, depth - 1);
        let n = self.pool.len();
        let (var, body) = self.scoped(|it| {
            let var = it.declare(inner, None);
            (var, it.expr(ty, depth - 1))
        });
        // What is made in the binder names its variable, which means nothing elsewhere.
        let names_it = |it: &Expr| it.any(&mut |it| it.kind == ExprKind::Var(var));
        let kept: Vec<Expr> = self.pool.drain(n..).filter(|it| !names_it(it)).collect();
        self.pool.extend(kept);
        Expr::new(ty, ExprKind::Let(var), vec![value, body])
    }

    fn float(&mut self, ty: Type, depth: usize) -> Expr {
        match self.rng.below(32) {
            0..=6 => self.pair(ty, "+", depth),
            7..=9 => self.pair(ty, "-", depth),
            10..=15 => self.pair(ty, "*", depth),
            16 | 17 => self.pair(ty, "/", depth),
            18 | 19 => {
                let name = if self.rng.one_in(2) { "min" } else { "max" };
                let operands = vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
                Expr::call(ty, name, operands)
            }
            20 => self.choice(ty, "if_then_else", depth),
            21 => self.choice(ty, "Select", depth),
            22..=25 => {
                let name = *self.rng.pick(&FLOAT_CALLS);
                let inner = self.expr(ty, depth - 1);
                Expr::call(ty, name, vec![inner])
            }
            26 => {
                let operands = vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
                Expr::call(ty, "pow", operands)
            }
            27 => self.cast(ty, depth),
            28 => self.bound(ty, depth),
            _ => self.load(ty).unwrap_or_else(|| self.leaf(ty)),
        }
    }
}

/// `(a + b) + c` as `a + (b + c)`, `a * (b + c)` as `a * b + a * c`; other expressions stay.
fn reassociated(node: Expr) -> Expr {
    let ExprKind::Infix(op @ ("+" | "*" | "&" | "|" | "^" | "and" | "or")) = node.kind else {
        return node;
    };
    let ty = node.ty;
    let [left, right] = <[Expr; 2]>::try_from(node.operands).expect("an infix has two operands");
    match (&left.kind, &right.kind) {
        (ExprKind::Infix(inner), _) if *inner == op => {
            let [a, b] = <[Expr; 2]>::try_from(left.operands).expect("an infix has two operands");
            Expr::infix(ty, op, a, Expr::infix(ty, op, b, right))
        }
        (_, ExprKind::Infix(inner @ ("+" | "-"))) if op == "*" => {
            let [b, c] = <[Expr; 2]>::try_from(right.operands).expect("an infix has two operands");
            let first = Expr::infix(ty, "*", left.clone(), b);
            Expr::infix(ty, inner, first, Expr::infix(ty, "*", left, c))
        }
        _ => Expr::infix(ty, op, left, right),
    }
}
