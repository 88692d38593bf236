//! Scopes: `with` statements, and the forms that open a scope for the rest of their list without one.

use ir::{AllocKind, Attr, DataType, OpKind, Type, ValueId};

use super::{
    Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, buffer_form},
    parameters::{NAMED, Parameters},
    source_tree::{At, Src},
    value::{Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, ItemNode, Run, StKind},
    diagnostics,
    environment::Constant,
    source_map::DefinitionKind,
};

/// Parameters of the roles of warps and warp groups.
const ROLE: Parameters =
    &["warp_id_var", "warp_id_val", "regs", "increase", NAMED, "wg_id_var", "wg_id_val"];

/// A part of the warps, and the registers that they get.
struct Role {
    index: Tx,
    value: Tx,
    registers: Option<Tx>,
    increases: bool,
}

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn with_statement(&mut self, items: &[ItemNode], body: Run) -> R<()> {
        if self.is_tile_source() && items.iter().all(|it| self.is_context_of_python(it)) {
            // Statements and names as if they stood alone.
            self.s.site = None;
            self.stmts(body);
            return Ok(());
        }
        self.s.scopes.push_frame();
        let outer = self.s.block;
        let result = self.with_items(items, body);
        self.s.block = outer;
        self.leave_frame();
        result
    }

    /// The first of the items, then the others in it: as many as a line may have.
    pub(super) fn with_items(&mut self, items: &[ItemNode], body: Run) -> R<()> {
        ir::stack::with_room(|| self.with_first_item(items, body))
    }

    fn with_first_item(&mut self, items: &[ItemNode], body: Run) -> R<()> {
        let Some((item, rest)) = items.split_first() else {
            self.with_body(body);
            return Ok(());
        };
        if let Some(role) = self.warp_role(item)? {
            return self.with_role(item.context, role, rest, body);
        }
        let Some((form, args)) = self.form_call(item.context) else {
            if self.is_tile_source() && item.target.is_none() {
                // An object of Python, which may make statements where it is entered and left.
                self.note_kept(self.range(item.context));
                return Err(super::Reported);
            }
            return Err(self.unsupported(item.context, "`with` over this"));
        };
        if matches!(&*form, "If" | "tl.If") {
            return self.if_frames(item.context, &args, rest, body);
        }
        self.check_form(&form, &args)?;
        match &*form {
            "sblock" | "block" => self.sblock(item, &args, rest, body),
            "init" => self.init(item.context, rest, body),
            "Assert" => {
                let (condition, message) = (args.get("condition"), args.get("message"));
                let Some(condition) = condition else {
                    return Err(self.malformed(item.context, "T.Assert takes a condition"));
                };
                self.assert_statement(condition, message)?;
                self.with_items(rest, body)
            }
            "launch_thread" | "attr" | "let" | "LetStmt" => {
                let target = match item.target {
                    Some(target) => match *self.ast.kind(target) {
                        ExKind::Name(name) => Some((name, target)),
                        _ => return Err(self.malformed(target, "one name is needed here")),
                    },
                    None => None,
                };
                self.concise(item.context, &form, &args, target)?;
                self.with_items(rest, body)
            }
            name if name.starts_with("tl.") => self.tile_scope(item, name, &args, rest, body),
            name if is_scope_call(name) => {
                self.scope_call(name, &args)?;
                self.with_items(rest, body)
            }
            name => match buffer_form(name, self.is_legacy()) {
                Some(kind) => self.with_buffer(item, kind, &args, rest, body),
                None => Err(self.unsupported(item.context, "`with` over this")),
            },
        }
    }

    /// `with WarpRole(warp, 1, regs=48):` of TVM's module for roles of warps.
    fn warp_role(&mut self, item: &ItemNode) -> R<Option<Role>> {
        let ast = self.ast;
        let ExKind::Call { callee, args } = *ast.kind(item.context) else { return Ok(None) };
        let is_name = ast.dotted(callee).is_some_and(|(head, rest)| {
            let name = rest.last().copied().unwrap_or(head);
            matches!(name, "WarpRole" | "WarpgroupRole")
        });
        if !is_name || item.target.is_some() {
            return Ok(None);
        }
        let Val::Path(path) = self.eval(callee)?.val else { return Ok(None) };
        let path = self.s.body.name(path);
        if !path.starts_with("tvm.") || !path.contains(".warp_role.") {
            return Ok(None);
        }
        let args = self.args_of(ROLE, args)?;
        let (Some(index), Some(value)) = (
            args.get("warp_id_var").or_else(|| args.get("wg_id_var")),
            args.get("warp_id_val").or_else(|| args.get("wg_id_val")),
        ) else {
            return Err(self.malformed(item.context, "a role is of an index, and a number"));
        };
        let index = self.expr(index)?;
        let value = self.expr(value)?;
        let registers = match args.get("regs").filter(|&it| !self.is_none(it)) {
            Some(registers) => Some(self.expr(registers)?),
            None => None,
        };
        let increases = match args.get("increase") {
            None => false,
            Some(ex) => match self.eval(ex)?.val {
                Val::Const(Constant::Bool(it)) => it,
                _ => return Err(self.unsupported(ex, "a direction that is not known here")),
            },
        };
        Ok(Some(Role { index, value, registers, increases }))
    }

    /// The `if` that TVM makes of a role: the warps that have it first change the number of their registers. It has no
    /// text of its own.
    fn with_role(&mut self, ex: Ex, role: Role, rest: &[ItemNode], body: Run) -> R<()> {
        let range = self.range(ex);
        let at = At { range, is_real: false };
        let condition = self.arithmetic(ir::BinaryOp::Eq, role.index, role.value, at)?;
        let outside = self.expansion.replace(range);
        let op = self.emit(OpKind::If, &[condition]);
        self.expansion = outside;
        self.in_region(op, |this| {
            if let Some(registers) = role.registers {
                let direction = if role.increases { "inc" } else { "dec" };
                let name = format!("ptx.setmaxnreg.{direction}.sync.aligned.u32");
                let outside = this.expansion.replace(range);
                let call = this.call_node(&name, &[registers], DataType::VOID.into(), at);
                this.emit(OpKind::Evaluate, &[call]);
                this.expansion = outside;
            }
            this.with_items(rest, body)
        })
    }

    /// `with T.If(c):` around `with T.Then():` and `with T.Else():`, the frames of TVM's builder for an `if`. It has no
    /// text of its own.
    fn if_frames(&mut self, ex: Ex, args: &Args<'a>, rest: &[ItemNode], body: Run) -> R<()> {
        let condition = args.positional.first().copied().or_else(|| args.keyword("condition"));
        let (Some(condition), Some(arms)) = (condition, self.arms_of_frames(rest, body)) else {
            return Err(self.unsupported(ex, "`with` over this"));
        };
        let condition = self.expr(condition)?;
        let (condition, attrs) = self.truth(condition, "if")?;
        let outside = self.expansion.replace(self.range(ex));
        let op = self.emit(OpKind::If, &[condition]);
        self.expansion = outside;
        self.s.body.ops[op].attrs = attrs;
        for run in [Some(arms.0), arms.1].into_iter().flatten() {
            self.in_region(op, |this| this.suite_or_pass(run));
        }
        Ok(())
    }

    /// The arms of the frames of an `if`: its `T.Then()`, and its `T.Else()` if there is one.
    fn arms_of_frames(&mut self, rest: &[ItemNode], body: Run) -> Option<(Run, Option<Run>)> {
        let ast = self.ast;
        if let [then] = rest {
            return self.is_frame(then, "Then").then_some((body, None));
        }
        let mut arms = Vec::new();
        for (&st, name) in ast.sts(body).iter().zip(["Then", "Else"]) {
            let StKind::With { items, body } = ast.stmt(st).kind else { return None };
            let [item] = ast.items(items) else { return None };
            arms.push(self.is_frame(item, name).then_some(body)?);
        }
        let is_all = arms.len() == ast.sts(body).len() && rest.is_empty();
        let then = arms.first().copied().filter(|_| is_all)?;
        Some((then, arms.get(1).copied()))
    }

    fn is_frame(&mut self, item: &ItemNode, name: &str) -> bool {
        let form = self.form_call(item.context);
        item.target.is_none()
            && form.is_some_and(|it| it.0.strip_prefix("tl.").unwrap_or(&it.0) == name)
    }

    fn with_body(&mut self, body: Run) {
        self.suite_or_pass(body);
    }

    /// `with T.decl_buffer(...) as B:`, `with T.allocate(...) as p:`
    fn with_buffer(
        &mut self,
        item: &ItemNode,
        form: BufferForm,
        args: &Args<'_>,
        rest: &[ItemNode],
        body: Run,
    ) -> R<()> {
        let Some(target) = item.target else {
            return Err(self.malformed(item.context, "the buffer needs a name: `as B`"));
        };
        let ExKind::Name(name) = *self.ast.kind(target) else {
            return Err(self.malformed(target, "one name is needed here"));
        };
        let spec = self.buffer_spec(item.context, form, args)?;
        let (_, op) = self.make_buffer(name, target, form, spec);
        if matches!(form, BufferForm::Alloc(kind, _) if kind != AllocKind::SBlock) {
            return self.in_region(op, |this| this.with_items(rest, body));
        }
        self.with_items(rest, body)
    }

    /// A form that scopes over what follows: the rest of the list, or the body of its `with`. The current block becomes
    /// that of the new region; the reader of the list restores it.
    pub(super) fn concise(
        &mut self,
        ex: Ex,
        form: &str,
        args: &Args<'a>,
        target: Option<(&str, Ex)>,
    ) -> R<()> {
        match form {
            "launch_thread" => self.launch_thread(ex, args, target),
            "attr" => self.attr_statement(ex, args),
            form if is_scope_call(form) => self.scope_call(form, args),
            _ => self.let_scope(ex, form, args, target),
        }
    }

    pub(super) fn enter_region(&mut self, op: ir::OpId) {
        let region = self.s.body.push_region(op);
        self.s.block = self.s.body.entry(region);
    }

    /// `T.hint("…", key=value)`, `Tx.compose_op(workspace=…)`: data about what is in the scope.
    pub(super) fn scope_call(&mut self, form: &str, args: &Args<'_>) -> R<()> {
        if let Some(&star) =
            args.positional.iter().find(|&&it| matches!(self.ast.kind(it), ExKind::Star(_)))
        {
            return Err(self.unsupported(star, "a list of arguments"));
        }
        let positional = args.positional.iter().map(|&it| self.attr(it)).collect();
        let keywords = self.keyword_attrs(&args.keywords);
        let call = Attr::Call { name: format!("T.{form}").into(), args: positional, keywords };
        let attrs = self.s.body.attr_dict(vec![(ir::SCOPE_CALL.into(), call)]);
        let op = self.emit(OpKind::AttrDict, &[]);
        self.s.body.ops[op].attrs = attrs;
        self.enter_region(op);
        Ok(())
    }

    /// `T.launch_thread("blockIdx.x", n)`, `T.launch_thread(tx, n)`
    fn launch_thread(&mut self, ex: Ex, args: &Args<'_>, target: Option<(&str, Ex)>) -> R<()> {
        let (Some(thread), Some(extent)) = (args.get("thread"), args.get("extent")) else {
            return Err(self.malformed(ex, "T.launch_thread takes a thread and an extent"));
        };
        let thread_ev = self.eval(thread)?;
        let extent = self.expr(extent)?;
        let ty = self.ty(extent);
        match thread_ev.val {
            Val::Thread(var, tag) => {
                self.emit_launch(tag, var, extent);
                if let Some((name, target)) = target {
                    self.define_value(name, target, DefinitionKind::Index, var);
                }
                Ok(())
            }
            // TileLang prints an index that is named before without its tag.
            Val::Expr(index) if let Some(var) = self.symbol_of(index) => {
                let tag = self.s.body.thread_tag("");
                self.emit_launch(tag, var, extent);
                Ok(())
            }
            _ => {
                let Some(tag) = self.const_str(&thread_ev.val) else {
                    return Err(
                        self.malformed(thread, "a thread tag such as \"threadIdx.x\" is needed")
                    );
                };
                let tag = self.s.body.thread_tag(&tag);
                // The variable is known only when the region is there.
                let placeholder = ir::arena::Id::new(0);
                let op = self.emit(OpKind::LaunchThread { tag, var: placeholder }, &[extent]);
                self.enter_region(op);
                let name = target.map_or("", |(name, _)| name);
                let block = self.s.block;
                let var = self.s.body.new_block_arg(block, name, ty);
                self.s.body.ops[op].kind = OpKind::LaunchThread { tag, var };
                if let Some((name, target)) = target {
                    self.define_value(name, target, DefinitionKind::Index, var);
                }
                Ok(())
            }
        }
    }

    fn emit_launch(&mut self, tag: ir::ThreadTag, var: ValueId, extent: Tx) {
        let op = self.emit(OpKind::LaunchThread { tag, var }, &[extent]);
        self.enter_region(op);
    }

    /// The symbol that an expression is, if it is one of TileLang's script.
    fn symbol_of(&self, expr: ir::ExprId) -> Option<ValueId> {
        match self.s.body.expr(expr).kind {
            ir::ExprKind::Value(value) if self.is_tilelang() => {
                (self.s.body.values[value].kind == ir::ValueKind::Symbol).then_some(value)
            }
            _ => None,
        }
    }

    /// `tx = T.env_thread("threadIdx.x")`
    pub(super) fn env_thread(&mut self, name: &str, target: Ex, ex: Ex, args: &Args<'_>) -> R<()> {
        let tag = match args.get("thread_tag") {
            Some(tag) => self.eval(tag)?,
            None => return Err(self.malformed(ex, "T.env_thread takes a thread tag")),
        };
        let Some(tag) = self.const_str(&tag.val) else {
            return Err(self.malformed(ex, "a thread tag such as \"threadIdx.x\" is needed"));
        };
        let ty = match args.get("dtype") {
            Some(dtype) => self.type_of(dtype)?,
            None => DataType::INT32.into(),
        };
        let tag = self.s.body.thread_tag(&tag);
        let op = self.emit(OpKind::EnvThread(tag), &[]);
        let value = self.s.body.push_result(op, name, ty);
        self.define_at(name, target, DefinitionKind::Index, Val::Thread(value, tag));
        Ok(())
    }

    /// Refuses the index of threads that no launch around runs, as TVM does unless the decorator of the function or of
    /// its module says `check_well_formed=False`. O(depth).
    pub(super) fn check_launched(&mut self, index: ValueId, src: Src) -> R<()> {
        if !self.s.is_checked {
            return Ok(());
        }
        let body = &self.s.body;
        let mut block = self.s.block;
        while let Some(op) = body.regions[body.blocks[block].parent].parent {
            if matches!(body.ops[op].kind, OpKind::LaunchThread { var, .. } if var == index) {
                return Ok(());
            }
            block = body.ops[op].parent;
        }
        let name = body.name(body.values[index].name);
        let message = format!("no launch around runs the threads whose index `{name}` is");
        let range = self.s.sources.range(src);
        Err(self.error(diagnostics::UNDEFINED_NAME, range, message))
    }

    /// `T.attr(node, "key", value)`, `T.attr({"key": value})`
    fn attr_statement(&mut self, ex: Ex, args: &Args<'_>) -> R<()> {
        let node = args.get("node_or_dict").or_else(|| args.get("node"));
        let is_alone = args.positional.len() + args.keywords.len() == 1;
        if let Some(dict) = node.filter(|_| is_alone)
            && let ExKind::Dict(_) = self.ast.kind(dict)
        {
            let dict = self.attr_dict(dict);
            let attrs = self.s.body.attr_dict(dict);
            let op = self.emit(OpKind::AttrDict, &[]);
            self.s.body.ops[op].attrs = attrs;
            self.enter_region(op);
            return Ok(());
        }
        let (Some(node), Some(key), Some(value)) = (node, args.get("attr_key"), args.get("value"))
        else {
            return Err(self.malformed(ex, "T.attr takes a node, a key and a value"));
        };
        let node_ev = self.eval(node)?;
        let key_ev = self.eval(key)?;
        let Some(key) = self.const_str(&key_ev.val) else {
            return Err(self.malformed(key, "the key is a string"));
        };
        let value = self.expr(value)?;
        if let (Val::Thread(var, tag), "thread_extent") = (&node_ev.val, &*key) {
            let op = self.emit(OpKind::LaunchThread { tag: *tag, var: *var }, &[value]);
            let mark = vec![(ir::LAUNCH_ATTR.into(), Attr::Bool(true))];
            self.s.body.ops[op].attrs = self.s.body.attr_dict(mark);
            self.enter_region(op);
            return Ok(());
        }
        let node = match node_ev.val {
            Val::Const(Constant::None) if self.is_tilelang() => self.opaque_operand(node),
            _ => self.lift(&node_ev)?,
        };
        // TVM distinguishes numbers of Python from constants (`0` from `T.int32(0)`).
        let spelling = self.spelling(&node_ev, node);
        let key = self.s.body.intern(&key);
        let op = self.emit(OpKind::Attr(key), &[node, value]);
        if let Some(spelling) = spelling {
            let attrs = vec![(ir::NODE.into(), spelling)];
            self.s.body.ops[op].attrs = self.s.body.attr_dict(attrs);
        }
        self.enter_region(op);
        Ok(())
    }

    /// Legacy `with T.LetStmt(e) as x:`, `with T.let(x, e):`, `T.let(x, e)`
    fn let_scope(
        &mut self,
        ex: Ex,
        form: &str,
        args: &Args<'a>,
        target: Option<(&str, Ex)>,
    ) -> R<()> {
        let (var, value) = match (form, target, &args.positional[..]) {
            // `with T.let(e) as x:`
            ("let", Some(_), &[value]) if args.keywords.is_empty() => (None, Some(value)),
            _ => (args.get("var"), args.get("value")),
        };
        // `with T.LetStmt(e, var=T.handle("float32")) as x:` makes the variable, and says its type.
        let mut made = None;
        let named: Option<(&str, Ex)> = match var {
            Some(var) => match *self.ast.kind(var) {
                ExKind::Name(name) => Some((name, var)),
                ExKind::Call { .. } if target.is_some() => {
                    made = Some(self.type_of(var)?);
                    None
                }
                // `var=A.data`: older texts give memory to a buffer that was described before.
                ExKind::Attr { name: "data", .. } => {
                    self.note_kept(self.range(ex));
                    return Err(super::Reported);
                }
                _ => return Err(self.malformed(var, "a variable is needed")),
            },
            None => None,
        };
        let target = match (target, named) {
            (Some(target), None) | (None, Some(target)) => target,
            (None, None) => return Err(self.malformed(ex, "the binding has no name")),
            (Some(_), Some((_, var))) => return Err(self.unsupported(var, "a second name")),
        };
        let Some(value) = value else { return Err(self.malformed(ex, "a value is needed")) };
        let value = self.expr(value)?;
        let declared = match self.peek(target.0) {
            Some(Val::Declared(ty, _)) => Some(ty),
            _ => None,
        };
        let ty: Type = made.or(declared).unwrap_or_else(|| self.ty(value));
        let op = self.emit(OpKind::Bind, &[value]);
        let result = self.s.body.push_result(op, target.0, ty);
        self.enter_region(op);
        self.define_value(target.0, target.1, DefinitionKind::Binding, result);
        Ok(())
    }
}

/// Returns true if a form opens a scope that it only describes.
pub(super) fn is_scope_call(form: &str) -> bool {
    matches!(form, "hint" | "tile.compose_op")
}
