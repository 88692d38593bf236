//! `float16` computed as such, where the language can: the bits of the float form, which rounds after each operation
//! (a float has more than twice the digits), without the conversions.
//!
//! A number of that type stands in a register as a `float` wherever it has a name or is an operand of something else;
//! inside sums and products, and between a load and a store, it stays what memory has.

use ir::{BinaryOp, DataType, ExprId, ExprKind};

use super::{
    dialect::{HalfFunction, StoreForm},
    expr::{Place, prec},
    types::is_half,
    writer::Writer,
};
use crate::kernel::Result;

impl Writer<'_> {
    /// The function of a sum, difference or product that is computed in its own narrow type.
    pub(super) fn half_function(&self, expr: ExprId) -> Option<HalfFunction> {
        let ExprKind::Binary(op, a, _) = self.body.expr(expr).kind else { return None };
        let kind = self.dtype(a).ok()?.element();
        if !is_half(kind) || !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            return None;
        }
        self.dialect.half_function(op, kind)
    }

    /// Writes one lane of such an expression as a `float`.
    pub(super) fn half_as_float(
        &mut self,
        expr: ExprId,
        function: HalfFunction,
        place: &Place,
    ) -> Result<()> {
        self.out.push_str(&format!("{}(", function.widen));
        self.half(expr, function, place)?;
        self.out.push(')');
        Ok(())
    }

    /// Writes one lane of a narrow float as memory has it.
    pub(super) fn half(
        &mut self,
        expr: ExprId,
        function: HalfFunction,
        place: &Place,
    ) -> Result<()> {
        let place = Place { prec: prec::ANY, ..place.clone() };
        if let Some(function) = self.half_function(expr)
            && let ExprKind::Binary(_, a, b) = self.body.expr(expr).kind
        {
            return ir::stack::with_room(|| {
                self.out.push_str(&format!("{}(", function.name));
                self.half(a, function, &place)?;
                self.out.push_str(", ");
                self.half(b, function, &place)?;
                self.out.push(')');
                Ok(())
            });
        }
        let start = self.out.len();
        self.expr_to_store(expr, &place)?;
        if !self.strip_widening(start, function) {
            self.out.insert_str(start, &format!("{}(", function.narrow));
            self.out.push(')');
        }
        Ok(())
    }

    /// Takes the conversion to `float` off the text from `start` on, if that is one as a whole: what memory has needs
    /// no rounding.
    fn strip_widening(&mut self, start: usize, function: HalfFunction) -> bool {
        let open = format!("{}(", function.widen);
        let text = &self.out[start..];
        let Some(inner) = text.strip_prefix(open.as_str()).and_then(|it| it.strip_suffix(')'))
        else {
            return false;
        };
        let mut depth = 0i64;
        for byte in inner.bytes() {
            depth += i64::from(byte == b'(') - i64::from(byte == b')');
            if depth < 0 {
                return false;
            }
        }
        self.out.pop();
        self.out.replace_range(start..start + open.len(), "");
        true
    }

    /// Closes a store whose value was written from `start` on, after the opening of the store.
    pub(super) fn close_store(&mut self, form: &StoreForm, start: usize, dtype: DataType) {
        let function = self.dialect.half_function(BinaryOp::Add, dtype);
        let mut close = form.close.as_str();
        if let Some(function) = function {
            let open = format!("{}(", function.narrow);
            if self.out[..start].ends_with(&open) && self.strip_widening(start, function) {
                self.out.replace_range(start - open.len()..start, "");
                close = close.strip_prefix(')').unwrap_or(close);
            }
        }
        self.out.push_str(close);
        self.out.push('\n');
    }
}
