//! From expressions to a program.

use rustc_hash::FxHashMap;

use super::{Kind, Program, Reg, Step};
use crate::{
    counts::{self, Counts},
    exec::Machine,
    intrinsics,
};
use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, UnaryOp};

/// The limit on steps of a program: a larger one is rarely executed often.
const MAX_STEPS: usize = 4096;

/// A program being made.
struct Compiler<'a, 'b> {
    machine: &'a Machine<'b>,
    program: Program,
    /// Nodes whose value is in a register wherever the code now stands.
    known: FxHashMap<ExprId, (Reg, Kind)>,
    /// The counts of a node, operands included, if they do not depend on lazy operands.
    totals: FxHashMap<ExprId, Option<(Counts, u64)>>,
    constants: FxHashMap<u64, Reg>,
    /// Registers of the variables of enclosing binders, innermost last.
    binders: Vec<(Reg, Kind)>,
    /// The number of arms around the code that may not be executed.
    depth: u32,
    /// The counts of the code at the current place.
    counts: Counts,
    nodes: u64,
}

impl Machine<'_> {
    /// The program of some expressions; none if one of them is not for programs.
    pub(super) fn compile(&self, exprs: &[ExprId]) -> Option<Program> {
        let mut compiler = Compiler {
            machine: self,
            program: Program::default(),
            known: FxHashMap::default(),
            totals: FxHashMap::default(),
            constants: FxHashMap::default(),
            binders: Vec::new(),
            depth: 0,
            counts: Counts::default(),
            nodes: 0,
        };
        for &expr in exprs {
            let result = compiler.expr(expr)?;
            compiler.program.results.push(result);
        }
        let mut program = compiler.program;
        program.counts = compiler.counts;
        program.n_steps = compiler.nodes;
        Some(program)
    }
}

impl Compiler<'_, '_> {
    fn register(&mut self) -> Reg {
        self.program.registers.push(0);
        self.program.registers.len() as Reg - 1
    }

    fn constant(&mut self, bits: u64) -> Reg {
        if let Some(&known) = self.constants.get(&bits) {
            return known;
        }
        let register = self.register();
        self.program.registers[register as usize] = bits;
        self.constants.insert(bits, register);
        register
    }

    /// Returns the counts of a node and its operands; `None` if operands are lazy or bound outside.
    fn total(&mut self, expr: ExprId) -> Option<(Counts, u64)> {
        if let Some(&known) = self.totals.get(&expr) {
            return known;
        }
        let total = ir::stack::with_room(|| self.find_total(expr));
        self.totals.insert(expr, total);
        total
    }

