//! Expressions: the value of each form of Python expression.

use std::rc::Rc;

use ir::{DataType, ExprKind, Type};
use smallvec::SmallVec;

use super::{
    Doubt, Lowerer, R, form_names,
    source_tree::Src,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    Severity,
    ast::{Ex, ExKind},
    diagnostics,
    environment::{Constant, Namespace},
    vocabulary,
};

/// No module that is known has a longer path.
const LONGEST_MODULE: usize = 64;

impl Lowerer<'_, '_, '_> {
    /// Evaluates an expression to IR.
    pub(super) fn expr(&mut self, ex: Ex) -> R<Tx> {
        let ev = self.eval(ex)?;
        self.lift(&ev)
    }

    /// Evaluates an expression.
    pub(super) fn eval(&mut self, ex: Ex) -> R<Ev> {
        ir::interrupt::check();
        ir::stack::with_room(|| self.eval_at(ex))
    }

    fn eval_at(&mut self, ex: Ex) -> R<Ev> {
        let ast = self.ast;
        let constant = match ast.kind(ex) {
            ExKind::Name(name) => return self.name(name, ex),
            ExKind::Int(it) => Constant::Int(it.get()),
            ExKind::Float(it) => Constant::Float(it.to_bits()),
            ExKind::Bool(it) => Constant::Bool(*it),
            ExKind::None => Constant::None,
            ExKind::Str(it) => Constant::Str(ast.string(*it).into()),
            ExKind::Attr { .. } | ExKind::Subscript { .. } | ExKind::Call { .. } => {
                return self.postfix(ex);
            }
            &ExKind::Unary { op, operand } => return self.unary_ex(ex, op, operand),
            &ExKind::Binary { op, lhs, rhs } => return self.binary_ex(ex, op, lhs, rhs),
            &ExKind::Logic { op, operands } => return self.logic_ex(ex, op, operands),
            &ExKind::Compare { operands, ops } => return self.compare_ex(ex, operands, ops),
            &ExKind::Conditional { then, condition, otherwise } => {
                return self.conditional_ex(ex, then, condition, otherwise);
            }
            &ExKind::Tuple(run) | &ExKind::List(run) => {
                let items = self.eval_items(ast.exs(run))?;
                let children: Vec<_> = items.iter().map(|it| it.src).collect();
                let src = self.node(ex, &children);
                let items = items.into_iter().map(|it| it.val).collect();
                return Ok(Ev { val: Val::Seq(items), src });
            }
            &ExKind::Dict(run) => {
                let val = self.entries(run).map_or(Val::Dict, Val::Entries);
                let src = self.leaf(ex);
                return Ok(Ev { val, src });
            }
            &ExKind::FString(run) => return self.format_string(ex, run),
            &ExKind::Comprehension { of, element, value, clauses } => {
                return self.comprehension(ex, of, (element, value), clauses);
            }
            ExKind::Lambda { .. } => {
                let src = self.leaf(ex);
                return Ok(Ev { val: Val::Lambda, src });
            }
            ExKind::Error => {
                let range = ast.range(ex);
                let message = "an expression is missing here, or cannot be read";
                return Err(self.error(diagnostics::SYNTAX_ERROR, range, message));
            }
            ExKind::Slice { .. } => {
                return Err(self.malformed(ex, "a slice stands only in brackets"));
            }
            ExKind::Star(_) => return Err(self.malformed(ex, "`*` stands only among arguments")),
            ExKind::Ellipsis
            | ExKind::OtherLiteral
            | ExKind::Set(_)
            | ExKind::Named { .. }
            | ExKind::Other => return Ok(self.opaque_ex(ex)),
        };
        let src = self.leaf(ex);
        Ok(Ev { val: Val::Const(constant), src })
    }

    /// The items of a display or argument list, `*` spread out.
    pub(super) fn eval_items(&mut self, items: &[Ex]) -> R<Vec<Ev>> {
        let mut all = Vec::with_capacity(items.len());
        for &item in items {
            match *self.ast.kind(item) {
                ExKind::Star(inner) => all.extend(self.spread(inner)?),
                _ => all.push(self.eval(item)?),
            }
        }
        Ok(all)
    }

    /// The items of the value after a `*`.
    pub(super) fn spread(&mut self, inner: Ex) -> R<Vec<Ev>> {
        let ev = self.eval(inner)?;
        let Some(items) = self.items(&ev) else {
            return Err(self.malformed(inner, "only a tuple or list of known length can be spread"));
        };
        self.make_items(items.len(), self.range(inner))?;
        Ok(items)
    }

    /// The items of a tuple or list.
    pub(super) fn items(&mut self, ev: &Ev) -> Option<Vec<Ev>> {
        let count = self.n_items(&ev.val)?;
        let mut all = Vec::with_capacity(count);
        for index in 0..count {
            let val = self.nth_item(&ev.val, index)?;
            all.push(Ev { val, src: self.s.sources.part(ev.src, index, count) });
        }
        Some(all)
    }

    /// The number of items of a tuple or list.
    pub(super) fn n_items(&self, val: &Val) -> Option<usize> {
        match val {
            Val::Seq(items) => Some(items.len()),
            Val::Const(Constant::Tuple(items) | Constant::List(items)) => Some(items.len()),
            Val::Shape(buffer) if !self.s.body.has_unknown_rank(*buffer) => {
                Some(self.s.body.buffers[*buffer].shape.len())
            }
            _ => None,
        }
    }

    /// One item of a tuple or list.
    pub(super) fn nth_item(&self, val: &Val, index: usize) -> Option<Val> {
        match val {
            Val::Seq(items) => items.get(index).cloned(),
            Val::Const(Constant::Tuple(items) | Constant::List(items)) => {
                items.get(index).cloned().map(Val::Const)
            }
            Val::Shape(buffer) => {
                self.s.body.buffers[*buffer].shape.get(index).map(|&id| Val::Expr(id))
            }
            _ => None,
        }
    }

    /// Python that is kept by its text.
    pub(super) fn opaque_ex(&mut self, ex: Ex) -> Ev {
        self.s.doubt = self.s.doubt.max(Doubt::Python);
        let range = self.range(ex);
        self.s.unread.push(range);
        let src = self.leaf(ex);
        Ev { val: Val::Python, src }
    }

    /// A method of a list may change it: then the name stands for a list that is not known.
    fn changed_list(&mut self, ex: Ex, method: &str) {
        if let ExKind::Attr { base, .. } = *self.ast.kind(ex)
            && let ExKind::Name(name) = *self.ast.kind(base)
            && !matches!(method, "copy" | "count" | "index")
        {
            let id = self.s.body.intern(name);
            self.s.scopes.redefine(id, Val::Python);
        }
    }

    /// The text of a source as an expression that is equal to itself only.
    pub(super) fn python(&mut self, src: Src) -> Tx {
        let range = self.s.sources.range(src);
        if self.is_tile_source() {
            self.note_kept(range);
        } else {
            let message = "this has no meaning in TVMScript that is known here".to_owned();
            let code = diagnostics::UNSUPPORTED_CONSTRUCT;
            self.diagnostic(code, Severity::Warning, range, message, None);
        }
        let text = self.text(range);
        Tx { id: self.s.body.opaque(&text), src }
    }

    // ---- attributes, subscripts, calls ----

    /// `a.b(c)[d]`: from the inside out, without recursion.
    fn postfix(&mut self, ex: Ex) -> R<Ev> {
        let ast = self.ast;
        let mut nodes: SmallVec<[Ex; 8]> = SmallVec::new();
        let mut at = ex;
        let mut value = loop {
            match *ast.kind(at) {
                ExKind::Attr { base, .. } | ExKind::Subscript { base, .. } => {
                    nodes.push(at);
                    at = base;
                }
                ExKind::Call { callee, args } => {
                    if let Some(name) = self.tir_member(callee)
                        && DataType::parse(name).is_none()
                    {
                        let args = self.form_args(name, args);
                        break self.intrinsic(at, name, &args)?;
                    }
                    nodes.push(at);
                    at = callee;
                }
                _ => break self.eval(at)?,
            }
        };
        while let Some(node) = nodes.pop() {
            value = match *ast.kind(node) {
                ExKind::Attr { name, .. } => match value.val {
                    Val::Intrinsic(path) => self.longer_path(node, path, name, &mut nodes, true),
                    Val::Path(path) => self.longer_path(node, path, name, &mut nodes, false),
                    _ => self.attribute(node, &value, name)?,
                },
                ExKind::Subscript { base, index } => self.subscript(node, base, &value, index)?,
                ExKind::Call { callee, args } => {
                    match self.indexed_part(&value, args, &mut nodes)? {
                        Some(part) => part,
                        None => self.call(node, callee, value, args)?,
                    }
                }
                _ => value,
            };
        }
        Ok(value)
    }

    /// A dotted path with all attributes that follow: each prefix in the table of names would cost their square.
    fn longer_path(
        &mut self,
        mut node: Ex,
        path: ir::NameId,
        name: &str,
        nodes: &mut SmallVec<[Ex; 8]>,
        is_intrinsic: bool,
    ) -> Ev {
        let ast = self.ast;
        let mut path = format!("{}.{name}", self.s.body.name(path));
        let val = loop {
            // Modules that are known have short names.
            if !is_intrinsic
                && path.len() < LONGEST_MODULE
                && let Some(space) = crate::tvmscript::vocabulary::namespace(&path)
            {
                break Val::Namespace(space);
            }
            match nodes.last().map(|&it| (it, ast.kind(it))) {
                Some((next, ExKind::Attr { name, .. })) => {
                    path.push('.');
                    path.push_str(name);
                    node = next;
                    nodes.pop();
                }
                // Where an instruction puts what is not wanted.
                _ if is_intrinsic && path == "ptx.SINK" => break Val::Static("T.ptx.SINK".into()),
                _ if is_intrinsic => break Val::Intrinsic(self.s.body.intern(&path)),
                _ => break Val::Path(self.s.body.intern(&path)),
            }
        };
        let src = self.leaf(node);
        Ev { val, src }
    }

    fn attribute(&mut self, ex: Ex, value: &Ev, name: &str) -> R<Ev> {
        if let Some(known) = self.object_attribute(ex, &value.val, name)? {
            return Ok(known);
        }
        if self.is_captured(&value.val)
            && let Some(ev) = self.captured_attribute(ex, value, name)
        {
            return Ok(ev);
        }
        let src = self.leaf(ex);
        let val = match &value.val {
            Val::Namespace(space) => self.namespace_member(*space, name),
            Val::Module => self.module_member(name),
            Val::Buffer(buffer) => return self.buffer_attribute(ex, *buffer, name),
            Val::Seq(_) | Val::Const(Constant::List(_)) => {
                self.changed_list(ex, name);
                return Ok(self.opaque_ex(ex));
            }
            Val::Type(ty) if name == "ty" || name == "dtype" => Val::Type(*ty),
            Val::Static(_) => return self.layout(ex),
            Val::Cell(buffer) if name == "buffer" => Val::Buffer(*buffer),
            Val::Expr(_) | Val::Cell(_) | Val::Bound(..) | Val::Thread(..) => {
                let tx = self.lift(value)?;
                self.asked(ex);
                match name {
                    "dtype" | "ty" => match self.ty(tx) {
                        Type::Prim(dtype) => self.dtype_val(dtype),
                        Type::Unknown => Val::Python,
                        ty => Val::Type(ty),
                    },
                    "var" => Val::Expr(tx.id),
                    _ => {
                        // The receiver's source is the child: a method is no value that has one.
                        let src = self.node(ex, &[tx.src]);
                        let val = Val::ExprMethod(tx.id, self.s.body.intern(name));
                        return Ok(Ev { val, src });
                    }
                }
            }
            _ => Val::Python,
        };
        Ok(Ev { val, src })
    }

    /// `T.name`, `I.name`
    pub(super) fn namespace_member(&mut self, space: Namespace, name: &str) -> Val {
        match space {
            Namespace::Tir | Namespace::Tirx => {
                if name == "let" && space == Namespace::Tirx {
                    return Val::LetAnnotation(None);
                }
                self.form_member(space, name)
            }
            Namespace::Tile | Namespace::TileLang => self.form_member(space, name),
            Namespace::Ir if name == "Range" => Val::Intrinsic(self.s.body.intern("Range")),
            Namespace::Ir => Val::Path(self.s.body.intern(&format!("tvm.script.ir.{name}"))),
            Namespace::Relax => Val::Path(self.s.body.intern(&format!("tvm.script.relax.{name}"))),
        }
    }

    /// A type, or a form.
    fn form_member(&mut self, space: Namespace, name: &str) -> Val {
        if let Some(dtype) = vocabulary::data_type(space, name) {
            return Val::Type(dtype.into());
        }
        let form = form_names::form(space, name);
        Val::Intrinsic(self.s.body.intern(form.as_deref().unwrap_or(name)))
    }

    /// `cls.f`, `Module.f`
    fn module_member(&mut self, name: &str) -> Val {
        use crate::tvmscript::environment::Capture;
        match self.s.env.resolve(name) {
            Capture::Function(signature) => Val::Function(Rc::new(signature)),
            _ => {
                let signature = crate::tvmscript::Signature { name: name.into(), returns: None };
                Val::Function(Rc::new(signature))
            }
        }
    }

    /// A call of an operator of TVM, effects by the table.
    pub(super) fn call_node(&mut self, name: &str, args: &[Tx], ty: Type, at: super::At) -> Tx {
        let callee = self.s.body.operator(name);
        let ids: Vec<_> = args.iter().map(|it| it.id).collect();
        let id = self.made_call(callee, &ids, ir::Body::no_attrs(), ty);
        let children: Vec<_> = args.iter().map(|it| it.src).collect();
        Tx { id, src: self.s.sources.node(at, &children) }
    }

    /// The node of a call: a new one unless the call is a value of its operands.
    pub(super) fn made_call(
        &mut self,
        callee: ir::Callee,
        args: &[ir::ExprId],
        attrs: ir::AttrDictId,
        ty: Type,
    ) -> ir::ExprId {
        let effects = self.s.env.effects();
        let body = &mut self.s.body;
        let row = effects.given(body, callee, args, attrs);
        let is_value = row.merge() != ir::effects::Merge::Never;
        let is_open = args.iter().any(|&it| body.expr(it).flags.has_captured);
        self.s.captured_memory |= is_open && row.memory_effect != ir::effects::MemoryEffect::None;
        body.call(callee, args, attrs, ty, !is_value)
    }

    /// The kind of an expression's node.
    pub(super) fn kind(&self, tx: Tx) -> ExprKind {
        self.s.body.expr(tx.id).kind
    }
}
