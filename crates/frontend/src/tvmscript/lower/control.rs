//! Statements of control: `return`, `assert`, `if`, `while`.

use ir::{Attr, AttrDict, DataType, OpKind, Type};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    value::{Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run, StKind},
    environment::Constant,
    source_map::{DefinitionId, DefinitionKind},
    staging::operators,
};

impl Lowerer<'_, '_, '_> {
    pub(super) fn return_statement(&mut self, value: Option<Ex>) -> R<()> {
        if self.is_tile_source() {
            return self.returned(value);
        }
        let operand = match value {
            Some(value) if !self.is_none(value) => Some(self.expr(value)?),
            _ => None,
        };
        let operands: SmallVec<[Tx; 1]> = operand.into_iter().collect();
        self.emit(OpKind::Return, &operands);
        Ok(())
    }

    pub(super) fn assert_statement(&mut self, condition: Ex, message: Option<Ex>) -> R<()> {
        let ev = self.decision(condition)?;
        let is_of_ir = matches!(ev.val, Val::Expr(_) | Val::Cell(_) | Val::Bound(..));
        if self.is_tile_source() && !is_of_ir {
            // Python asserts it when the kernel is made.
            return Ok(());
        }
        if let Val::Const(it) = &ev.val
            && !matches!(it, Constant::Bool(_))
        {
            return Err(self.malformed(condition, "`assert` needs a condition"));
        }
        let condition = self.lift(&ev)?;
        self.check_bool(condition, "assert")?;
        let ast = self.ast;
        let mut attrs = AttrDict::new();
        let parts = |it: Ex| match ast.kind(it) {
            ExKind::Tuple(run) => ast.exs(*run),
            _ => &[],
        };
        match message.map(|it| (it, parts(it))) {
            Some((_, &[kind, message])) => {
                attrs.push(("kind".into(), self.message_attr(kind)));
                attrs.push(("message".into(), self.message_attr(message)));
            }
            Some((message, _)) => attrs.push(("message".into(), self.message_attr(message))),
            None => attrs.push(("message".into(), Attr::Str("".into()))),
        }
        let attrs = self.s.body.attr_dict(attrs);
        let op = self.emit(OpKind::Assert, &[condition]);
        self.s.body.ops[op].attrs = attrs;
        Ok(())
    }

    pub(super) fn if_statement(&mut self, condition: Ex, then: Run, otherwise: Run) -> R<()> {
        let decision = self.decision(condition)?;
        match &decision.val {
            // Python decides; the names of the arm that is taken stay visible.
            Val::Const(it) => {
                let taken = if operators::truth(it) { then } else { otherwise };
                self.s.site = None;
                self.stmts(taken);
                return Ok(());
            }
            Val::Unknown(id)
                if self.is_captured(&decision.val)
                    && let Some(holds) = self.checked_truth(*id) =>
            {
                self.s.site = None;
                self.stmts(if holds { then } else { otherwise });
                return Ok(());
            }
            // There is a kernel only where Python takes the arm that does not raise.
            Val::Unknown(_)
                if self.is_captured(&decision.val)
                    && let Some(taken) = self.arm_of_kernel(then, otherwise) =>
            {
                self.s.site = None;
                self.stmts(taken);
                return Ok(());
            }
            Val::Unknown(_) if self.is_captured(&decision.val) => {
                if self.opens_scope(then) || self.opens_scope(otherwise) {
                    return Err(super::Reported);
                }
                let value = self.lift(&decision)?;
                if !self.s.body.expr(value.id).flags.has_unknown {
                    self.static_choice(value, then, otherwise);
                    return Ok(());
                }
                return Err(super::Reported);
            }
            Val::Unknown(_) => return Err(super::Reported),
            // What is in it by now, only Python knows.
            Val::Dict | Val::Entries(_) if self.is_tile_source() => {
                self.note_kept(self.range(condition));
                return Err(super::Reported);
            }
            _ => {}
        }
        let value = self.lift(&decision)?;
        if self.may_be_python(value.id) {
            return Err(super::Reported);
        }
        let (value, attrs) = self.truth(value, "if")?;
        let op = self.emit(OpKind::If, &[value]);
        self.s.body.ops[op].attrs = attrs;
        let statement = self.s.stmt_range;
        self.in_region(op, |this| this.suite_or_pass(then));
        if !otherwise.is_empty() {
            self.in_region(op, |this| this.suite_or_pass(otherwise));
        }
        self.record_ends(op, statement, then, otherwise);
        Ok(())
    }

    /// Of two arms that TileLang's Python chooses from, the one that does not raise, if the other does nothing else.
    fn arm_of_kernel(&self, then: Run, otherwise: Run) -> Option<Run> {
        match [then, otherwise].map(|it| self.raises(it)) {
            _ if !self.is_tile_source() => None,
            [true, false] => Some(otherwise),
            [false, true] => Some(then),
            _ => None,
        }
    }

    /// Returns true if a statement of an arm opens a scope that ends with the list around it.
    fn opens_scope(&self, run: Run) -> bool {
        let ast = self.ast;
        ast.sts(run).iter().any(|&st| {
            let call = match ast.stmt(st).kind {
                StKind::Expr(ex) => ex,
                StKind::Assign { value, .. } => value,
                _ => return false,
            };
            let ExKind::Call { callee, .. } = *ast.kind(call) else { return false };
            let ExKind::Attr { name, .. } = *ast.kind(callee) else { return false };
            matches!(name, "launch_thread" | "attr" | "let" | "LetStmt" | "allocate" | "realize")
        })
    }

    /// An `if` by which Python decides: each arm is the kernel under its condition. A name that an arm gives a meaning
    /// keeps it where both give the same, and is not known otherwise (`SEMANTICS: G5`).
    fn static_choice(&mut self, condition: Tx, then: Run, otherwise: Run) {
        let op = self.emit(OpKind::If, &[condition]);
        let statement = self.s.stmt_range;
        let end = self.ast_end(then, otherwise);
        let mut meanings: Vec<Vec<(ir::NameId, Val, DefinitionId)>> = Vec::new();
        for run in [then, otherwise] {
            if run.is_empty() {
                meanings.push(Vec::new());
                continue;
            }
            self.s.scopes.push_frame();
            self.in_region(op, |this| {
                this.block_body(run);
                this.leave_static_arm(end);
            });
            let names = self.s.scopes.frame_names();
            let vals = names.into_iter().filter_map(|(name, definition)| {
                let val = self.s.scopes.lookup(name)?.val.clone();
                Some((name, val, definition))
            });
            meanings.push(vals.collect());
            self.s.scopes.pop_frame();
        }
        let all: Vec<(ir::NameId, DefinitionId)> =
            meanings.iter().flatten().map(|(name, _, definition)| (*name, *definition)).collect();
        let mut done = rustc_hash::FxHashSet::default();
        for (name, definition) in all {
            if !done.insert(name) || !self.is_used_after(name, end) {
                continue;
            }
            let mut vals = meanings.iter().map(|arm| {
                let own = arm.iter().find(|it| it.0 == name).map(|it| it.1.clone());
                own.or_else(|| self.s.scopes.lookup(name).map(|it| it.val.clone()))
            });
            let (first, second) = (vals.next().flatten(), vals.next().flatten());
            let val = match (first, second) {
                (Some(a), Some(b)) if same_meaning(&a, &b) => a,
                _ => {
                    let is_meta = |it: &(ir::NameId, Val, DefinitionId)| {
                        let definition = &self.s.definitions[it.2.0 as usize];
                        it.0 == name && definition.kind == DefinitionKind::Meta
                    };
                    if meanings.iter().flatten().any(is_meta) {
                        // No statement of the body gives it the name.
                        self.note_kept(self.s.definitions[definition.0 as usize].range);
                    }
                    let text = self.s.body.name(name).to_owned();
                    Val::Unknown(self.s.body.push_result(op, &text, Type::Unknown))
                }
            };
            self.s.scopes.define(name, val, definition);
        }
        self.record_ends(op, statement, then, otherwise);
    }

    /// The end of the last statement of two lists.
    fn ast_end(&self, then: Run, otherwise: Run) -> syntax::TextSize {
        let ast = self.ast;
        let last = ast.sts(otherwise).last().or_else(|| ast.sts(then).last());
        last.map_or_else(|| 0.into(), |&it| ast.stmt(it).range.end())
    }

    /// Returns true if the text after a place mentions a name; in the text of a macro, always.
    fn is_used_after(&self, name: ir::NameId, end: syntax::TextSize) -> bool {
        let text = self.s.body.name(name);
        self.expansion.is_some() || self.ast.last_mention(text).is_some_and(|it| it >= end)
    }

    /// Counts the names of an arm that are used after it as used there.
    fn leave_static_arm(&mut self, end: syntax::TextSize) {
        let mut operands: SmallVec<[Tx; 4]> = SmallVec::new();
        for (name, definition) in self.s.scopes.frame_names() {
            // What an arm only names is not of the arm.
            let is_meta = self.s.definitions[definition.0 as usize].kind == DefinitionKind::Meta;
            if is_meta || !self.is_used_after(name, end) {
                continue;
            }
            let id = match self.s.scopes.lookup(name).map(|it| &it.val) {
                Some(Val::Expr(id)) if self.is_of_arm(*id) => *id,
                Some(Val::Buffer(buffer) | Val::Cell(buffer)) => {
                    let kind = ir::ExprKind::Buffer(*buffer);
                    self.s.body.make(kind, DataType::HANDLE.into())
                }
                _ => continue,
            };
            let range = self.s.stmt_range;
            operands.push(self.tx(id, super::At { range, is_real: false }));
        }
        if !operands.is_empty() {
            let nothing = self.s.body.intern("");
            self.emit(OpKind::Opaque(nothing), &operands);
        }
    }

    /// Returns true if a value may be one that a statement of an arm makes.
    fn is_of_arm(&self, id: ir::ExprId) -> bool {
        let node = self.s.body.expr(id);
        let is_result = |it: ir::ValueId| {
            matches!(self.s.body.values[it].kind, ir::ValueKind::Result(..))
                && self.is_tile_source()
        };
        !node.flags.has_captured || matches!(node.kind, ir::ExprKind::Value(it) if is_result(it))
    }

    /// Returns true if a value may be a Python value when TVM reads the function, so that Python decides by it. An
    /// operator gives IR where an operand is IR.
    pub(super) fn may_be_python(&self, id: ir::ExprId) -> bool {
        use ir::{Callee, ExprKind as K, ValueKind as V};
        let body = &self.s.body;
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![id];
        // A constant that is an expression already, `T.bool(False)`, is IR as well; one beside a value of Python is
        // either.
        let mut has_python = false;
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = body.expr(id);
            match node.kind {
                K::Int(_) | K::Float(_) | K::Str(_) => {}
                K::Opaque { .. } => has_python = true,
                K::Value(value) => {
                    let value = &body.values[value];
                    let is_python = match value.kind {
                        V::Captured => value.ty == Type::Unknown,
                        V::Result(op, _) => {
                            let operand = body.ops[op].operands.first();
                            let is_index =
                                operand.is_some_and(|&it| ir::role::defines_threads(body, it));
                            matches!(body.ops[op].kind, OpKind::Opaque(_))
                                || body.is_plain_name(op) && !is_index
                        }
                        // `T.constexpr`.
                        V::Param(_) | V::Symbol => value.ty == Type::Unknown,
                        V::BlockArg(..) => false,
                    };
                    if !is_python {
                        return false;
                    }
                    has_python = true;
                }
                K::Binary(..) | K::Unary(..) | K::Tuple(_) => {
                    body.each_child(node.kind, &mut |it| stack.push(it));
                }
                K::Call { callee: Callee::Unknown(_), .. } => has_python = true,
                K::Call { callee: Callee::Intrinsic(name, _), .. }
                    if super::objects::is_member(body.name(name)) =>
                {
                    has_python = true;
                }
                // A choice: of one value of Python or the other where Python chooses.
                K::IfThenElse(condition, ..) => stack.push(condition),
                _ => return false,
            }
        }
        has_python
    }

    pub(super) fn while_statement(&mut self, condition: Ex, body: Run) -> R<()> {
        let condition = self.expr(condition)?;
        let (condition, attrs) = self.truth(condition, "while")?;
        let op = self.emit(OpKind::While, &[condition]);
        self.s.body.ops[op].attrs = attrs;
        self.in_region(op, |this| this.suite_or_pass(body));
        Ok(())
    }

    /// The condition of an `if` or `while`, and the attributes by which it is printed: TVM takes a number for whether
    /// it is not zero.
    pub(super) fn truth(&mut self, value: Tx, of: &str) -> R<(Tx, ir::AttrDictId)> {
        let is_number = |it: DataType| (it.is_integer() || it.is_float()) && it.is_scalar();
        let Some(dtype) = self.dtype(value).filter(|&it| is_number(it) && !it.is_bool()) else {
            self.check_bool(value, of)?;
            return Ok((value, ir::Body::no_attrs()));
        };
        let at = super::At { range: self.tx_range(value), is_real: false };
        let src = self.s.sources.leaf(at);
        let zero = self.const_as(0, dtype, src)?;
        let condition = self.node2(ir::BinaryOp::Ne, value, zero, at);
        Ok((condition, self.s.body.attr_dict(vec![(ir::TRUTH.into(), Attr::Bool(true))])))
    }
}

/// Returns true if two meanings of a name are one: of something that both arms can have outside of them.
fn same_meaning(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Buffer(a), Val::Buffer(b)) | (Val::Cell(a), Val::Cell(b)) => a == b,
        (Val::Unknown(a), Val::Unknown(b)) => a == b,
        (Val::Const(a), Val::Const(b)) => a == b,
        (Val::Expr(a), Val::Expr(b)) => a == b,
        (Val::Type(a), Val::Type(b)) => a == b,
        _ => false,
    }
}
