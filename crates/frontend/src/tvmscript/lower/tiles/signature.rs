//! Parameters: tensors by annotation (`T.Tensor((M, K), dtype)`, `T.Tensor[[M, K], dtype]`), in the header or, of eager
//! kernels, in the body.

use std::borrow::Cow;

use ir::{DataType, Param, Type, ValueKind};

use super::{
    super::{Lowerer, arguments::Args, value::Val},
    memory,
};
use crate::tvmscript::ast::{Ex, ExKind, ParamNode, StKind};

impl<'a> Lowerer<'_, '_, 'a> {
    /// The form and arguments of an annotation that describes a tensor.
    pub(in super::super) fn tensor_annotation(
        &mut self,
        annotation: Ex,
    ) -> Option<(Cow<'a, str>, Args<'a>)> {
        if !self.is_tile_source() {
            return None;
        }
        let (form, args) = match *self.ast.kind(annotation) {
            ExKind::Call { .. } => self.form_call(annotation)?,
            ExKind::Subscript { base, index } => {
                let form = self.form_of(base)?;
                let args = self.bracket_args(&form, index);
                (form, args)
            }
            _ => return None,
        };
        memory::tensor_scope(form.strip_prefix("tl.")?).map(|_| (form, args))
    }

    /// A parameter of an eager kernel that its header gives no tensor type: a tensor that its body gives one, a scalar,
    /// or a value of Python, which is captured.
    pub(in super::super) fn eager_param(&mut self, param: &ParamNode<'_>) {
        if let Some(annotation) = param.annotation {
            let mark = self.mark();
            if let Ok(ev) = self.eval(annotation)
                && let Val::Type(ty) = ev.val
            {
                self.scalar_param(param, ty);
                return;
            }
            self.undo(mark);
        }
        if !self.is_typed_inside(param.name) {
            return;
        }
        let index = self.s.body.params.len();
        let handle = format!("{}_handle", param.name);
        let ty: Type = DataType::HANDLE.into();
        let value = self.s.body.new_value(&handle, ty, ValueKind::Param(index as u32));
        self.s.tensor_params.push((param.name.into(), index));
        self.s.body.params.push(Param { value, buffer: None });
    }

    /// Returns true if the body says of what type a parameter is (`A: T.Tensor(…)`).
    fn is_typed_inside(&self, name: &str) -> bool {
        let ast = self.ast;
        ast.stmts.iter().any(|it| match it.kind {
            StKind::AnnAssign { target, value: None, .. } => {
                matches!(*ast.kind(target), ExKind::Name(it) if it == name)
            }
            _ => false,
        })
    }
}
