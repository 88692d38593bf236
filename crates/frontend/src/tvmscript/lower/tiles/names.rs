//! Assignments to names: a variable of `T.alloc_var` is stored to, all else is bound once and may be bound anew.

use ir::ExprKind;

use super::super::{
    Lowerer, R,
    value::{Ev, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, ParamNode},
    environment::Constant,
    source_map::DefinitionKind,
};

impl Lowerer<'_, '_, '_> {
    /// `name = value`.
    pub(in super::super) fn rebind(&mut self, name: &str, target: Ex, ev: Ev) -> R<()> {
        if let Some(Val::Cell(buffer)) = self.peek(name)
            && is_scalar(&ev.val)
        {
            return self.store_cell(target, buffer, &ev);
        }
        let is_named = match &ev.val {
            Val::Expr(id) => {
                !matches!(self.kind_of(*id), ExprKind::Value(_) | ExprKind::Int(_))
                    && !self.is_before_launch(*id)
            }
            Val::Cell(_) | Val::Bound(..) => true,
            Val::Python => {
                self.note_kept(self.range(target));
                return Err(super::super::Reported);
            }
            _ => false,
        };
        if !is_named {
            self.define_at(name, target, DefinitionKind::Meta, ev.val);
            return Ok(());
        }
        let value = self.lift(&ev)?;
        let ty = self.ty(value);
        let op = self.emit(ir::OpKind::Bind, &[value]);
        let result = self.s.body.push_result(op, name, ty);
        self.define_value(name, target, DefinitionKind::Binding, result);
        Ok(())
    }

    /// Ends a frame. The body of a kernel of TileLang is executed once, as Python: what a name stands for at the end of
    /// an arm or a loop is what it stands for behind it, if it is a value of Python.
    pub(in super::super) fn leave_frame(&mut self) {
        if !self.is_tile_source() {
            self.s.scopes.pop_frame();
            return;
        }
        let mut kept = Vec::new();
        for (name, definition) in self.s.scopes.frame_names() {
            let val = self.s.scopes.lookup(name).map(|it| it.val.clone());
            kept.extend(val.filter(is_of_python).map(|val| (name, val, definition)));
        }
        self.s.scopes.pop_frame();
        for (name, val, definition) in kept {
            self.s.scopes.define(name, val, definition);
        }
    }

    /// The value that Python works out of its own values while the kernel is made, by its text.
    pub(in super::super) fn of_python(&mut self, ex: Ex, ev: Ev) -> Ev {
        let is_open = match ev.val {
            Val::Python => true,
            Val::Expr(id) => self.s.body.ty(id) == ir::Type::Unknown,
            _ => false,
        };
        if !self.is_tile_source() || !is_open || !self.is_pure(ex) {
            return ev;
        }
        let text = self.text(self.ast.range(ex));
        Ev { val: Val::Unknown(self.captured_text(&text)), src: ev.src }
    }

    /// The value of a condition: Python's, if it names nothing that the kernel makes.
    pub(in super::super) fn decision(&mut self, ex: Ex) -> R<Ev> {
        let mark = self.mark();
        let ev = self.eval(ex);
        if !self.is_tile_source() {
            return ev;
        }
        // An expression of constants: TVM folds it, and TileLang decides by what is left.
        if let Ok(Ev { val: Val::Expr(id), src }) = &ev
            && let Some(holds) = self.constant_truth(*id)
        {
            return Ok(Ev { val: Val::Const(Constant::Bool(holds)), src: *src });
        }
        if !self.is_pure(ex) {
            return ev;
        }
        match ev {
            Ok(ev) if matches!(ev.val, Val::Const(_)) || self.is_captured(&ev.val) => Ok(ev),
            Ok(Ev { val: Val::Expr(id), src }) if self.is_of_threads(id) => {
                Ok(Ev { val: Val::Expr(id), src })
            }
            _ => {
                self.undo(mark);
                self.s.doubt = super::super::Doubt::Unknown;
                let text = self.text(self.ast.range(ex));
                let src = self.leaf(ex);
                Ok(Ev { val: Val::Unknown(self.captured_text(&text)), src })
            }
        }
    }

    /// Returns true if a value names an index of the threads or blocks, which a call gives (`T.get_thread_binding()`),
    /// or asks for what threads have of their own (`T.shuffle_elect(128)`).
    fn is_of_threads(&self, id: ir::ExprId) -> bool {
        let Some(launch) = &self.s.launch else { return false };
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = self.kind_of(id);
            match kind {
                ExprKind::Value(value) if launch.is_index(value) => return true,
                ExprKind::Call { callee: ir::Callee::Intrinsic(name, _), .. }
                    if self.is_per_thread(name) =>
                {
                    return true;
                }
                _ => self.s.body.each_child(kind, &mut |it| stack.push(it)),
            }
        }
        false
    }

    fn is_per_thread(&self, name: ir::NameId) -> bool {
        let row = ir::effects::tir(self.s.body.name(name));
        row.flags.contains(ir::effects::Flags::PER_THREAD)
    }

    /// The truth of an integer, or of a comparison of two.
    fn constant_truth(&self, id: ir::ExprId) -> Option<bool> {
        use ir::BinaryOp as B;
        let number = |it| match self.kind_of(it) {
            ExprKind::Int(it) => Some(it),
            _ => None,
        };
        match self.kind_of(id) {
            ExprKind::Int(it) => Some(it != 0),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (number(a)?, number(b)?);
                Some(match op {
                    B::Eq => a == b,
                    B::Ne => a != b,
                    B::Lt => a < b,
                    B::Le => a <= b,
                    B::Gt => a > b,
                    B::Ge => a >= b,
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    /// Returns true if a text names nothing that a statement of the kernel makes.
    fn is_pure(&mut self, ex: Ex) -> bool {
        let (ast, range) = (self.ast, self.ast.range(ex));
        for at in (0..=ex.0).rev() {
            let inner = Ex(at);
            if !range.contains_range(ast.range(inner)) {
                break;
            }
            let ExKind::Name(name) = *ast.kind(inner) else { continue };
            let is_of_python = match self.peek(name) {
                None => true,
                Some(Val::Unknown(value)) => self.s.body.is_captured(value),
                Some(val) => is_of_python(&val) || matches!(val, Val::Function(_)),
            };
            if !is_of_python {
                return false;
            }
        }
        true
    }

    /// Several targets: the value is worked out once.
    pub(in super::super) fn assign_all(&mut self, targets: &[Ex], value: Ex) -> R<()> {
        let ev = self.eval(value)?;
        for &target in targets {
            self.assign_part(target, &ev)?;
        }
        Ok(())
    }

    /// Gives one of several targets its value.
    pub(in super::super) fn assign_part(&mut self, target: Ex, ev: &Ev) -> R<()> {
        let ast = self.ast;
        match *ast.kind(target) {
            ExKind::Name(name) => self.rebind(name, target, ev.clone()),
            ExKind::Subscript { base, index } => {
                let (Val::Buffer(buffer) | Val::Cell(buffer)) = self.eval(base)?.val else {
                    return Err(self.unsupported(target, "an assignment to this"));
                };
                let dims = self.dims(index)?;
                let indices = self.store_indices(&dims)?;
                self.store(target, buffer, &indices, ev, None)
            }
            ExKind::Tuple(run) | ExKind::List(run) => {
                let Some(items) = self.items(ev).filter(|it| it.len() == run.len()) else {
                    return Err(self.unsupported(target, "unpacking this"));
                };
                for (&target, item) in ast.exs(run).iter().zip(&items) {
                    self.assign_part(target, item)?;
                }
                Ok(())
            }
            _ => Err(self.unsupported(target, "an assignment to this")),
        }
    }

    /// The values of several targets, where one of them is memory: each is worked out before anything is stored.
    pub(in super::super) fn before_stores(
        &mut self,
        targets: &[Ex],
        values: Vec<Ev>,
    ) -> R<Vec<Ev>> {
        let ast = self.ast;
        let is_memory = |this: &mut Self, it: Ex| match *ast.kind(it) {
            ExKind::Name(name) => matches!(this.peek(name), Some(Val::Cell(_))),
            _ => true,
        };
        if !targets.iter().any(|&it| is_memory(self, it)) {
            return Ok(values);
        }
        let mut all = Vec::with_capacity(values.len());
        for ev in values {
            if !matches!(ev.val, Val::Expr(_) | Val::Cell(_)) {
                all.push(ev);
                continue;
            }
            let value = self.lift(&ev)?;
            let ty = self.ty(value);
            let op = self.emit(ir::OpKind::Bind, &[value]);
            let result = self.s.body.push_result(op, "_tmp", ty);
            let val = Val::Expr(self.s.body.value_expr(result));
            let at = super::super::At { range: self.tx_range(value), is_real: false };
            let src = self.s.sources.leaf(at);
            all.push(Ev { val, src });
        }
        Ok(all)
    }

    /// The argument of a macro: what is worked out is worked out once, before the macro's statements.
    pub(in super::super) fn macro_argument(&mut self, param: &ParamNode<'_>, val: Val) -> Val {
        let is_reference = param.annotation.is_some_and(|it| {
            matches!(*self.ast.kind(it), ExKind::Attr { name: "Ref" | "Var", .. })
        });
        let is_computed = match &val {
            Val::Expr(id) => !matches!(self.kind_of(*id), ExprKind::Value(_) | ExprKind::Int(_)),
            Val::Cell(_) => true,
            _ => false,
        };
        if is_reference || !is_computed {
            return val;
        }
        let at = super::super::At { range: self.s.stmt_range, is_real: false };
        let src = self.s.sources.leaf(at);
        let Ok(value) = self.lift(&Ev { val: val.clone(), src }) else { return val };
        let ty = self.ty(value);
        let op = self.emit(ir::OpKind::Bind, &[value]);
        let result = self.s.body.push_result(op, param.name, ty);
        Val::Expr(self.s.body.value_expr(result))
    }

    fn kind_of(&self, id: ir::ExprId) -> ExprKind {
        self.s.body.expr(id).kind
    }

    /// Returns true if a value is worked out before anything is launched: TileLang keeps such a value as it is, so that
    /// it may be a size.
    fn is_before_launch(&self, id: ir::ExprId) -> bool {
        let body = &self.s.body;
        if self.s.launch.is_some() || self.s.block != body.entry(body.root) {
            return false;
        }
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = body.expr(id).kind;
            match kind {
                ExprKind::Load { .. } | ExprKind::Opaque { .. } => return false,
                ExprKind::Call { callee, .. } if !self.is_value_of(callee) => return false,
                _ => body.each_child(kind, &mut |it| stack.push(it)),
            }
        }
        true
    }

    /// Returns true if calls of an operator have no effect.
    fn is_value_of(&self, callee: ir::Callee) -> bool {
        match callee {
            ir::Callee::Intrinsic(name, _) => {
                let row = ir::effects::tir(self.s.body.name(name));
                row.memory_effect == ir::effects::MemoryEffect::None
            }
            _ => false,
        }
    }
}

/// Returns true if a value is Python's alone.
fn is_of_python(val: &Val) -> bool {
    matches!(
        val,
        Val::Const(_)
            | Val::Type(_)
            | Val::Namespace(_)
            | Val::Intrinsic(_)
            | Val::Path(_)
            | Val::Dict
    )
}

/// Returns true if a value may be stored in a variable.
fn is_scalar(val: &Val) -> bool {
    matches!(
        val,
        Val::Expr(_)
            | Val::Cell(_)
            | Val::Bound(..)
            | Val::Thread(..)
            | Val::Unknown(_)
            | Val::Const(Constant::Bool(_) | Constant::Int(_) | Constant::Float(_))
    )
}