    fn find_total(&mut self, expr: ExprId) -> Option<(Counts, u64)> {
        let body = self.machine.body;
        let node = body.expr(expr);
        let is_lazy = match node.kind {
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                !self.machine.options.strict_logic
            }
            ExprKind::IfThenElse(..) | ExprKind::Let { .. } | ExprKind::Bound(_) => true,
            _ => false,
        };
        let mut sum = Some((counts::own(body, node.kind, node.ty), 1u64));
        let mut children = Vec::new();
        body.each_child(node.kind, &mut |child| children.push(child));
        for child in children {
            let of_child = self.total(child);
            sum = sum.zip(of_child).map(|((mut counts, nodes), (more, n))| {
                counts.add(more, 1);
                (counts, nodes.saturating_add(n))
            });
        }
        if is_lazy { None } else { sum }
    }

    /// Code for a node; its value is in the register.
    fn expr(&mut self, expr: ExprId) -> Option<(Reg, Kind)> {
        ir::stack::with_room(|| self.node(expr))
    }

    fn node(&mut self, expr: ExprId) -> Option<(Reg, Kind)> {
        if self.program.varying.len() > MAX_STEPS {
            return None;
        }
        let total = self.total(expr);
        if let (Some(&known), Some((counts, nodes))) = (self.known.get(&expr), total) {
            self.counts.add(counts, 1);
            self.nodes += nodes;
            return Some(known);
        }
        let body = self.machine.body;
        let node = body.expr(expr);
        self.counts.add(counts::own(body, node.kind, node.ty), 1);
        self.nodes += 1;
        let is_uniform = total.is_some() && self.machine.uniformity.is_shared(expr);
        let found = self.code(expr, is_uniform)?;
        // In an arm the value is known only until its end: the caller forgets it there.
        if total.is_some() {
            self.known.insert(expr, found);
        }
        Some(found)
    }

    /// Appends a step: to the code that runs once if its result is the same in all lanes.
    fn step(&mut self, step: Step, is_uniform: bool) {
        if is_uniform { self.program.uniform.push(step) } else { self.program.varying.push(step) }
    }

    fn code(&mut self, expr: ExprId, is_uniform: bool) -> Option<(Reg, Kind)> {
        let body = self.machine.body;
        let node = body.expr(expr);
        let dtype = node.ty.prim()?;
        let kind = Kind::of(dtype)?;
        let step = match node.kind {
            ExprKind::Int(value) => return Some((self.constant(value as u64), kind)),
            ExprKind::Float(bits) => return Some((self.constant(bits), kind)),
            ExprKind::Value(value) => Step::Value(self.register(), value, kind),
            ExprKind::Bound(index) => {
                let at = self.binders.len().checked_sub(index as usize + 1)?;
                return Some(self.binders[at]);
            }
            ExprKind::Let { value, body } => {
                let value = self.expr(value)?;
                self.binders.push(value);
                let result = self.expr(body);
                self.binders.pop();
                return result;
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if !self.machine.options.strict_logic =>
            {
                return self.lazy_logic(op, a, b);
            }
            ExprKind::Binary(op, a, b) => return self.binary(op, a, b, kind, is_uniform),
            ExprKind::Unary(op, a) => {
                let from = body.dtype(a)?;
                let (a, found) = self.expr(a)?;
                let to = self.register();
                match op {
                    _ if found.is_float() => return None,
                    UnaryOp::Not => Step::Not(to, a),
                    UnaryOp::BitNot if from.is_bool() => Step::Not(to, a),
                    UnaryOp::BitNot => Step::BitNot(to, from, a),
                }
            }
            ExprKind::Cast(a) => {
                let from = body.dtype(a)?;
                let (a, found) = self.expr(a)?;
                let to = self.register();
                match (found.is_float(), kind.is_float()) {
                    (false, false) => Step::Wrap(to, a, from, dtype),
                    (false, true) => Step::ToFloat(to, a, from, dtype),
                    (true, false) => Step::ToInt(to, a, dtype),
                    (true, true) if from == dtype => Step::Copy(to, a),
                    (true, true) => Step::Round(to, a, dtype),
                }
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.expr(condition)?.0;
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                if then.1 != otherwise.1 {
                    return None;
                }
                Step::Select(self.register(), condition, then.0, otherwise.0)
            }
            ExprKind::Load { buffer, indices, predicate: None } => {
                if Kind::of(body.buffers[buffer].dtype) != Some(kind) {
                    return None;
                }
                let items = body.items(indices);
                let mut found = Vec::with_capacity(items.len());
                for &index in items {
                    let (register, kind) = self.expr(index)?;
                    if kind.is_float() {
                        return None;
                    }
                    found.push(register);
                }
                // The indices side by side.
                let first = self.program.registers.len() as Reg;
                for index in &found {
                    let copy = self.register();
                    self.program.varying.push(Step::Copy(copy, *index));
                }
                let to = self.register();
                Step::Load { to, buffer, indices: first, rank: found.len() as u32, kind }
            }
            ExprKind::IfThenElse(condition, then, otherwise) => {
                return self.choice(condition, then, otherwise);
            }
            ExprKind::Call { callee: Callee::Intrinsic(name, it), args, .. } => {
                let args = body.items(args);
                return match args {
                    &[value] if it.is_transparent() => self.expr(value),
                    _ => self.call((body.name(name), it), args, dtype, kind, is_uniform),
                };
            }
            _ => return None,
        };
        let to = target(&step);
        // Loads are never the same in all lanes by the flags; they stay where they are.
        self.step(step, is_uniform);
        Some((to, kind))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        kind: Kind,
        is_uniform: bool,
    ) -> Option<(Reg, Kind)> {
        let dtype = self.machine.body.dtype(a)?;
        let ((a, of_a), (b, of_b)) = (self.expr(a)?, self.expr(b)?);
        if of_a != of_b {
            return None;
        }
        let to = self.register();
        let step = match of_a {
            _ if op.is_logical() => Step::Logic(to, op, a, b),
            _ if op.is_comparison() && of_a.is_float() => Step::CompareFloat(to, op, a, b),
            Kind::Int(_) if op.is_comparison() => Step::Compare(to, op, a, b),
            _ if op.is_comparison() => Step::CompareUnsigned(to, op, a, b),
            Kind::F32 => Step::Float32(to, op, a, b),
            Kind::F16 | Kind::BF16 | Kind::F64 => Step::Float(to, op, dtype, a, b),
            Kind::Int(32) if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) => {
                Step::Int32(to, op, a, b)
            }
            Kind::Bool | Kind::Int(_) | Kind::UInt(_) => Step::Int(to, op, dtype, a, b),
        };
        self.step(step, is_uniform);
        Some((to, kind))
    }

    fn call(
        &mut self,
        (name, it): (&str, Intrinsic),
        args: &[ExprId],
        dtype: DataType,
        kind: Kind,
        is_uniform: bool,
    ) -> Option<(Reg, Kind)> {
        let mut operands = Vec::with_capacity(args.len());
        for &arg in args {
            let (register, kind) = self.expr(arg)?;
            if !kind.is_float() {
                return None;
            }
            operands.push(register);
        }
        let step = match operands[..] {
            [x] => match (intrinsics::unary_float(name), test(it)) {
                (Some(function), _) if kind.is_float() => {
                    Step::Call1(self.register(), function, dtype, x)
                }
                (None, Some(function)) => Step::Test(self.register(), function, x),
                _ => return None,
            },
            [x, y] if kind.is_float() => {
                let function = intrinsics::binary_float(name)?;
                Step::Call2(self.register(), function, dtype, x, y)
            }
            _ => return None,
        };
        let to = target(&step);
        self.step(step, is_uniform);
        Some((to, kind))
    }

    // ---- lazy operands ----

    /// Code for an operand that may not be executed: its values are dropped after it, and its counts are added by a
    /// step of its own.
    fn arm(&mut self, expr: ExprId) -> Option<(Reg, Kind)> {
        let known = self.known.clone();
        let (outer, outer_nodes) =
            (std::mem::take(&mut self.counts), std::mem::take(&mut self.nodes));
        let at = self.program.varying.len();
        self.program.varying.push(Step::Count(self.program.arms.len() as u32));
        let number = self.program.arms.len();
        self.program.arms.push(Counts::default());
        self.depth += 1;
        let found = self.expr(expr);
        self.depth -= 1;
        debug_assert!(matches!(self.program.varying[at], Step::Count(_)), "counted first");
        self.program.arms[number] = std::mem::replace(&mut self.counts, outer);
        // A lane is charged for both arms: an upper bound of the nodes it evaluates.
        self.nodes += outer_nodes;
        self.known = known;
        found
    }

    fn choice(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Option<(Reg, Kind)> {
        let condition = self.expr(condition)?.0;
        let to = self.register();
        let to_else = self.hole();
        let (value, kind) = self.arm(then)?;
        self.program.varying.push(Step::Copy(to, value));
        let to_end = self.hole();
        self.program.varying[to_else] = Step::JumpUnless(condition, self.here());
        let (value, other) = self.arm(otherwise)?;
        self.program.varying.push(Step::Copy(to, value));
        self.program.varying[to_end] = Step::Jump(self.here());
        (kind == other).then_some((to, kind))
    }

    /// `a and b`: `b` only if `a` does not decide.
    fn lazy_logic(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<(Reg, Kind)> {
        let (a, kind) = self.expr(a)?;
        if kind != Kind::Bool {
            return None;
        }
        let to = self.register();
        self.program.varying.push(Step::Copy(to, a));
        let hole = self.hole();
        let (b, kind) = self.arm(b)?;
        self.program.varying.push(Step::Copy(to, b));
        let end = self.here();
        self.program.varying[hole] = match op {
            BinaryOp::And => Step::JumpUnless(a, end),
            _ => Step::JumpIf(a, end),
        };
        (kind == Kind::Bool).then_some((to, kind))
    }

    /// A step that is filled in later.
    fn hole(&mut self) -> usize {
        self.program.varying.push(Step::Jump(0));
        self.program.varying.len() - 1
    }

    fn here(&self) -> u32 {
        self.program.varying.len() as u32
    }
}

fn test(it: Intrinsic) -> Option<fn(f64) -> bool> {
    Some(match it {
        Intrinsic::IsNan => f64::is_nan,
        Intrinsic::IsInf => f64::is_infinite,
        Intrinsic::IsFinite => f64::is_finite,
        _ => return None,
    })
}

fn target(step: &Step) -> Reg {
    match *step {
        Step::Value(to, ..)
        | Step::Load { to, .. }
        | Step::Copy(to, ..)
        | Step::Int32(to, ..)
        | Step::Int(to, ..)
        | Step::Compare(to, ..)
        | Step::CompareUnsigned(to, ..)
        | Step::CompareFloat(to, ..)
        | Step::Float32(to, ..)
        | Step::Float(to, ..)
        | Step::Logic(to, ..)
        | Step::Not(to, ..)
        | Step::BitNot(to, ..)
        | Step::Wrap(to, ..)
        | Step::ToFloat(to, ..)
        | Step::ToInt(to, ..)
        | Step::Round(to, ..)
        | Step::Select(to, ..)
        | Step::Call1(to, ..)
        | Step::Call2(to, ..)
        | Step::Test(to, ..) => to,
        Step::Jump(_) | Step::JumpUnless(..) | Step::JumpIf(..) | Step::Count(_) => 0,
    }
}
