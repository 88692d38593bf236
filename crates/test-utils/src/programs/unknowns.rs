//! Unknown names: data types, integers, strings, functions and lanes from the Python around the function.
//!
//! A value often goes through a captured name, and its recomputation through another one: two of them are equal only to
//! themselves, though they may have one value.

use super::{
    generate::Generator,
    tree::{
        Capture, CaptureId, CaptureKind, Expr, ExprKind, Extent, Form, Home, Stmt, StmtKind, Type,
    },
};

/// A value through a data type and back.
const CASTS: [&str; 3] = [
    "T.Cast(\"{t}\", T.Cast({c0}, {0}))",
    "T.Cast(\"{t}\", T.cast({0}, {c0}))",
    "T.Cast(\"{t}\", {0}.astype({c0}))",
];

/// The kinds of names, each with how many of them a program captures.
const CAPTURES: [(CaptureKind, usize); 6] = [
    (CaptureKind::DataType, 3),
    (CaptureKind::Word, 2),
    (CaptureKind::Int, 3),
    (CaptureKind::Text, 2),
    (CaptureKind::Callable, 2),
    (CaptureKind::Lanes, 2),
];

impl Generator<'_> {
    /// The names that the program may capture.
    pub(super) fn captures(&mut self) {
        for (kind, n) in CAPTURES {
            for _ in 0..n {
                let is_parameter = !self.rng.one_in(3);
                self.program.captures.push(Capture { kind, is_parameter });
            }
        }
    }

    /// Multiplies the lengths of some parameters by a captured integer.
    pub(super) fn capture_shapes(&mut self) {
        for at in 0..self.program.buffers.len() {
            let buffer = &self.program.buffers[at];
            if buffer.home == Home::Param
                && buffer.shape == [Extent::Const(16)]
                && self.rng.one_in(4)
            {
                let capture = self.pick_capture(CaptureKind::Int);
                self.program.buffers[at].shape = vec![Extent::Times(capture, 16)];
            }
        }
    }

    fn pick_capture(&mut self, kind: CaptureKind) -> CaptureId {
        let captures = &self.program.captures;
        let of_kind: Vec<CaptureId> =
            (0..captures.len()).filter(|it| captures[*it].kind == kind).collect();
        *self.rng.pick(&of_kind)
    }

    fn through(&mut self, ty: Type, text: &str, kind: CaptureKind, of: Vec<Expr>) -> Expr {
        let capture = self.pick_capture(kind);
        Expr::new(ty, ExprKind::Form(Box::new(Form::of_capture(text, capture))), of)
    }

    /// A captured integer.
    pub(super) fn captured_int(&mut self) -> Expr {
        self.through(Type::I32, "{c0}", CaptureKind::Int, Vec::new())
    }

    /// Another name of the same kind in a form that captures one.
    pub(super) fn swap_capture(&mut self, form: &mut Form) {
        if let Some(&first) = form.captures.first() {
            form.captures[0] = self.pick_capture(self.program.captures[first].kind);
        }
    }

    /// A value, sometimes through a captured name.
    pub(super) fn through_unknown(&mut self, node: Expr) -> Expr {
        let ty = node.ty;
        if ty == Type::Bool || !self.rng.one_in(4) {
            return node;
        }
        let is_int = ty == Type::I32;
        match self.rng.below(10) {
            0 if is_int => {
                let op = *self.rng.pick(&["*", "+", "//", "%"]);
                let k = self.captured_int();
                Expr::infix(ty, op, node, k)
            }
            1 | 2 if is_int => {
                let op = *self.rng.pick(&["//", "%"]);
                let k = self.captured_int();
                Expr::infix(ty, op, node, k)
            }
            3 if ty.bits() == 32 => {
                let text = "T.reinterpret(\"{t}\", T.reinterpret({c0}, {0}) + T.Cast({c0}, {0}))";
                self.through(ty, text, CaptureKind::Word, vec![node])
            }
            4 => {
                let text = "T.call_pure_extern(\"{t}\", {c0}, {0})";
                self.through(ty, text, CaptureKind::Text, vec![node])
            }
            5 => {
                let text = "T.Cast(\"{t}\", T.call_pure_extern({c0}, \"known\", {0}))";
                self.through(ty, text, CaptureKind::DataType, vec![node])
            }
            _ => {
                // A number of Python has no methods.
                let names = |it: &Expr| matches!(it.kind, ExprKind::Var(_) | ExprKind::Load(_));
                let is_number = !node.any(&mut |it| names(it));
                let text = CASTS[self.rng.below(if is_number { 2 } else { 3 })];
                self.through(ty, text, CaptureKind::DataType, vec![node])
            }
        }
    }

    /// A call of a captured function, or vectors of captured lanes.
    pub(super) fn unknown_statement(&mut self, list: &mut Vec<Stmt>) -> bool {
        if self.in_kernel || self.owner.is_some() {
            return false;
        }
        if self.rng.one_in(6) {
            return self.captured_lanes(list);
        }
        let operand = self.expr(Type::I32, 2);
        let mut form = Form::new("{c0}({0})");
        form.captures.push(self.pick_capture(CaptureKind::Callable));
        if self.rng.one_in(2)
            && let Some(target) = self.target()
        {
            form.text = (*self.rng.pick(&["{c0}({0}, {b0}.data)", "{c0}({b0}, {0})"])).into();
            form.buffers.push(target);
        }
        if self.rng.one_in(2) {
            form.text = format!("T.evaluate({})", form.text).into();
            list.push(Stmt::new(StmtKind::Form(Box::new(form)), vec![operand]));
            return true;
        }
        form.text = format!("T.Cast(\"{{t}}\", {})", form.text).into();
        let ty = if self.rng.one_in(2) { Type::I32 } else { self.ty() };
        let call = Expr::new(ty, ExprKind::Form(Box::new(form)), vec![operand]);
        let var = self.declare(ty, None);
        list.push(Stmt::new(StmtKind::Let(var, ty), vec![call]));
        true
    }

    /// `b[T.Ramp(0, 1, n)] = T.Broadcast(x, n) * T.Broadcast(y, n)`
    fn captured_lanes(&mut self, list: &mut Vec<Stmt>) -> bool {
        let Some(target) = self.target() else { return false };
        let buffer = &self.program.buffers[target as usize];
        if buffer.shape != [Extent::Const(16)] || !buffer.ty.is_float() && !buffer.ty.is_integer() {
            return false;
        }
        let ty = buffer.ty;
        let (x, y) = (self.expr(ty, 2), self.expr(ty, 2));
        let at = Expr::int(self.rng.below(6) as i64);
        let op = *self.rng.pick(&["+", "*", "-"]);
        let text = format!(
            "{{b0}}[T.Ramp({{0}}, 1, {{c0}})] = T.Broadcast({{1}}, {{c0}}) {op} T.Broadcast({{2}}, {{c0}})"
        );
        let capture = self.pick_capture(CaptureKind::Lanes);
        let form = Form { buffers: vec![target], ..Form::of_capture(&text, capture) };
        let stmt = Stmt::new(StmtKind::Form(Box::new(form)), vec![at, x, y]);
        if self.rng.one_in(2) {
            let mut again = stmt.clone();
            if let StmtKind::Form(form) = &mut again.kind {
                self.swap_capture(form);
            }
            list.push(again);
        }
        list.push(stmt);
        true
    }
}
