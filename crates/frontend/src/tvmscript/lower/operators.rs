//! Operators: arithmetic, comparisons, logic, conditional expressions.

use ir::{
    BinaryOp, DataType, ExprKind, Type, UnaryOp,
    fold::{Folded, fold},
};
use syntax::{SyntaxKind, TextRange, TextSize};

use super::{
    Lowerer, R,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{CompareKind, Ex, Run},
    diagnostics,
    environment::Constant,
    staging,
};

/// The operator of a token.
fn binary_op(op: SyntaxKind) -> Option<BinaryOp> {
    Some(match op {
        SyntaxKind::PLUS | SyntaxKind::PLUS_EQ => BinaryOp::Add,
        SyntaxKind::MINUS | SyntaxKind::MINUS_EQ => BinaryOp::Sub,
        SyntaxKind::STAR | SyntaxKind::STAR_EQ => BinaryOp::Mul,
        SyntaxKind::SLASH | SyntaxKind::SLASH_EQ => BinaryOp::Div,
        SyntaxKind::SLASH2 | SyntaxKind::SLASH2_EQ => BinaryOp::FloorDiv,
        SyntaxKind::PERCENT | SyntaxKind::PERCENT_EQ => BinaryOp::FloorMod,
        SyntaxKind::LT2 | SyntaxKind::LT2_EQ => BinaryOp::Shl,
        SyntaxKind::GT2 | SyntaxKind::GT2_EQ => BinaryOp::Shr,
        SyntaxKind::AMP | SyntaxKind::AMP_EQ => BinaryOp::BitAnd,
        SyntaxKind::PIPE | SyntaxKind::PIPE_EQ => BinaryOp::BitOr,
        SyntaxKind::CARET | SyntaxKind::CARET_EQ => BinaryOp::BitXor,
        _ => return None,
    })
}

/// The spelling of an operator of Python.
pub(super) fn operator_text(op: SyntaxKind) -> Option<&'static str> {
    Some(match op {
        SyntaxKind::PLUS => "+",
        SyntaxKind::MINUS => "-",
        SyntaxKind::STAR => "*",
        SyntaxKind::SLASH => "/",
        SyntaxKind::SLASH2 => "//",
        SyntaxKind::PERCENT => "%",
        SyntaxKind::STAR2 => "**",
        SyntaxKind::LT2 => "<<",
        SyntaxKind::GT2 => ">>",
        SyntaxKind::AMP => "&",
        SyntaxKind::PIPE => "|",
        SyntaxKind::CARET => "^",
        _ => return None,
    })
}

