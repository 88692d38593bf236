//! Smaller programs that still fail: delta debugging on the tree.
//!
//! A step proposes programs with something less: statements dropped (large stretches first), a statement replaced by
//! its body, an expression by one of its operands or by a literal, a parameter gone. The first that still fails is the
//! next to shrink. Proposals may be ill-formed (a name without a definition): the caller's test rejects them.

use super::{
    any,
    tree::{Expr, ExprKind, Param, Program, Stmt, StmtKind, Type},
};

impl Program {
    /// The smallest program found for which `fails` holds, with at most so many questions.
    pub fn shrink(&self, fails: &mut dyn FnMut(&Program) -> bool, limit: usize) -> Program {
        let mut best = self.clone();
        let mut asked = 0;
        loop {
            let before = asked;
            let mut has_changed = false;
            for pass in [statements, expressions, parameters] {
                let mut at = 0;
                while let Some(candidate) = pass(&best, at) {
                    asked += 1;
                    if asked > limit {
                        return best;
                    }
                    if candidate != best && fails(&candidate) {
                        best = candidate;
                        has_changed = true;
                    } else {
                        at += 1;
                    }
                }
            }
            if !has_changed || asked == before {
                return best;
            }
        }
    }
}

/// The `at`-th proposal about statements: each is dropped with its followers of half, a quarter … of its list, or
/// alone, or gives way to its body.
fn statements(program: &Program, at: usize) -> Option<Program> {
    let mut result = program.clone();
    let mut left = at;
    edit_lists(&mut result.statements, &mut left).then_some(result)
}

fn edit_lists(list: &mut Vec<Stmt>, left: &mut usize) -> bool {
    let n = list.len();
    let mut size = n;
    while size > 0 {
        let chunks = n.div_ceil(size);
        if *left < chunks {
            let start = *left * size;
            list.drain(start..(start + size).min(n));
            return true;
        }
        *left -= chunks;
        size /= 2;
    }
    for at in 0..n {
        for body in 0..list[at].bodies.len() {
            if *left == 0 {
                let inner = std::mem::take(&mut list[at].bodies[body]);
                list.splice(at..=at, inner);
                return true;
            }
            *left -= 1;
        }
        if list[at].kind == StmtKind::If && list[at].bodies.len() == 2 {
            if *left == 0 {
                list[at].bodies.pop();
                return true;
            }
            *left -= 1;
        }
        for body in &mut list[at].bodies {
            if edit_lists(body, left) {
                return true;
            }
        }
    }
    false
}

/// The `at`-th proposal about expressions: an operand of the same type, or a literal, in place of a node.
fn expressions(program: &Program, at: usize) -> Option<Program> {
    let mut result = program.clone();
    let mut left = at;
    edit_statements(&mut result.statements, &mut left).then_some(result)
}

fn edit_statements(list: &mut [Stmt], left: &mut usize) -> bool {
    list.iter_mut().any(|stmt| {
        stmt.exprs.iter_mut().any(|it| edit_expr(it, left))
            || stmt.bodies.iter_mut().any(|body| edit_statements(body, left))
    })
}

fn edit_expr(node: &mut Expr, left: &mut usize) -> bool {
    for at in 0..node.operands.len() {
        if node.operands[at].ty == node.ty && !matches!(node.kind, ExprKind::Load(_)) {
            if *left == 0 {
                *node = node.operands.swap_remove(at);
                return true;
            }
            *left -= 1;
        }
    }
    if !matches!(node.kind, ExprKind::Literal(_)) {
        for digits in literals(node.ty) {
            if *left == 0 {
                *node = Expr::literal(node.ty, node.ty.literal_of(digits));
                return true;
            }
            *left -= 1;
        }
    }
    node.operands.iter_mut().any(|it| edit_expr(it, left))
}

fn literals(ty: Type) -> [&'static str; 2] {
    match ty {
        Type::Bool => ["True", "False"],
        Type::Float(_) => ["0.0", "1.0"],
        Type::Int(_) | Type::UInt(_) => ["0", "1"],
    }
}

/// The `at`-th proposal about the signature: a parameter that is not used goes.
fn parameters(program: &Program, at: usize) -> Option<Program> {
    if at >= program.params.len() {
        return None;
    }
    let mut result = program.clone();
    let param = result.params.remove(at);
    Some(if is_used(program, param) { program.clone() } else { result })
}

fn is_used(program: &Program, param: Param) -> bool {
    let names = |stmt: &Stmt| {
        let is_it = |it: &Expr| match (&it.kind, param) {
            (ExprKind::Var(var), Param::Scalar(param, _)) => *var == param,
            (ExprKind::Load(id) | ExprKind::Unknown(id), Param::Buffer(param)) => *id == param,
            (ExprKind::Form(form), Param::Buffer(param)) => form.buffers.contains(&param),
            _ => false,
        };
        let in_kind = match (&stmt.kind, param) {
            (StmtKind::Store(id), Param::Buffer(param)) => *id == param,
            (StmtKind::View(id), Param::Buffer(param)) => program.root(*id) == param,
            (StmtKind::Form(form), Param::Buffer(param)) => form.buffers.contains(&param),
            _ => false,
        };
        in_kind || stmt.exprs.iter().any(|it| it.any(&mut |it| is_it(it)))
    };
    let in_shape = |var: u32| {
        program.buffers.iter().any(|it| it.shape.contains(&super::tree::Extent::Var(var)))
    };
    any(&program.statements, &mut |it| names(it))
        || matches!(param, Param::Scalar(var, _) if in_shape(var))
}
