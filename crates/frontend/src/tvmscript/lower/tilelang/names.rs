//! Assignments to names: a variable of `T.alloc_var` is stored to, all else is bound once and may be bound anew.

use ir::{ExprKind, Type};

use super::super::{
    Lowerer, R,
    value::{Ev, Val},
};
use crate::tvmscript::{ast::Ex, environment::Constant, source_map::DefinitionKind};

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
                ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::Opaque { .. } => return false,
                _ => body.each_child(kind, &mut |it| stack.push(it)),
            }
        }
        body.ty(id) != Type::Unknown
    }
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
