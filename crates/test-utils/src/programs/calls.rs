//! Calls of operators that are given pointers: at every position, by keyword, in tuples; and elements that are meant as
//! places.
//!
//! Around a call there are stores to its operands and the same loads before and after it: a pass that treats the call
//! as a value merges them.

use super::{
    generate::{Access, Generator},
    tree::{BufferId, Expr, ExprKind, Form, Stmt, StmtKind, Type},
};

/// How a pointer to an element is written.
const POINTERS: [&str; 6] = [
    "B.data",
    "B.ptr_to([I])",
    "T.address_of(B[I])",
    "B.access_ptr(\"rw\")",
    "B.access_ptr(\"w\")",
    "B.ptr_to([I])",
];
const KEYWORDS: [&str; 4] = ["dst", "out", "pred", "mbar"];

/// An operator, as the calls of a program name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// As it is written: `T.ptx.ldmatrix`.
    pub name: String,
    /// True if its result may be cast.
    pub is_value: bool,
    /// True if a call with an operand by keyword is still a call: a value call is kept as its text only, and is not
    /// executed.
    pub takes_keywords: bool,
}

/// A call while it is written: its text with holes, and their contents.
#[derive(Default)]
struct Call {
    arguments: Vec<String>,
    buffers: Vec<BufferId>,
    operands: Vec<Expr>,
}

impl Call {
    fn operand(&mut self, operand: Expr) -> String {
        self.operands.push(operand);
        format!("{{{}}}", self.operands.len() - 1)
    }

    /// A text about an element of a buffer: `B` stands for the buffer, `I` for the indices.
    fn element(&mut self, text: &str, buffer: BufferId, indices: &[Expr]) -> String {
        let at = self.buffers.iter().position(|it| *it == buffer).unwrap_or_else(|| {
            self.buffers.push(buffer);
            self.buffers.len() - 1
        });
        let mut text = text.replace('B', &format!("{{b{at}}}"));
        if text.contains('I') {
            let holes: Vec<String> = indices.iter().map(|it| self.operand(it.clone())).collect();
            text = text.replace('I', &holes.join(", "));
        }
        text
    }
}

/// An element that a call is given.
struct Target {
    buffer: BufferId,
    indices: Vec<Expr>,
}

impl Generator<'_> {
    /// A call of the next of the operators, with stores and loads around it.
    pub(super) fn operator_call(&mut self, operators: &[Operator], list: &mut Vec<Stmt>) -> bool {
        if self.in_kernel || self.owner.is_some() || operators.is_empty() {
            return false;
        }
        let Some(target) = self.element() else { return false };
        let ty = self.program.buffers[target.buffer as usize].ty;
        let load = Expr::new(ty, ExprKind::Load(target.buffer), target.indices.clone());
        let store = |value: Expr| {
            let exprs = std::iter::once(value).chain(target.indices.iter().cloned()).collect();
            Stmt::new(StmtKind::Store(target.buffer), exprs)
        };
        if self.rng.one_in(2) {
            let value = self.expr(ty, 1);
            list.push(store(value));
        }
        let seen = match self.rng.below(3) {
            1 if ty != Type::Bool => Expr::infix(ty, "+", load, self.literal(ty)),
            2 if ty != Type::Bool => Expr::infix(ty, "*", load.clone(), load),
            _ => load,
        };
        if self.rng.one_in(2) {
            self.show(&seen, list);
        }
        self.call(operators, &target, list);
        if !self.rng.one_in(4) {
            self.show(&seen, list);
        }
        if self.rng.one_in(3) {
            let value = self.expr(ty, 1);
            list.push(store(value));
        }
        true
    }

    /// An element that a call may be given.
    fn element(&mut self) -> Option<Target> {
        let free: Vec<BufferId> =
            self.buffers.iter().filter(|it| it.1 == Access::Free).map(|it| it.0).collect();
        if free.is_empty() {
            return None;
        }
        let buffer = *self.rng.pick(&free);
        Some(Target { buffer, indices: self.indices(buffer)? })
    }

    /// A store of a value to some element of its type, or a name for it.
    fn show(&mut self, value: &Expr, list: &mut Vec<Stmt>) {
        let ty = value.ty;
        let target = self.target().filter(|it| self.program.buffers[*it as usize].ty == ty);
        if let Some(store) = target.and_then(|it| self.store_of(it, value.clone())) {
            return list.push(store);
        }
        let var = self.declare(ty, None);
        list.push(Stmt::new(StmtKind::Let(var, ty), vec![value.clone()]));
    }

    /// A call that is given the element, as a statement or as a value with a name; sometimes one that was there before.
    fn call(&mut self, operators: &[Operator], target: &Target, list: &mut Vec<Stmt>) {
        if !self.made.is_empty() && self.rng.one_in(4) {
            let again = self.rng.pick(&self.made).clone();
            if self.is_allowed(&again) {
                return list.push(Stmt::new(StmtKind::Evaluate, vec![again]));
            }
        }
        let operator = &operators[self.next_name % operators.len()];
        self.next_name += 1;
        let call = self.arguments(operator, target);
        let text = format!("{}({})", operator.name, call.arguments.join(", "));
        let form = Form { buffers: call.buffers, ..Form::new(&text) };
        let mut node = Expr::new(Type::I32, ExprKind::Form(Box::new(form)), call.operands);
        if operator.is_value && self.rng.one_in(2) {
            if let ExprKind::Form(form) = &mut node.kind {
                form.text = format!("T.Cast(\"{{t}}\", {text})").into();
            }
            self.made.push(node.clone());
            let var = self.declare(Type::I32, None);
            return list.push(Stmt::new(StmtKind::Let(var, Type::I32), vec![node]));
        }
        self.made.push(node.clone());
        list.push(Stmt::new(StmtKind::Evaluate, vec![node]));
    }

    /// Arguments: the element at one of the positions or by keyword, other things at the others.
    fn arguments(&mut self, operator: &Operator, target: &Target) -> Call {
        let mut call = Call::default();
        let n = 1 + self.rng.below(3);
        let is_keyword = self.rng.one_in(4) && operator.takes_keywords;
        let place = self.rng.below(n);
        for at in 0..n {
            let text = match at == place && !is_keyword {
                true => self.pointer(target, &mut call),
                false => self.other(&mut call),
            };
            call.arguments.push(text);
        }
        if is_keyword {
            let keyword = *self.rng.pick(&KEYWORDS);
            let mut text = self.pointer(target, &mut call);
            if self.rng.one_in(3) {
                let other = self.other(&mut call);
                text = format!("({text}, {other})");
            }
            call.arguments.push(format!("{keyword}={text}"));
        }
        call
    }

    fn pointer(&mut self, target: &Target, call: &mut Call) -> String {
        let text = *self.rng.pick(&POINTERS);
        call.element(text, target.buffer, &target.indices)
    }

    /// A number, an element or a pointer to one.
    fn other(&mut self, call: &mut Call) -> String {
        let number = match self.rng.below(5) {
            0 | 1 => Expr::int(self.rng.below(8) as i64),
            2 => self.expr(Type::I32, 1),
            kind => match self.element() {
                Some(it) if kind == 3 => return self.pointer(&it, call),
                Some(it) => return call.element("B[I]", it.buffer, &it.indices),
                None => Expr::int(1),
            },
        };
        call.operand(number)
    }
}
