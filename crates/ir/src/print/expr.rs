//! Expressions.

use std::fmt::Write;

use super::{Printer, attr::float_literal, attr::quote, has_member, level::Level};
use crate::{
    Attr, BinaryOp, BufferField, Callee, DataType, Expr, ExprId, ExprKind, ExprListId, Intrinsic,
    OpId, Type, UnaryOp,
};

/// Infix spelling and level; none for those that only have a name.
fn infix(op: BinaryOp, is_float: bool) -> Option<(&'static str, Level)> {
    let symbol = match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div if is_float => "/",
        BinaryOp::FloorDiv => "//",
        BinaryOp::FloorMod => "%",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Div | BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max => return None,
    };
    Some((symbol, Level::of_binary(op)?))
}

/// The name of the constructor that neither folds nor promotes.
fn constructor(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "Add",
        BinaryOp::Sub => "Sub",
        BinaryOp::Mul => "Mul",
        BinaryOp::Div => "Div",
        BinaryOp::Mod => "truncmod",
        BinaryOp::FloorDiv => "FloorDiv",
        BinaryOp::FloorMod => "FloorMod",
        BinaryOp::Min => "Min",
        BinaryOp::Max => "Max",
        BinaryOp::Eq => "EQ",
        BinaryOp::Ne => "NE",
        BinaryOp::Lt => "LT",
        BinaryOp::Le => "LE",
        BinaryOp::Gt => "GT",
        BinaryOp::Ge => "GE",
        BinaryOp::And => "And",
        BinaryOp::Or => "Or",
        BinaryOp::BitAnd => "bitwise_and",
        BinaryOp::BitOr => "bitwise_or",
        BinaryOp::BitXor => "bitwise_xor",
        BinaryOp::Shl => "shift_left",
        BinaryOp::Shr => "shift_right",
    }
}