/// The comparison with its sides exchanged.
pub(super) fn turned(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne => op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

impl Lowerer<'_, '_, '_> {
    pub(super) fn binary_ex(&mut self, ex: Ex, op: SyntaxKind, lhs: Ex, rhs: Ex) -> R<Ev> {
        let a = self.eval(lhs)?;
        let b = self.eval(rhs)?;
        let at = self.at(ex);
        self.binary_values(op, &a, &b, at, ex)
    }

    /// `a op b` of two values, at a place.
    pub(super) fn binary_values(
        &mut self,
        op: SyntaxKind,
        a: &Ev,
        b: &Ev,
        at: At,
        ex: Ex,
    ) -> R<Ev> {
        if let (Val::Const(x), Val::Const(y)) = (&a.val, &b.val) {
            if let Some(it) = staging::operators::binary(op, x, y) {
                let src = self.s.sources.leaf(at);
                return Ok(Ev { val: Val::Const(it), src });
            }
            return Err(self.error(
                diagnostics::INVALID_CONSTANT,
                at.range,
                "Python cannot compute this",
            ));
        }
        if let Some(ev) = self.joined(op, a, b, at)? {
            return Ok(ev);
        }
        if let Some(ev) = self.repeated_items(op, a, b, at)? {
            return Ok(ev);
        }
        if let Some(text) = operator_text(op)
            && let Some(ev) = self.captured_binary(ex, text, a, b)
        {
            return Ok(ev);
        }
        if op == SyntaxKind::STAR2 && self.is_tile_source() {
            return self.power_of(a, b, at);
        }
        let Some(op) = binary_op(op) else {
            return Err(self.unsupported(ex, "this operator"));
        };
        let is_python_int =
            |it: &Ev| matches!(it.val, Val::Const(Constant::Int(_) | Constant::Bool(_)));
        let ints = (is_python_int(a), is_python_int(b));
        let (a, b) = (self.operand_of(a, b, op)?, self.operand_of(b, a, op)?);
        if op == BinaryOp::Div {
            self.check_true_division((a, ints.0), (b, ints.1), at.range)?;
        }
        let tx = self.arithmetic(op, a, b, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// `[a, b] + [c]`: the items of both tuples or lists.
    fn joined(&mut self, op: SyntaxKind, a: &Ev, b: &Ev, at: At) -> R<Option<Ev>> {
        let is_sequence = |it: &Ev| {
            matches!(it.val, Val::Seq(_) | Val::Const(Constant::Tuple(_) | Constant::List(_)))
        };
        if op != SyntaxKind::PLUS || !is_sequence(a) || !is_sequence(b) {
            return Ok(None);
        }
        let mut all = Vec::new();
        for it in [&a.val, &b.val] {
            let count = self.n_items(it).unwrap_or_default();
            self.make_items(count, at.range)?;
            all.extend((0..count).filter_map(|index| self.nth_item(it, index)));
        }
        let src = self.s.sources.leaf(at);
        Ok(Some(Ev { val: Val::Seq(all.into_iter().collect()), src }))
    }

    /// `[a, b] * 2`: the items again and again.
    fn repeated_items(&mut self, op: SyntaxKind, a: &Ev, b: &Ev, at: At) -> R<Option<Ev>> {
        let (list, times) = match (self.n_items(&a.val), self.n_items(&b.val)) {
            _ if op != SyntaxKind::STAR => return Ok(None),
            (Some(_), None) => (a, b),
            (None, Some(_)) => (b, a),
            _ => return Ok(None),
        };
        let src = self.s.sources.leaf(at);
        let Val::Const(Constant::Int(times)) = times.val else {
            if !self.is_captured(&times.val) {
                return Ok(None);
            }
            let text = self.text(at.range);
            return Ok(Some(Ev { val: Val::Unknown(self.captured_text(&text)), src }));
        };
        let times = usize::try_from(times).unwrap_or_default();
        let count = self.n_items(&list.val).unwrap_or_default();
        self.make_items(count.saturating_mul(times), at.range)?;
        let one: Vec<Val> =
            (0..count).filter_map(|index| self.nth_item(&list.val, index)).collect();
        let all = (0..times).flat_map(|_| one.iter().cloned());
        Ok(Some(Ev { val: Val::Seq(all.collect()), src }))
    }

    /// `a ** b` of TileLang: TVM's operator.
    fn power_of(&mut self, a: &Ev, b: &Ev, at: At) -> R<Ev> {
        let (a, b) = (self.lift(a)?, self.lift(b)?);
        let is_open = self.ty(a) == ir::Type::Unknown || self.ty(b) == ir::Type::Unknown;
        let (a, b) = if is_open { (a, b) } else { self.promote(a, b)? };
        let ty = if is_open { ir::Type::Unknown } else { self.ty(a) };
        let tx = self.call_node("pow", &[a, b], ty, at);
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// The text of a number of Python that is no `int32`, beside something of which nothing is known: that may be
    /// Python's as well, and then the number never is an expression of a type.
    fn number_of_python(&self, number: &Ev, other: &Ev) -> Option<String> {
        let text = match &number.val {
            Val::Const(Constant::Int(it)) if i32::try_from(*it).is_err() => it.to_string(),
            Val::Const(Constant::Float(bits)) if f64::from_bits(*bits).is_finite() => {
                format!("{:?}", f64::from_bits(*bits))
            }
            _ => return None,
        };
        let is_ir = match &other.val {
            Val::Expr(id) => !self.s.body.expr(*id).flags.has_unknown,
            _ => false,
        };
        (self.is_unknown(&other.val) && !is_ir).then_some(text)
    }

    /// An operand; the amount of a shift takes the type of the shifted value, constants of bitwise operators that of
    /// the other side.
    pub(super) fn operand_of(&mut self, it: &Ev, other: &Ev, op: BinaryOp) -> R<Tx> {
        let adapts = matches!(
            op,
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        );
        if adapts
            && let Val::Const(constant @ (Constant::Int(_) | Constant::Bool(_))) = &it.val
            && let Ok(other) = self.lift(other)
            && let Some(dtype) = self.dtype(other)
            && (dtype.is_integer() || dtype.is_bool())
        {
            let value = match constant {
                // TVM takes it as a C++ int.
                Constant::Int(it) => i128::from(*it as i32),
                Constant::Bool(it) => i128::from(*it),
                _ => 0,
            };
            return self.const_as(value, dtype.element(), it.src);
        }
        if let Some(text) = self.number_of_python(it, other) {
            return Ok(Tx { id: self.s.body.opaque(&text), src: it.src });
        }
        self.lift(it)
    }

    /// TVM refuses `/` on signed integers: which division is meant has to be said.
    pub(super) fn check_true_division(
        &mut self,
        a: (Tx, bool),
        b: (Tx, bool),
        range: TextRange,
    ) -> R<()> {
        let is_int =
            |(tx, is_int): (Tx, bool)| is_int || self.dtype(tx).is_some_and(DataType::is_int);
        if !(is_int(a) && is_int(b)) {
            return Ok(());
        }
        let message = "`/` is not defined on integers";
        let reported = self.error(diagnostics::DTYPE_MISMATCH, range, message);
        if let Some(last) = self.s.diagnostics.last_mut() {
            last.help = Some("write `//`, or `T.truncdiv(a, b)`".to_owned());
        }
        Err(reported)
    }

    /// `a op b` with promotion and folding.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: Tx, b: Tx, at: At) -> R<Tx> {
        for side in [a, b] {
            if let Some(dtype) = self.dtype(side) {
                self.check_operands(op, dtype, at.range)?;
            }
        }
        let (a, b) = self.promote(a, b)?;
        let Some(dtype) = self.dtype(a).filter(|_| self.dtype(b).is_some()) else {
            return self.unknown_binary(op, a, b, at);
        };
        self.folded(op, a, b, dtype, at)
    }

    /// An operator on something of unknown type, or on pointers.
    pub(super) fn unknown_binary(&mut self, op: BinaryOp, a: Tx, b: Tx, at: At) -> R<Tx> {
        let has_unknown = |it: Tx| self.s.body.expr(it.id).flags.has_unknown;
        let (a, b) = match self.ty(a) != self.ty(b) && !has_unknown(a) && !has_unknown(b) {
            true => (self.opened(a), self.opened(b)),
            false => (a, b),
        };
        let ty = if op.is_comparison() || op.is_logical() {
            Type::Prim(DataType::BOOL)
        } else if self.ty(a) == Type::Unknown || self.ty(b) == Type::Unknown {
            Type::Unknown
        } else {
            return Err(self.mismatch(a, b));
        };
        Ok(self.make(ExprKind::Binary(op, a.id, b.id), ty, at, &[a.src, b.src]))
    }

    pub(super) fn check_operands(
        &mut self,
        op: BinaryOp,
        dtype: DataType,
        range: TextRange,
    ) -> R<()> {
        use BinaryOp as B;
        let fits = match op {
            _ if dtype.is_symbolic() => true,
            B::FloorDiv | B::FloorMod | B::Shl | B::Shr => dtype.is_integer(),
            B::BitAnd | B::BitOr | B::BitXor => dtype.is_integer() || dtype.is_bool(),
            _ => !matches!(dtype.code, ir::TypeCode::Handle | ir::TypeCode::Void),
        };
        if fits {
            return Ok(());
        }
        let message = format!("this operator does not take {dtype}");
        Err(self.error(diagnostics::DTYPE_MISMATCH, range, message))
    }

    /// The node, or TVM's folded form of it.
    pub(super) fn folded(&mut self, op: BinaryOp, a: Tx, b: Tx, dtype: DataType, at: At) -> R<Tx> {
        Ok(match fold(&self.s.body, op, a.id, b.id, dtype) {
            Folded::Keep => self.node2(op, a, b, at),
            Folded::Left => a,
            Folded::Right => b,
            Folded::Int(value, dtype) => self.int(value, dtype, at),
            Folded::Float(value, dtype) => {
                let id = self.s.body.float(value, dtype);
                self.tx(id, at)
            }
            Folded::Error(message) => {
                return Err(self.error(diagnostics::INVALID_CONSTANT, at.range, message));
            }
        })
    }

    /// The node itself.
    pub(super) fn node2(&mut self, op: BinaryOp, a: Tx, b: Tx, at: At) -> Tx {
        let id = self.s.body.binary(op, a.id, b.id);
        Tx { id, src: self.s.sources.node(at, &[a.src, b.src]) }
    }

    pub(super) fn unary_ex(&mut self, ex: Ex, op: SyntaxKind, operand: Ex) -> R<Ev> {
        let operand = self.eval(operand)?;
        if let Val::Const(it) = &operand.val
            && let Some(val) = staging::operators::unary(op, it)
        {
            let src = self.leaf(ex);
            return Ok(Ev { val: Val::Const(val), src });
        }
        let text = match op {
            SyntaxKind::MINUS => "-",
            SyntaxKind::PLUS => "+",
            SyntaxKind::TILDE => "~",
            _ => "not ",
        };
        if let Some(ev) = self.captured_unary(ex, text, &operand) {
            return Ok(ev);
        }
        let value = self.lift(&operand)?;
        let at = self.at(ex);
        let tx = match op {
            SyntaxKind::MINUS => {
                let dtype = self.dtype(value).unwrap_or(DataType::INT32);
                let minus_one = self.virtual_int(-1, DataType::INT32, at.range);
                let minus_one = self.cast_to(minus_one, dtype)?;
                self.arithmetic(BinaryOp::Mul, value, minus_one, at)?
            }
            SyntaxKind::PLUS => {
                return Err(self.malformed(ex, "`+` before a value is not defined"));
            }
            SyntaxKind::TILDE => self.not_node(UnaryOp::BitNot, value, at)?,
            SyntaxKind::NOT_KW => {
                self.check_bool(value, "not")?;
                self.not_node(UnaryOp::Not, value, at)?
            }
            _ => return Err(self.unsupported(ex, "this operator")),
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    pub(super) fn not_node(&mut self, op: UnaryOp, value: Tx, at: At) -> R<Tx> {
        if op == UnaryOp::BitNot
            && let Some(dtype) = self.dtype(value)
        {
            self.check_operands(BinaryOp::BitAnd, dtype, at.range)?;
        }
        let id = self.s.body.unary(op, value.id);
        Ok(Tx { id, src: self.s.sources.node(at, &[value.src]) })
    }

    /// Conditions are bool in TVM; integers are refused.
    pub(super) fn check_bool(&mut self, value: Tx, of: &str) -> R<()> {
        match self.ty(value) {
            Type::Prim(dtype) if dtype.is_bool() || dtype.is_symbolic() => Ok(()),
            Type::Prim(_) | Type::Pointer { .. } => {
                let range = self.tx_range(value);
                let message = format!("`{of}` needs a bool, this is {}", self.type_name(value));
                let reported = self.error(diagnostics::DTYPE_MISMATCH, range, message);
                if let Some(last) = self.s.diagnostics.last_mut() {
                    last.help = Some("compare with zero: `!= 0`".to_owned());
                }
                Err(reported)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn logic_ex(&mut self, ex: Ex, op: SyntaxKind, operands: Run) -> R<Ev> {
        let ast = self.ast;
        let operands = ast.exs(operands);
        let Some((&first, rest)) = operands.split_first() else { return Err(super::Reported) };
        let is_and = op == SyntaxKind::AND_KW;
        if self.is_tile_source() {
            return self.python_logic(ex, is_and, operands);
        }
        let mut result = self.eval(first)?;
        for (index, &operand) in rest.iter().enumerate() {
            let range = self.up_to_operand(ex, operand, rest.get(index + 1).copied());
            if let Val::Const(it) = &result.val {
                // Python looks at the left side first; a bool that does not decide is part of the condition.
                if staging::operators::truth(it) != is_and {
                    continue;
                }
                let next = self.eval(operand)?;
                if matches!(next.val, Val::Const(_)) || !matches!(it, Constant::Bool(_)) {
                    result = next;
                    continue;
                }
                result = self.logic(ex, is_and, &result, &next, range)?;
                continue;
            }
            let next = self.eval(operand)?;
            result = self.logic(ex, is_and, &result, &next, range)?;
        }
        Ok(result)
    }

    /// `a and b and c` where Python is executed: what a value of Python decides is decided, and conditions are grouped
    /// from the right.
    fn python_logic(&mut self, ex: Ex, is_and: bool, operands: &[Ex]) -> R<Ev> {
        let mut kept: Vec<Ev> = Vec::with_capacity(operands.len());
        for (index, &operand) in operands.iter().enumerate() {
            let ev = self.eval(operand)?;
            if let Val::Const(it) = &ev.val
                && index + 1 < operands.len()
            {
                if staging::operators::truth(it) == is_and {
                    continue;
                }
                kept.push(ev);
                break;
            }
            kept.push(ev);
        }
        // Values of Python alone are one value, by the text that it has anywhere else.
        if kept.iter().all(|it| self.is_of_python_alone(it)) {
            let mut kept = kept.into_iter();
            let Some(mut result) = kept.next() else { return Err(super::Reported) };
            for next in kept {
                let at = self.at(ex);
                result = self.logic_at(ex, is_and, &result, &next, at)?;
            }
            return Ok(result);
        }
        let Some(mut result) = kept.pop() else { return Err(super::Reported) };
        while let Some(left) = kept.pop() {
            // What is inside has no text that could stand alone.
            let at = self.at(ex);
            let at = At { is_real: at.is_real && kept.is_empty(), ..at };
            result = self.logic_at(ex, is_and, &left, &result, at)?;
        }
        Ok(result)
    }

    /// The text of `a and b` in `a and b and c`, with the parentheses of its operands, which belong to no operand.
    fn up_to_operand(&self, ex: Ex, last: Ex, next: Option<Ex>) -> TextRange {
        let whole = self.ast.range(ex);
        let Some(next) = next else { return whole };
        let gap = TextRange::new(self.ast.range(last).end(), self.ast.range(next).start());
        // What closes the operand comes before the operator, which is the first word that is in no comment.
        let text = self.ast.text.get(std::ops::Range::<usize>::from(gap)).unwrap_or_default();
        let (mut len, mut is_comment) = (0, false);
        for (at, it) in text.char_indices() {
            match it {
                '\n' | '\r' => is_comment = false,
                _ if is_comment => {}
                '#' => is_comment = true,
                ')' => len = at + 1,
                it if it.is_alphabetic() => break,
                _ => {}
            }
        }
        let end = gap.start() + TextSize::from(len as u32);
        TextRange::new(whole.start(), end)
    }

    fn logic(&mut self, ex: Ex, is_and: bool, a: &Ev, b: &Ev, range: TextRange) -> R<Ev> {
        let at = self.at_range(range);
        self.logic_at(ex, is_and, a, b, at)
    }

    fn logic_at(&mut self, ex: Ex, is_and: bool, a: &Ev, b: &Ev, at: At) -> R<Ev> {
        if let Some(ev) = self.captured_binary(ex, if is_and { "and" } else { "or" }, a, b) {
            return Ok(ev);
        }
        let (a, b) = (self.lift(a)?, self.lift(b)?);
        let op = if is_and { BinaryOp::And } else { BinaryOp::Or };
        let tx = self.logic_node(op, a, b, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    pub(super) fn logic_node(&mut self, op: BinaryOp, a: Tx, b: Tx, at: At) -> R<Tx> {
        let word = if op == BinaryOp::And { "and" } else { "or" };
        let is_vector = |it: Option<DataType>| it.is_some_and(|it| !it.is_scalar());
        if is_vector(self.dtype(a)) || is_vector(self.dtype(b)) {
            let op = if op == BinaryOp::And { BinaryOp::BitAnd } else { BinaryOp::BitOr };
            return self.arithmetic(op, a, b, at);
        }
        self.check_bool(a, word)?;
        self.check_bool(b, word)?;
        let kind = ExprKind::Binary(op, a.id, b.id);
        Ok(self.make(kind, DataType::BOOL.into(), at, &[a.src, b.src]))
    }

    pub(super) fn compare_ex(&mut self, ex: Ex, operands: Run, ops: Run) -> R<Ev> {
        let ast = self.ast;
        let (operands, ops) = (ast.exs(operands), ast.ops(ops));
        let Some((&first, rest)) = operands.split_first() else { return Err(super::Reported) };
        let is_chain = ops.len() > 1;
        let mut result: Option<Ev> = None;
        let (mut left_ex, mut left) = (first, self.eval(first)?);
        for (index, (&op, &right_ex)) in ops.iter().zip(rest).enumerate() {
            let right = self.eval(right_ex)?;
            let range = match is_chain {
                true => ast.range(left_ex).cover(ast.range(right_ex)),
                false => ast.range(ex),
            };
            // A part of a chain cannot stand alone in the text.
            let at = At { is_real: !is_chain && self.expansion.is_none(), ..self.at_range(range) };
            let one = self.compare_values(op, &left, &right, at, ex)?;
            result = Some(match result {
                None => one,
                Some(before) => {
                    let part = ast.range(first).cover(range);
                    let is_last = index + 1 == ops.len();
                    self.chain(ex, &before, &one, if is_last { ast.range(ex) } else { part })?
                }
            });
            // The middle of a chain has one text and is used twice.
            let src = self.s.sources.again(right.src);
            (left_ex, left) = (right_ex, Ev { val: right.val, src });
        }
        result.ok_or(super::Reported)
    }

    fn chain(&mut self, ex: Ex, a: &Ev, b: &Ev, range: TextRange) -> R<Ev> {
        if let (Val::Const(x), Val::Const(y)) = (&a.val, &b.val) {
            let both = staging::operators::truth(x) && staging::operators::truth(y);
            return Ok(Ev { val: Val::Const(Constant::Bool(both)), src: a.src });
        }
        self.logic(ex, true, a, b, range)
    }

    fn compare_values(&mut self, op: CompareKind, a: &Ev, b: &Ev, at: At, ex: Ex) -> R<Ev> {
        if let Some(holds) = self.python_comparison(op, &a.val, &b.val) {
            let src = self.s.sources.leaf(at);
            return Ok(Ev { val: Val::Const(Constant::Bool(holds)), src });
        }
        if !matches!((&a.val, &b.val), (Val::Const(_), Val::Const(_)))
            && let Some(ev) = self.captured_comparison(ex, op, a, b)
        {
            return Ok(ev);
        }
        if let CompareKind::Is | CompareKind::IsNot = op {
            return self.identity(op, a, b, at, ex);
        }
        let CompareKind::Binary(op) = op else {
            return Err(self.unsupported(ex, "this comparison"));
        };
        if let (Val::Const(x), Val::Const(y)) = (&a.val, &b.val) {
            let Some(holds) = staging::operators::compare(op, x, y) else {
                return Err(self.unsupported(ex, "this comparison"));
            };
            let src = self.s.sources.leaf(at);
            return Ok(Ev { val: Val::Const(Constant::Bool(holds)), src });
        }
        if self.is_tile_source() && !(self.is_pointer(a) || self.is_pointer(b)) {
            return self.python_comparison_of(op, a, b, at);
        }
        let is_left_ir = !matches!(a.val, Val::Const(_));
        let is_order = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let tx = if is_left_ir && is_order {
            // These go through Python's operators, which promote and fold.
            let (a, b) = (self.lift(a)?, self.lift(b)?);
            self.arithmetic(op, a, b, at)?
        } else {
            self.strict_comparison(op, a, b, at)?
        };
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// A comparison where Python's own operators are called, which promote and fold. A number of Python on the left
    /// leaves it to the other side: `0 <= x` is `x >= 0`.
    fn python_comparison_of(&mut self, op: BinaryOp, a: &Ev, b: &Ev, at: At) -> R<Ev> {
        let (op, a, b) = match a.val {
            Val::Const(_) => (turned(op).unwrap_or(op), b, a),
            _ => (op, a, b),
        };
        let (a, b) = (self.lift(a)?, self.lift(b)?);
        let tx = self.arithmetic(op, a, b, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    fn is_pointer(&self, ev: &Ev) -> bool {
        match ev.val {
            Val::Expr(id) => {
                let ty = self.s.body.ty(id);
                matches!(ty, Type::Pointer { .. }) || ty == Type::Prim(DataType::HANDLE)
            }
            _ => false,
        }
    }

    /// `==`, `!=`, and all with a literal on the left: a literal takes the other side's type, a scalar is broadcast,
    /// nothing is cast or folded.
    fn strict_comparison(&mut self, op: BinaryOp, a: &Ev, b: &Ev, at: At) -> R<Tx> {
        let a_tx = self.literal_as(a, b)?;
        let b_tx = self.literal_as(b, a)?;
        let (a, b) = (a_tx, b_tx);
        let (Some(left), Some(right)) = (self.dtype(a), self.dtype(b)) else {
            return self.unknown_binary(op, a, b, at);
        };
        if left != right && (left.is_symbolic() || right.is_symbolic()) {
            return self.unknown_binary(op, a, b, at);
        }
        let (a, b) = match (left.lanes == right.lanes, left.is_scalar(), right.is_scalar()) {
            (true, ..) => (a, b),
            (_, true, _) => (self.broadcast(a, right.lanes), b),
            (_, _, true) => (a, self.broadcast(b, left.lanes)),
            _ => return Err(self.mismatch(a, b)),
        };
        if left.element() != right.element() {
            return Err(self.mismatch(a, b));
        }
        Ok(self.node2(op, a, b, at))
    }

    fn literal_as(&mut self, it: &Ev, other: &Ev) -> R<Tx> {
        let Val::Const(constant) = &it.val else { return self.lift(it) };
        let other = self.lift(other)?;
        let Some(dtype) = self.dtype(other).map(DataType::element) else { return self.lift(it) };
        match constant {
            Constant::Int(value) if dtype.is_float() || dtype.is_integer() || dtype.is_bool() => {
                self.const_as(*value, dtype, it.src)
            }
            Constant::Bool(value) if dtype.is_float() || dtype.is_integer() || dtype.is_bool() => {
                self.const_as(i128::from(*value), dtype, it.src)
            }
            Constant::Float(bits) if dtype.is_float() => {
                self.const_float_as(f64::from_bits(*bits), dtype, it.src)
            }
            _ => self.lift(it),
        }
    }

    /// `x is None`
    fn identity(&mut self, op: CompareKind, a: &Ev, b: &Ev, at: At, ex: Ex) -> R<Ev> {
        let same = match (&a.val, &b.val) {
            (Val::Unknown(_) | Val::Python, _) | (_, Val::Unknown(_) | Val::Python) => {
                return Err(self.unsupported(ex, "`is` on an unknown value"));
            }
            (Val::Const(x), Val::Const(y)) => x == y,
            _ => false,
        };
        let holds = same == (op == CompareKind::Is);
        let src = self.s.sources.leaf(at);
        Ok(Ev { val: Val::Const(Constant::Bool(holds)), src })
    }

    /// `a if c else b`
    pub(super) fn conditional_ex(
        &mut self,
        ex: Ex,
        then: Ex,
        condition: Ex,
        otherwise: Ex,
    ) -> R<Ev> {
        let decision = self.eval(condition)?;
        if let Val::Const(it) = &decision.val {
            return self.eval(if staging::operators::truth(it) { then } else { otherwise });
        }
        if let Val::Unknown(id) = decision.val
            && self.is_captured(&decision.val)
            && let Some(holds) = self.checked_truth(id)
        {
            return self.eval(if holds { then } else { otherwise });
        }
        let (then, otherwise) = (self.eval(then)?, self.eval(otherwise)?);
        if let Some(ev) = self.captured_choice(ex, &then, &decision, &otherwise) {
            return Ok(ev);
        }
        // Python may choose one of two buffers, which is no choice of values.
        let is_buffer = |it: &Ev| matches!(it.val, Val::Buffer(_) | Val::Region(..));
        if is_buffer(&then) || is_buffer(&otherwise) {
            return Ok(self.opaque_ex(ex));
        }
        let condition = self.lift(&decision)?;
        let is_text = |it: &Ev| matches!(it.val, Val::Const(Constant::Str(_)));
        if (is_text(&then) || is_text(&otherwise)) && self.may_be_python(condition.id) {
            return Ok(self.opaque_ex(ex));
        }
        let (then, otherwise) = (self.lift(&then)?, self.lift(&otherwise)?);
        // Nor are the types of the arms brought together where Python chooses.
        let at = self.at(ex);
        if self.ty(then) != self.ty(otherwise) && self.may_be_python(condition.id) {
            if !self.is_captured(&decision.val) {
                return Ok(self.opaque_ex(ex));
            }
            let kind = ExprKind::IfThenElse(condition.id, then.id, otherwise.id);
            let children = [condition.src, then.src, otherwise.src];
            let tx = self.make(kind, Type::Unknown, at, &children);
            return Ok(Ev { val: Val::Expr(tx.id), src: tx.src });
        }
        let tx = self.if_then_else(condition, then, otherwise, at)?;
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// `T.if_then_else`: arms are promoted; a constant condition chooses.
    pub(super) fn if_then_else(&mut self, condition: Tx, then: Tx, otherwise: Tx, at: At) -> R<Tx> {
        self.check_bool(condition, "if_then_else")?;
        let (then, otherwise) = self.promote(then, otherwise)?;
        if let Some(it) = self.const_int(condition) {
            return Ok(if it != 0 { then } else { otherwise });
        }
        Ok(self.choice_node(condition, then, otherwise, at))
    }

    pub(super) fn choice_node(&mut self, condition: Tx, then: Tx, otherwise: Tx, at: At) -> Tx {
        let id = self.s.body.if_then_else(condition.id, then.id, otherwise.id);
        Tx { id, src: self.s.sources.node(at, &[condition.src, then.src, otherwise.src]) }
    }
}