impl Printer<'_> {
    pub(super) fn expr_string(&mut self, expr: ExprId) -> String {
        let outer = std::mem::take(&mut self.out);
        self.expr(expr);
        std::mem::replace(&mut self.out, outer)
    }

    /// An expression to the left of a `+`.
    pub(super) fn summand_string(&mut self, expr: ExprId) -> String {
        let outer = std::mem::take(&mut self.out);
        self.operand(expr, Level::Sum);
        std::mem::replace(&mut self.out, outer)
    }

    pub(super) fn expr(&mut self, expr: ExprId) {
        crate::stack::with_room(|| self.expr_at(expr));
    }

    fn expr_at(&mut self, id: ExprId) {
        if let Some(name) = self.given.get(&id) {
            self.out.push_str(name);
            return;
        }
        let Expr { kind, ty, .. } = self.body.expr(id);
        match kind {
            ExprKind::Value(value) => {
                let name = self.names.value(self.body, value);
                self.out.push_str(&name);
            }
            ExprKind::Bound(index) => self.bound(index),
            ExprKind::Int(value) => self.int(value, ty),
            ExprKind::Float(_) => {
                let value = self.body.float_spelling(id).unwrap_or(f64::NAN);
                self.push(format_args!(
                    "T.{}({})",
                    ty.prim().unwrap_or(DataType::FLOAT32),
                    float_literal(value)
                ));
            }
            ExprKind::Str(text) => self.out.push_str(&quote(self.body.name(text))),
            ExprKind::Binary(op, lhs, rhs) => self.binary(op, lhs, rhs),
            ExprKind::Unary(UnaryOp::Not, operand) => {
                if self.is_const(operand) {
                    self.named("Not", &[operand]);
                } else {
                    self.out.push_str("not ");
                    self.operand(operand, Level::Not);
                }
            }
            // Python computes `~7`, TVM does not.
            ExprKind::Unary(UnaryOp::BitNot, operand) if self.is_bare(operand) => {
                self.named("bitwise_not", &[operand]);
            }
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                self.out.push('~');
                self.operand(operand, Level::Unary);
            }
            // A promotion has no text.
            ExprKind::Cast(value) if ty == Type::Unknown => self.expr_at(value),
            // Of a number it makes a constant, which `T.Cast` does not.
            ExprKind::Cast(value) if self.is_number(ty) && self.is_of_python(value, ty) => {
                self.push(format_args!("T.{}(", ty.prim().unwrap_or(DataType::HANDLE)));
                self.expr(value);
                self.out.push(')');
            }
            ExprKind::Cast(value) => {
                let dtype = self.dtype_text(ty.prim().unwrap_or(DataType::HANDLE));
                self.push(format_args!("T.Cast({dtype}, "));
                self.expr(value);
                self.out.push(')');
            }
            ExprKind::Select(condition, then, otherwise) => {
                self.named("Select", &[condition, then, otherwise])
            }
            ExprKind::IfThenElse(condition, then, otherwise) if self.is_python(condition) => {
                self.operand_above(then, Level::Lambda);
                self.out.push_str(" if ");
                self.operand_above(condition, Level::Lambda);
                self.out.push_str(" else ");
                self.operand(otherwise, Level::Lambda);
            }
            ExprKind::IfThenElse(condition, then, otherwise) => {
                self.named("if_then_else", &[condition, then, otherwise])
            }
            ExprKind::Load { buffer, indices, predicate } => self.load(buffer, indices, predicate),
            ExprKind::Region(buffer, indices) => {
                let name = self.buffer_name(buffer);
                self.out.push_str(&name);
                self.brackets(indices);
            }
            ExprKind::Slice { lower, upper, step } => {
                lower.into_iter().for_each(|it| self.expr(it));
                self.out.push(':');
                upper.into_iter().for_each(|it| self.expr(it));
                if let Some(step) = step {
                    self.out.push(':');
                    self.expr(step);
                }
            }
            ExprKind::BufferField(buffer, field) => {
                let name = self.buffer_name(buffer);
                match field {
                    BufferField::Data => self.push(format_args!("{name}.data")),
                    BufferField::ElemOffset => self.push(format_args!("{name}.elem_offset")),
                    BufferField::Stride(dim) => self.push(format_args!("{name}.strides[{dim}]")),
                    BufferField::Shape(dim) => self.push(format_args!("{name}.shape[{dim}]")),
                }
            }
            ExprKind::Buffer(buffer) => {
                let name = self.buffer_name(buffer);
                self.out.push_str(&name);
            }
            ExprKind::Ramp { base, stride, lanes } => self.named("Ramp", &[base, stride, lanes]),
            ExprKind::Broadcast { value, lanes } => self.named("Broadcast", &[value, lanes]),
            ExprKind::Shuffle { vectors, indices } => {
                self.out.push_str("T.Shuffle([");
                self.comma_list(vectors);
                self.out.push_str("], [");
                self.comma_list(indices);
                self.out.push_str("])");
            }
            ExprKind::Let { value, body } => self.let_expr(id, value, body),
            ExprKind::Lambda { params, body } => self.lambda(id, params, body),
            ExprKind::Call { .. } => self.call(kind, ty),
            ExprKind::Tuple(items) => {
                self.out.push('[');
                self.comma_list(items);
                self.out.push(']');
            }
            ExprKind::Opaque { text, .. } => self.out.push_str(self.body.name(text)),
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("writing to a string does not fail");
    }

    fn bound(&mut self, index: u32) {
        let at = self.binders.len().checked_sub(index as usize + 1);
        let name = at.and_then(|at| self.binders.get(at)).cloned();
        self.out.push_str(&name.unwrap_or_else(|| format!("bound_{index}")));
    }

    fn int(&mut self, value: i64, ty: Type) {
        match ty.prim() {
            Some(DataType::INT32) | None => self.push(format_args!("{value}")),
            Some(dtype) if dtype.is_bool() => {
                self.push(format_args!("T.bool({})", if value != 0 { "True" } else { "False" }));
            }
            // `T` has no member for it.
            Some(dtype) if !has_member(dtype) => {
                self.push(format_args!("T.cast({value}, \"{dtype}\")"));
            }
            Some(dtype) if dtype.is_uint() => {
                self.push(format_args!("T.{dtype}({})", value as u64))
            }
            Some(dtype) => self.push(format_args!("T.{dtype}({value})")),
        }
    }

    fn is_const(&self, expr: ExprId) -> bool {
        self.body.expr(expr).is_constant()
    }

    /// Returns true for a number that is written without its type.
    fn is_bare(&self, expr: ExprId) -> bool {
        self.is_const(expr) && self.body.dtype(expr) == Some(DataType::INT32)
    }

    fn is_unknown(&self, expr: ExprId) -> bool {
        let flags = self.body.expr(expr).flags;
        flags.has_unknown || flags.has_captured
    }

    /// Returns true if a value is a value of Python, which decides by it before there is any IR (`SEMANTICS: G5`).
    fn is_python(&self, condition: ExprId) -> bool {
        match self.body.expr(condition).kind {
            ExprKind::Value(value) => self.body.is_captured(value),
            _ => false,
        }
    }

    /// Returns true for the type of a number that `T` has a member of.
    fn is_number(&self, ty: Type) -> bool {
        let is_number = |it: DataType| it.is_bool() || it.is_integer() || it.is_float();
        ty.prim().is_some_and(|it| has_member(it) && is_number(it))
    }

    /// Returns true if an expression is one of Python: of captured values, and literals beside them, that may be a
    /// number of a type. A negative literal may come from TVM, which converts it where Python's is refused.
    pub(super) fn is_of_python(&self, expr: ExprId, ty: Type) -> bool {
        if !self.body.expr(expr).flags.has_captured {
            return false;
        }
        let is_unsigned = ty.prim().is_some_and(DataType::is_uint);
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let node = self.body.expr(at);
            match node.kind {
                ExprKind::Int(value) if value >= 0 || !is_unsigned => {}
                ExprKind::Value(_) if self.is_python(at) => {}
                // `shape[0]`, perhaps of a buffer: then the conversion is the same.
                ExprKind::Opaque { .. } => {}
                ExprKind::Binary(..) => {
                    self.body.each_child(node.kind, &mut |it| stack.push(it));
                }
                ExprKind::Cast(value) if node.ty == Type::Unknown => stack.push(value),
                _ => return false,
            }
        }
        true
    }

    /// Returns true if TVM's parser would read something else from the infix form. Python would evaluate comparisons
    /// and logic of two constants.
    fn would_fold(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> bool {
        // As it was written: the unknown one may be a number of Python, and both together another.
        if self.is_unknown(lhs) || self.is_unknown(rhs) {
            return false;
        }
        let (a, b) = (self.is_const(lhs), self.is_const(rhs));
        if op.is_logical() {
            return a || b;
        }
        // The smaller one of a variable and itself is the variable.
        if matches!(op, BinaryOp::Min | BinaryOp::Max)
            && let Some(name) = self.given.get(&lhs)
        {
            return self.given.get(&rhs) == Some(name);
        }
        match self.body.dtype(lhs) {
            Some(dtype) if !op.is_comparison() => {
                crate::fold::fold(self.body, op, lhs, rhs, dtype) != crate::fold::Folded::Keep
            }
            _ => a && b,
        }
    }

    /// Returns true if `/` of this operand is read as the division of floats; of a type that is not known, as whatever
    /// was written.
    fn divides_as_float(&self, lhs: ExprId) -> bool {
        let ty = self.body.ty(lhs);
        ty.is_open() || ty.prim().is_some_and(DataType::is_float)
    }

    /// Returns true if a product is a negation of what has no known type: as TVM reads `-x`.
    fn is_negation(&self, op: BinaryOp, rhs: ExprId) -> bool {
        let node = self.body.expr(rhs);
        matches!(node.kind, ExprKind::Cast(one) if self.body.expr(one).kind == ExprKind::Int(-1))
            && op == BinaryOp::Mul
            && self.body.dtype(rhs).is_some_and(DataType::is_symbolic)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) {
        if self.is_negation(op, rhs) {
            self.out.push('-');
            return self.operand(lhs, Level::Unary);
        }
        let is_float = self.divides_as_float(lhs);
        let folds = self.would_fold(op, lhs, rhs);
        match infix(op, is_float) {
            Some((symbol, level)) if !folds => {
                // A comparison on either side needs parentheses: `a < b == c` is a chain.
                let left = if level == Level::Comparison { Level::BitOr } else { level };
                self.operand(lhs, left);
                self.push(format_args!(" {symbol} "));
                self.operand_above(rhs, level);
            }
            _ => match op {
                BinaryOp::Min if !folds => self.named("min", &[lhs, rhs]),
                BinaryOp::Max if !folds => self.named("max", &[lhs, rhs]),
                // The form that folds: the values of unknown operands may be constants, and may have been folded as
                // they were read.
                BinaryOp::Div if self.is_unknown(lhs) || self.is_unknown(rhs) => {
                    self.named("truncdiv", &[lhs, rhs])
                }
                _ => self.named(constructor(op), &[lhs, rhs]),
            },
        }
    }

    /// An operand, in parentheses if it binds less tightly than `level`.
    fn operand(&mut self, expr: ExprId, level: Level) {
        let parenthesize = self.level(expr) < level;
        self.maybe_parenthesized(expr, parenthesize);
    }

    /// An operand, in parentheses if it does not bind more tightly than `level`.
    fn operand_above(&mut self, expr: ExprId, level: Level) {
        let parenthesize = self.level(expr) <= level;
        self.maybe_parenthesized(expr, parenthesize);
    }

    fn maybe_parenthesized(&mut self, expr: ExprId, parenthesize: bool) {
        if parenthesize {
            self.out.push('(');
        }
        self.expr(expr);
        if parenthesize {
            self.out.push(')');
        }
    }

    fn level(&self, expr: ExprId) -> Level {
        if self.given.contains_key(&expr) {
            return Level::Atom;
        }
        match self.body.expr(expr).kind {
            ExprKind::Binary(op, _, rhs) if self.is_negation(op, rhs) => Level::Unary,
            ExprKind::Binary(op, lhs, rhs) => {
                let is_float = self.divides_as_float(lhs);
                match infix(op, is_float) {
                    Some((_, level)) if !self.would_fold(op, lhs, rhs) => level,
                    _ => Level::Atom,
                }
            }
            ExprKind::Unary(UnaryOp::Not, operand) if !self.is_const(operand) => Level::Not,
            ExprKind::Unary(UnaryOp::BitNot, operand) if !self.is_bare(operand) => Level::Unary,
            // A number of Python.
            ExprKind::Opaque { text, .. }
                if self.body.name(text).bytes().all(|it| it.is_ascii_digit() || it == b'.') =>
            {
                Level::Atom
            }
            ExprKind::Lambda { .. } | ExprKind::Opaque { .. } => Level::Lambda,
            ExprKind::IfThenElse(condition, ..) if self.is_python(condition) => Level::Lambda,
            ExprKind::Value(value) if self.body.is_captured(value) => {
                Level::of_text(self.body.name(self.body.values[value].name))
            }
            ExprKind::Slice { .. } => Level::Lambda,
            ExprKind::Cast(value) if self.body.ty(expr) == Type::Unknown => self.level(value),
            _ => Level::Atom,
        }
    }

    fn named(&mut self, name: &str, args: &[ExprId]) {
        self.push(format_args!("T.{name}("));
        for (index, &arg) in args.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg);
        }
        self.out.push(')');
    }

    pub(super) fn comma_list(&mut self, list: ExprListId) {
        for (index, &item) in self.body.items(list).iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.expr(item);
        }
    }

    pub(super) fn brackets(&mut self, indices: ExprListId) {
        if self.body.items(indices).is_empty() {
            self.out.push_str("[()]");
            return;
        }
        self.out.push('[');
        self.comma_list(indices);
        self.out.push(']');
    }

    fn load(&mut self, buffer: crate::BufferId, indices: ExprListId, predicate: Option<ExprId>) {
        let name = self.buffer_name(buffer);
        self.out.push_str(&name);
        if self.is_variable(buffer) {
            return;
        }
        match predicate {
            None => self.brackets(indices),
            Some(predicate) => {
                self.out.push_str(".vload([");
                self.comma_list(indices);
                self.out.push_str("], predicate=");
                self.expr(predicate);
                self.out.push(')');
            }
        }
    }

    fn let_expr(&mut self, id: ExprId, value: ExprId, body: ExprId) {
        self.names.open_scope();
        let name = match self.let_names.get_mut(&id) {
            // What is printed more often than it stands in the statement repeats the last.
            Some(declared) if declared.len() > 1 => declared.pop_front(),
            Some(declared) => declared.front().cloned(),
            None => None,
        };
        let name = name.unwrap_or_else(|| self.names.fresh(&self.binder_name(id, 0)));
        self.out.push_str("T.Let(");
        self.binders.push(name.clone());
        self.expr(body);
        self.binders.pop();
        self.push(format_args!(", where={{{name}: "));
        self.expr(value);
        self.out.push_str("})");
        self.names.close_scope();
    }

    /// Declares the variables of all `Let`s in an operation's operands: TVM reads only a `T.Let` of a variable that is
    /// there (`x = T.float32()`), and no variable that two of them bind. Equal ones are one node, so each occurrence
    /// gets a variable of its own. Walks the printed parts of the statement.
    pub(super) fn declare_lets(&mut self, op: OpId) {
        let body = self.body;
        let mut stack: Vec<ExprId> = body.ops[op].operands.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            let node = body.expr(id);
            if !node.flags.has_binder {
                continue;
            }
            if let ExprKind::Let { value, .. } = node.kind {
                let name = self.names.fresh(&self.binder_name(id, 0));
                let ty = body.dtype(value).filter(|it| !it.is_symbolic());
                let ty = ty.unwrap_or(DataType::INT32);
                self.line(format_args!("{name} = T.{ty}()"));
                self.let_names.entry(id).or_default().push_back(name);
            }
            let before = stack.len();
            body.each_child(node.kind, &mut |child| stack.push(child));
            stack[before..].reverse();
        }
    }

    fn lambda(&mut self, id: ExprId, params: u32, body: ExprId) {
        self.names.open_scope();
        self.out.push_str("lambda");
        for index in 0..params {
            let wanted = self.binder_name(id, index as usize);
            let name = self.names.fresh(&wanted);
            self.push(format_args!("{} {name}", if index == 0 { "" } else { "," }));
            self.binders.push(name);
        }
        self.out.push_str(": ");
        match self.body.expr(body).kind {
            // Several results are a tuple in Python; a list would be one result.
            ExprKind::Tuple(results) if self.body.items(results).len() > 1 => {
                self.out.push('(');
                self.comma_list(results);
                self.out.push(')');
            }
            _ => self.expr(body),
        }
        self.binders.truncate(self.binders.len() - params as usize);
        self.names.close_scope();
    }

    fn binder_name(&self, binder: ExprId, index: usize) -> String {
        let name = self.body.binder_names(binder).and_then(|names| names.get(index));
        name.map_or_else(|| "x".to_owned(), |&name| self.body.name(name).to_owned())
    }

    fn call(&mut self, kind: ExprKind, ty: Type) {
        let ExprKind::Call { callee, args, attrs, .. } = kind else { return };
        let tilelang = match callee {
            Callee::Intrinsic(name, _) if self.body.name(name).starts_with("tl.") => {
                crate::effects::tilelang_op(self.body.name(name))
            }
            _ => None,
        };
        // The operands that stand before the name.
        let mut n_before = 0;
        match callee {
            Callee::Intrinsic(name, it) if self.is_retyped(it, args, ty) => {
                let name = self.body.name(name);
                self.push(format_args!(
                    "T.call_intrin({}, \"tirx.{name}\", ",
                    self.type_operand(ty)
                ));
            }
            // `T` has no name for it.
            Callee::Intrinsic(_, Intrinsic::BufferOffset)
                if let &[place] = self.body.items(args)
                    && let ExprKind::Load { buffer, indices, .. } = self.body.expr(place).kind =>
            {
                let name = self.buffer_name(buffer);
                self.push(format_args!("{name}.elem_offset_of("));
                self.brackets(indices);
                return self.out.push(')');
            }
            Callee::Intrinsic(name, _) if self.body.name(name).starts_with(crate::ATTRIBUTE_OF) => {
                if let Some(&object) = self.body.items(args).first() {
                    self.operand(object, Level::Atom);
                }
                let name = &self.body.name(name)[crate::ATTRIBUTE_OF.len()..];
                return self.push(format_args!(".{name}"));
            }
            Callee::Intrinsic(name, _) if self.body.name(name).starts_with(crate::METHOD_OF) => {
                if let Some(&object) = self.body.items(args).first() {
                    self.operand(object, Level::Atom);
                }
                let name = &self.body.name(name)[crate::METHOD_OF.len()..];
                n_before = 1;
                self.push(format_args!(".{name}("));
            }
            Callee::Intrinsic(name, _) => {
                let name = self.body.name(name);
                match instruction(name) {
                    Some(instruction) => self.push(format_args!("T.ptx[\"{instruction}\"](")),
                    None => {
                        let name = tilelang.map_or(name, |it| it.printed());
                        self.push(format_args!("T.{name}("))
                    }
                }
            }
            Callee::Function(name) | Callee::Unknown(name) => {
                self.push(format_args!("{}(", self.body.name(name)))
            }
        }
        let (args, attrs) = (self.body.items(args), self.body.dict(attrs));
        let is_keyword = |attr: &Attr| matches!(attr, Attr::Operand(_));
        let n_keywords = attrs.iter().filter(|it| is_keyword(&it.1)).count();
        let positional = &args[..args.len().saturating_sub(n_keywords)];
        // An instruction whose name Python computes, or a function of Python: it is given what is written.
        let is_of_python = match callee {
            Callee::Unknown(_) => true,
            Callee::Intrinsic(name, _) => self.body.name(name).starts_with("ptx["),
            Callee::Function(_) => false,
        };
        let mut is_first = true;
        let (spellings, attrs): (Vec<_>, Vec<_>) =
            attrs.iter().partition(|(key, _)| key.starts_with('#'));
        for (index, &arg) in positional.iter().enumerate().skip(n_before) {
            if !std::mem::take(&mut is_first) {
                self.out.push_str(", ");
            }
            match spellings.iter().find(|(key, _)| *key == crate::spelling_key(index)) {
                Some((_, spelling)) => {
                    let text = self.attr_text(spelling);
                    self.out.push_str(&text);
                }
                None => match tilelang.and_then(|it| it.regions.get(index)) {
                    Some(&access) => {
                        let key = crate::access_key(index);
                        let written = spellings.iter().find(|it| *it.0 == *key).map(|it| &it.1);
                        match written {
                            Some(&Attr::Int(access, _)) => self.tile_region(arg, access),
                            _ => self.tile_region(arg, i64::from(access)),
                        }
                    }
                    None => match self.body.expr(arg).kind {
                        ExprKind::Int(value) if is_of_python && self.body.ty(arg).is_bool() => {
                            self.out.push_str(if value != 0 { "True" } else { "False" });
                        }
                        _ => self.expr(arg),
                    },
                },
            }
        }
        for (key, value) in attrs {
            if !std::mem::take(&mut is_first) {
                self.out.push_str(", ");
            }
            match value {
                Attr::Operand(index) if (*index as usize) < args.len() => {
                    // `f(**all)`
                    self.push(format_args!("{key}{}", if &**key == "**" { "" } else { "=" }));
                    self.expr(args[*index as usize]);
                }
                value => {
                    let value = self.keyword_text(key, value);
                    self.out.push_str(&value);
                }
            }
        }
        self.out.push(')');
        if matches!(callee, Callee::Intrinsic(_, Intrinsic::PointerType)) {
            self.out.push_str(".ty");
        }
    }

    /// Returns true if a call has a type that differs from the result type of TVM's function of this name:
    /// `A.access_ptr("r")` gives a plain handle.
    fn is_retyped(&self, of: Intrinsic, args: ExprListId, ty: Type) -> bool {
        let [element, pointer, ..] = *self.body.items(args) else { return false };
        let (Some(element), Type::Pointer { scope, .. }) =
            (self.body.dtype(element), self.body.ty(pointer))
        else {
            return false;
        };
        !self.is_legacy() && of == Intrinsic::AccessPtr && ty != Type::Pointer { element, scope }
    }

    /// A type as an operand.
    fn type_operand(&self, ty: Type) -> String {
        match ty {
            Type::Prim(dtype) => self.dtype_text(dtype),
            ty => format!("{}.ty", self.type_text(ty)),
        }
    }
}

/// The name of an instruction of PTX as PTX spells it, if Python cannot spell it as attributes:
/// `cp.async.bulk.tensor.2d`.
fn instruction(name: &str) -> Option<String> {
    let path = name.strip_prefix("ptx.")?;
    let is_spelt =
        |part: &str| part != "async" && !part.starts_with(|it: char| it.is_ascii_digit());
    if path.split('.').all(is_spelt) {
        return None;
    }
    let parts = path.split('.').map(|it| it.trim_end_matches('_'));
    let text = parts.collect::<Vec<_>>().join(".");
    Some(text.replace("__colon__", ":").replace("__", "::"))
}
