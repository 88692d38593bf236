//! Statements: one at a time, errors kept inside.

use std::borrow::Cow;

use ir::{Attr, DataType, OpKind, Type};
use smallvec::SmallVec;
use syntax::TextRange;

use super::{
    Doubt, Lowerer, R,
    arguments::{Args, method_parameters},
    form_names,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    Diagnostic, Severity,
    ast::{Ex, ExKind, Run, St, StKind},
    diagnostics,
    environment::Constant,
    source_map::DefinitionKind,
};

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn statement(&mut self, st: St) {
        let ast = self.ast;
        let node = ast.stmt(st);
        let range = self.expansion.unwrap_or(node.range);
        let outer = std::mem::replace(&mut self.s.stmt_range, range);
        self.s.site = self.site_of(st);
        let mark = self.s.sources.mark();
        let n_diagnostics = self.s.diagnostics.len();
        let outer_doubt = std::mem::replace(&mut self.s.doubt, Doubt::None);
        // Also where a part of it was read: what the rest does is not known.
        let is_kept = self.names_inside(st) || self.is_unread(st);
        if is_kept || self.statement_kind(st).is_err() {
            self.opaque_statement(st);
        }
        self.benefit_of_doubt(st, n_diagnostics);
        self.s.doubt = outer_doubt;
        // The blocks that are open keep their axes' sources until they end.
        if self.s.blocks.is_empty() {
            self.s.sources.truncate(mark);
        }
        self.s.site = None;
        self.s.stmt_range = outer;
    }

    /// Returns true if an expression of a statement binds names (`x := e`), and reports it: TVMScript has no such form.
    fn names_inside(&mut self, st: St) -> bool {
        if self.ast.named_inside.is_empty() {
            return false;
        }
        let header = self.header(st);
        let Some(&(_, range)) = self.ast.named_inside.iter().find(|it| header.contains_range(it.1))
        else {
            return false;
        };
        let range = self.expansion.unwrap_or(range);
        let message = "a name that is given inside of an expression has no meaning in TVMScript";
        let code = diagnostics::UNSUPPORTED_CONSTRUCT;
        self.diagnostic(code, Severity::Warning, range, message.to_owned(), None);
        true
    }

    /// Returns true if something in a statement cannot be read, which is reported already: no edit of it would have the
    /// right meaning.
    fn is_unread(&self, st: St) -> bool {
        if self.ast.errors.is_empty() {
            return false;
        }
        let header = self.header(st);
        let first = self.ast.errors.partition_point(|it| it.start() < header.start());
        self.ast.errors.get(first).is_some_and(|it| header.contains_range(*it))
    }

    fn statement_kind(&mut self, st: St) -> R<()> {
        let ast = self.ast;
        match ast.stmt(st).kind {
            StKind::Expr(ex) => self.expr_statement(ex),
            StKind::Assign { targets, value } => match *ast.exs(targets) {
                [target] => self.assign(target, value),
                ref targets if self.is_tile_source() => self.assign_all(targets, value),
                _ => Err(self.malformed(value, "TVMScript assigns to one target at a time")),
            },
            StKind::AugAssign { target, op, value } => self.aug_assign(target, op, value),
            StKind::AnnAssign { target, annotation, value } => {
                self.ann_assign(target, annotation, value)
            }
            StKind::Return(value) => self.return_statement(value),
            StKind::Assert { condition, message } => self.assert_statement(condition, message),
            StKind::Pass => Ok(()),
            StKind::Break => {
                self.emit(OpKind::Break, &[]);
                Ok(())
            }
            StKind::Continue => {
                self.emit(OpKind::Continue, &[]);
                Ok(())
            }
            StKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise)
            }
            StKind::While { condition, body, .. } => self.while_statement(condition, body),
            StKind::For { target, iterable, body, .. } => {
                self.for_statement(target, iterable, body)
            }
            StKind::With { items, body } => self.with_statement(ast.items(items), body),
            StKind::Def(def) => self.nested_function(def),
            // Python stops there when it builds the kernel.
            StKind::Raise if self.is_tile_source() => Err(super::Reported),
            StKind::Class(_) | StKind::Import | StKind::Raise | StKind::Other => {
                let range = ast.stmt(st).range;
                let message = "this statement has no meaning in TVMScript".to_owned();
                let code = diagnostics::UNSUPPORTED_CONSTRUCT;
                self.diagnostic(code, Severity::Warning, range, message, None);
                Err(super::Reported)
            }
            StKind::Error(_) => Err(super::Reported),
        }
    }

    /// A suite that may be `pass` alone, which TVM reads as a statement.
    pub(super) fn suite_or_pass(&mut self, run: Run) {
        let ast = self.ast;
        self.suite(run);
        let is_pass = ast.sts(run).iter().all(|&it| matches!(ast.stmt(it).kind, StKind::Pass));
        let block = self.s.block;
        if let Some(&first) = ast.sts(run).first()
            && is_pass
            && self.s.body.blocks[block].ops.is_empty()
        {
            let range = self.expansion.unwrap_or(ast.stmt(first).range);
            let zero = self.virtual_int(0, DataType::INT32, range);
            let outer = std::mem::replace(&mut self.s.stmt_range, range);
            self.s.site = self.site_of(first);
            self.emit(OpKind::Evaluate, &[zero]);
            self.s.stmt_range = outer;
        }
    }

    // ---- what cannot be understood ----

    /// Drops the errors of a statement that may be right for values that are unknown here. An unknown value was
    /// reported at its source, so the function gets one note here, as it is not printed; Python without a meaning is
    /// reported here.
    fn benefit_of_doubt(&mut self, st: St, first: usize) {
        let doubt = self.s.doubt;
        if doubt == Doubt::None || self.s.diagnostics.len() == first {
            return;
        }
        let header = self.header(st);
        let header = self.expansion.unwrap_or(header);
        let mut unsaid = None;
        for mut it in self.s.diagnostics.split_off(first) {
            let is_doubtful = match it.code {
                diagnostics::MALFORMED_FORM
                | diagnostics::WRONG_BUFFER_RANK
                | diagnostics::DTYPE_MISMATCH
                | diagnostics::INVALID_CONSTANT => true,
                diagnostics::UNSUPPORTED_CONSTRUCT => it.severity == Severity::Warning,
                _ => false,
            };
            if is_doubtful && header.contains_range(it.range) {
                if doubt == Doubt::Unknown {
                    unsaid.get_or_insert(it.range);
                    continue;
                }
                it.code = diagnostics::UNSUPPORTED_CONSTRUCT;
                it.severity = Severity::Warning;
            }
            self.s.diagnostics.push(it);
        }
        if let Some(range) = unsaid {
            self.note_kept(range);
        }
    }

    /// Notes, once in a function, that something is kept by its text.
    pub(super) fn note_kept(&mut self, range: TextRange) {
        let is_said = |it: &Diagnostic| {
            it.code == diagnostics::UNSUPPORTED_CONSTRUCT && it.severity == Severity::Hint
        };
        if !self.s.diagnostics.iter().any(is_said) {
            let message = "this depends on a value that is not known here, and is kept by its text";
            let code = diagnostics::UNSUPPORTED_CONSTRUCT;
            self.diagnostic(code, Severity::Hint, range, message.to_owned(), None);
        }
    }

    /// A statement without the statements in it.
    fn header(&self, st: St) -> TextRange {
        let ast = self.ast;
        let node = ast.stmt(st);
        let first = bodies(&node.kind).into_iter().flat_map(|run| ast.sts(run)).next();
        let end = first.map_or(node.range.end(), |&it| ast.stmt(it).range.start());
        TextRange::new(node.range.start(), end.max(node.range.start()))
    }

    /// A statement that is kept by its text: its inside is read, the names that it assigns are unknown.
    fn opaque_statement(&mut self, st: St) {
        let ast = self.ast;
        let node = ast.stmt(st);
        let bodies = bodies(&node.kind);
        let header = self.header(st);
        let text = self.text(header).trim_end().to_owned();
        let text = self.s.body.intern(&text);
        let op = self.emit(OpKind::Opaque(text), &[]);
        self.s.writes_captured_memory();
        self.s.unread.push(self.expansion.unwrap_or(header));
        let targets: SmallVec<[Ex; 2]> = match node.kind {
            StKind::Assign { targets, .. } => ast.exs(targets).iter().copied().collect(),
            StKind::AnnAssign { target, .. } | StKind::AugAssign { target, .. } => {
                [target].into_iter().collect()
            }
            StKind::For { target, .. } => [target].into_iter().collect(),
            StKind::With { items, .. } => {
                ast.items(items).iter().filter_map(|it| it.target).collect()
            }
            _ => SmallVec::new(),
        };
        // An assignment to a cell may store in it; `for` and `with` give their names another meaning.
        let may_store = !matches!(node.kind, StKind::For { .. } | StKind::With { .. });
        for target in targets {
            self.opaque_target(target, op, may_store);
        }
        for &(name, range) in &ast.named_inside {
            if header.contains_range(range) {
                let value = self.s.body.push_result(op, name, Type::Unknown);
                self.define(name, range, DefinitionKind::Binding, Val::Unknown(value));
            }
        }
        // A function of Python may be called, and do anything.
        if let StKind::Def(def) = node.kind {
            let def = &ast.defs[def as usize];
            let value = self.s.body.push_result(op, def.name, Type::Unknown);
            self.define(def.name, def.name_range, DefinitionKind::Binding, Val::Unknown(value));
        }
        // Which of the arms is executed is not known, nor how often: what is named in them is unknown afterwards.
        let mut named = Vec::new();
        for run in bodies {
            if !run.is_empty() {
                self.s.scopes.push_frame();
                self.in_region(op, |this| {
                    let outer = this.s.block;
                    ir::stack::with_room(|| this.stmts(run));
                    // In the scopes that the arm has opened, where all its names are visible.
                    this.leave_arm(header);
                    this.s.block = outer;
                });
                named.extend(self.s.scopes.pop_frame_names());
            }
        }
        for (name, definition) in named {
            let text = self.s.body.name(name).to_owned();
            let value = self.s.body.push_result(op, &text, Type::Unknown);
            self.s.scopes.define(name, Val::Unknown(value), definition);
        }
    }

    /// Counts the names of an arm as used after it, if it is unknown whether the arm is executed.
    fn leave_arm(&mut self, header: TextRange) {
        let mut operands: SmallVec<[Tx; 4]> = SmallVec::new();
        for (name, _) in self.s.scopes.frame_names() {
            let id = match self.s.scopes.lookup(name).map(|it| &it.val) {
                Some(Val::Expr(id)) => *id,
                Some(Val::Buffer(buffer) | Val::Cell(buffer)) => {
                    let kind = ir::ExprKind::Buffer(*buffer);
                    self.s.body.make(kind, DataType::HANDLE.into())
                }
                _ => continue,
            };
            let range = self.expansion.unwrap_or(header);
            operands.push(self.tx(id, super::At { range, is_real: false }));
        }
        if !operands.is_empty() {
            let nothing = self.s.body.intern("");
            self.emit(OpKind::Opaque(nothing), &operands);
        }
    }

    fn opaque_target(&mut self, target: Ex, op: ir::OpId, may_store: bool) {
        let ast = self.ast;
        let mut stack = vec![target];
        while let Some(at) = stack.pop() {
            match *ast.kind(at) {
                ExKind::Name(name) => {
                    // A cell stays what it is, and the operation may have written it; a buffer's name may now stand for
                    // another buffer.
                    if may_store && matches!(self.peek(name), Some(Val::Cell(_))) {
                        continue;
                    }
                    let value = self.s.body.push_result(op, name, Type::Unknown);
                    self.define_unknown(name, at, value);
                }
                ExKind::Tuple(run) | ExKind::List(run) => {
                    stack.extend(ast.exs(run).iter().rev().copied());
                }
                ExKind::Star(inner) => stack.push(inner),
                _ => {}
            }
        }
    }

    // ---- forms ----

    /// Returns the text after `T.` in a callee: `grid`, `axis.spatial`; `None` if it is no TVMScript form.
    pub(super) fn form_of(&mut self, callee: Ex) -> Option<Cow<'a, str>> {
        if let Some(name) = self.tir_member(callee) {
            return Some(Cow::Borrowed(name));
        }
        let ast = self.ast;
        let (base, name) = match *ast.kind(callee) {
            ExKind::Attr { base, name, .. } => (base, name),
            ExKind::Name(name) if matches!(name, "range") => {
                let is_own = match self.peek(name) {
                    None => true,
                    Some(Val::Path(path)) => self.s.body.name(path) == "builtins.range",
                    Some(_) => false,
                };
                return is_own.then(|| "range".into());
            }
            // `loop = T.unroll` around the kernel.
            ExKind::Name(name) => {
                let is_form = match self.peek(name) {
                    Some(val) => matches!(val, Val::Intrinsic(_)),
                    None => self.is_captured_form(name),
                };
                if !is_form {
                    return None;
                }
                let Ok(Ev { val: Val::Intrinsic(form), .. }) = self.name(name, callee) else {
                    return None;
                };
                return Some(self.s.body.name(form).to_owned().into());
            }
            ExKind::Call { callee: of, .. } if self.is_getattr(of) => {
                return self.computed_form(callee);
            }
            _ => return None,
        };
        match *ast.kind(base) {
            ExKind::Call { callee: of, .. } if self.is_getattr(of) => {
                self.computed_form(base).map(|form| format!("{form}.{name}").into())
            }
            ExKind::Name(head) => form_names::form(self.family(head, base)?, name),
            ExKind::Attr { .. } => {
                let (head, rest) = ast.dotted(callee)?;
                if let Some(space) = self.family(head, self.head(callee))
                    && let Some(form) = form_names::form(space, &rest.join("."))
                {
                    return Some(form.into_owned().into());
                }
                // `tvm.script.tirx.grid`
                let mut path = head;
                let mut full = String::new();
                for part in &rest {
                    full.push_str(path);
                    full.push('.');
                    path = part;
                }
                let module = full.trim_end_matches('.');
                let space = crate::tvmscript::vocabulary::namespace(module)?;
                Some(form_names::form(space, name).unwrap_or(Cow::Borrowed(name)))
            }
            _ => None,
        }
    }

    /// Returns true if a callee is Python's function that looks a member up.
    fn is_getattr(&mut self, callee: Ex) -> bool {
        if !matches!(self.ast.kind(callee), ExKind::Name("getattr")) {
            return false;
        }
        match self.peek("getattr") {
            None => true,
            Some(Val::Path(path)) => self.s.body.name(path) == "builtins.getattr",
            Some(_) => false,
        }
    }

    /// `getattr(T, "serial")`: a form by its name.
    fn computed_form(&mut self, ex: Ex) -> Option<Cow<'a, str>> {
        let mark = self.mark();
        if let Ok(Ev { val: Val::Intrinsic(form), .. }) = self.eval(ex) {
            return Some(self.s.body.name(form).to_owned().into());
        }
        self.undo(mark);
        None
    }

    /// `name` of `T.name`, the common case.
    pub(super) fn tir_member(&mut self, callee: Ex) -> Option<&'a str> {
        use crate::tvmscript::environment::Namespace as N;
        let ExKind::Attr { base, name, .. } = *self.ast.kind(callee) else { return None };
        let ExKind::Name(head) = *self.ast.kind(base) else { return None };
        let id = self.s.body.intern(head);
        let binding = self.s.scopes.lookup(id)?;
        matches!(binding.val, Val::Namespace(N::Tir | N::Tirx)).then_some(name)
    }

    fn head(&self, mut ex: Ex) -> Ex {
        while let ExKind::Attr { base, .. } = *self.ast.kind(ex) {
            ex = base;
        }
        ex
    }

    /// The family of names that a name stands for.
    fn family(&mut self, head: &str, ex: Ex) -> Option<crate::tvmscript::environment::Namespace> {
        let known = self.peek(head);
        if known.is_none() && !self.is_namespace(head) {
            return None;
        }
        match self.name(head, ex) {
            Ok(Ev { val: Val::Namespace(family), .. }) => Some(family),
            _ => None,
        }
    }

    /// Returns true if a captured name stands for a form of a dialect.
    fn is_captured_form(&self, name: &str) -> bool {
        use crate::tvmscript::{Capture, vocabulary::namespace};
        match self.s.env.resolve_at(self.s.home.as_deref(), name).capture {
            Capture::Path(path) => {
                path.rsplit_once('.').is_some_and(|it| namespace(it.0).is_some())
            }
            _ => false,
        }
    }

    fn is_namespace(&self, head: &str) -> bool {
        matches!(self.s.env.resolve(head), crate::tvmscript::Capture::Namespace(_))
    }

    /// The form and the arguments of a call.
    pub(super) fn form_call(&mut self, ex: Ex) -> Option<(Cow<'a, str>, Args<'a>)> {
        let ast = self.ast;
        let ExKind::Call { callee, args } = *ast.kind(ex) else { return None };
        let name = self.form_of(callee)?;
        let args = self.form_args(&name, args);
        Some((name, args))
    }

    fn expr_statement(&mut self, ex: Ex) -> R<()> {
        let ast = self.ast;
        match ast.kind(ex) {
            ExKind::Str(_) | ExKind::Ellipsis => return Ok(()),
            ExKind::Call { .. } => {}
            _ => return self.evaluate(ex),
        }
        if let Some((form, args)) = self.form_call(ex) {
            return self.form_statement(ex, &form, &args);
        }
        let ExKind::Call { callee, args } = *ast.kind(ex) else { return Ok(()) };
        if let ExKind::Name(name) = *ast.kind(callee)
            && let Some(found) = self.macro_named(name, callee)
        {
            return self.expand(ex, found, args);
        }
        if self.made_macro(ex, callee, args)? {
            return Ok(());
        }
        if let ExKind::Attr { base, name: "vstore", .. } = *ast.kind(callee) {
            return self.vstore(ex, base, args);
        }
        self.evaluate(ex)
    }

    fn form_statement(&mut self, ex: Ex, form: &str, args: &Args<'a>) -> R<()> {
        self.check_form(form, args)?;
        if self.tile_statement(ex, form, args)? {
            return Ok(());
        }
        match form {
            "func_attr" | "block_attr" | "sblock_attr" => {
                let attrs = args.get("attrs");
                let is_display = |it: Ex| matches!(self.ast.kind(it), ExKind::Dict(_));
                if let Some(attrs) = attrs.filter(|&it| form == "func_attr" && !is_display(it))
                    && let ev = self.eval(attrs)?
                    && (self.is_unknown(&ev.val) || matches!(ev.val, Val::Unknown(_)))
                {
                    // Nothing that is known depends on them.
                    let text = self.text(self.ast.range(attrs)).into();
                    self.s.body.attrs.push(("**".into(), Attr::Text(text)));
                    return Ok(());
                }
                let Some(dict) = attrs.filter(|&it| is_display(it)) else {
                    return Err(self.malformed(ex, "a dictionary is needed"));
                };
                if form == "func_attr" {
                    self.func_attr(dict);
                    return Ok(());
                }
                self.block_attr(ex, dict)
            }
            "reads" | "writes" => self.block_regions(ex, form == "reads", args),
            "where" => self.block_predicate(ex, args),
            "evaluate" => match args.get("value") {
                Some(value) => self.evaluate(value),
                None => Err(self.malformed(ex, "T.evaluate takes one expression")),
            },
            "ret" => {
                let value = args.get("val").or_else(|| args.get("value"));
                self.return_statement(value)
            }
            "break_loop" => {
                self.emit(OpKind::Break, &[]);
                Ok(())
            }
            "continue_loop" => {
                self.emit(OpKind::Continue, &[]);
                Ok(())
            }
            "buffer_store" => self.buffer_store(ex, args),
            "bind" | "Bind" => {
                let Some(value) = args.get("value") else {
                    return Err(self.malformed(ex, "T.bind takes a value"));
                };
                self.bind_form(ex, value, args)
            }
            // Without a name nothing can use it; what it says of a parameter counts.
            "match_buffer" | "decl_buffer" | "alloc_buffer" | "sblock_alloc_buffer" => {
                Err(super::Reported)
            }
            "Assert" => {
                let (condition, message) = (args.get("condition"), args.get("message"));
                match condition {
                    Some(condition) => self.assert_statement(condition, message),
                    None => Err(self.malformed(ex, "T.Assert takes a condition")),
                }
            }
            "launch_thread" | "attr" | "let" | "LetStmt" | "hint" => {
                self.concise(ex, form, args, None)
            }
            _ => self.evaluate(ex),
        }
    }

    fn evaluate(&mut self, ex: Ex) -> R<()> {
        // `T.evaluate(T.ret(x))` is how the legacy dialect returns.
        if let Some((form, args)) = self.form_call(ex)
            && form == "ret"
        {
            self.check_form(&form, &args)?;
            return self.return_statement(args.get("val").or_else(|| args.get("value")));
        }
        let ev = self.eval(ex)?;
        if matches!(ev.val, Val::Const(Constant::None)) {
            return Ok(());
        }
        let tx = self.lift(&ev)?;
        self.emit(OpKind::Evaluate, &[tx]);
        Ok(())
    }

    /// `A.vstore([i], value, predicate=p)`
    fn vstore(&mut self, ex: Ex, base: Ex, args: Run) -> R<()> {
        let buffer = self.eval(base)?;
        let Val::Buffer(buffer) = buffer.val else {
            return Err(self.malformed(base, "vstore is a method of buffers"));
        };
        let args = self.args_of(method_parameters("vstore"), args)?;
        let (Some(indices), Some(value)) = (args.get("begin"), args.get("value")) else {
            return Err(self.malformed(ex, "vstore takes indices and a value"));
        };
        let mut indices = self.shape(indices)?;
        let value = self.eval(value)?;
        let value = self.lift(&value)?;
        let element = self.s.body.buffers[buffer].dtype;
        if self.ty(value).is_open() && self.dtype(value) != Some(element) {
            // How many elements that is is not known.
            self.s.doubt = Doubt::Unknown;
            return Err(self.unsupported(ex, "a vector of unknown length"));
        }
        if let Some(dtype) = self.dtype(value) {
            let at = self.at(ex);
            self.widen(buffer, &mut indices, dtype, at)?;
        }
        let predicate = self.predicate(&args)?;
        let value = Ev { val: Val::Expr(value.id), src: value.src };
        self.store(ex, buffer, &indices, &value, predicate)
    }

    /// `T.buffer_store(B, value, [i])`
    fn buffer_store(&mut self, ex: Ex, args: &Args<'_>) -> R<()> {
        let (Some(buffer), Some(value), Some(indices)) =
            (args.get("buffer"), args.get("value"), args.get("indices"))
        else {
            return Err(self.malformed(ex, "T.buffer_store takes a buffer, a value and indices"));
        };
        let ev: Ev = self.eval(buffer)?;
        let Val::Buffer(buffer) = ev.val else {
            return Err(self.malformed(buffer, "a buffer is needed"));
        };
        let value = self.eval(value)?;
        let indices = self.shape(indices)?;
        self.store(ex, buffer, &indices, &value, None)
    }

    /// A store: the value is cast to the type of the element.
    pub(super) fn store(
        &mut self,
        ex: Ex,
        buffer: ir::BufferId,
        indices: &[Tx],
        value: &Ev,
        predicate: Option<Tx>,
    ) -> R<()> {
        self.check_indices(ex, buffer, indices)?;
        let ids: SmallVec<[ir::ExprId; 4]> = indices.iter().map(|it| it.id).collect();
        let dtype = self.s.body.access_dtype(buffer, &ids);
        let value = self.lift(value)?;
        let value = self.stored(value, dtype)?;
        let mut operands: SmallVec<[Tx; 4]> = SmallVec::new();
        operands.push(value);
        operands.extend_from_slice(indices);
        operands.extend(predicate);
        self.emit(OpKind::Store { buffer, predicated: predicate.is_some() }, &operands);
        Ok(())
    }

    fn stored(&mut self, value: Tx, dtype: DataType) -> R<Tx> {
        let node = self.s.body.expr(value.id);
        let is_open = node.ty == Type::Unknown && !node.flags.has_unknown;
        let from = match self.dtype(value) {
            Some(from) => from,
            // Whatever it is, what is stored is of the type of the memory (`SEMANTICS: C11`).
            None if is_open => return Ok(self.cast_node(value, dtype)),
            None => return Ok(value),
        };
        if from == dtype {
            return Ok(value);
        }
        if from.is_symbolic() || dtype.is_symbolic() {
            return Ok(self.cast_node(value, dtype));
        }
        if from.lanes != dtype.lanes {
            if from.is_scalar() {
                let element = self.cast_to(value, dtype.element())?;
                return Ok(self.broadcast(element, dtype.lanes));
            }
            let range = self.tx_range(value);
            let message = format!("a value of {from} is stored where {dtype} belongs");
            return Err(self.error(diagnostics::DTYPE_MISMATCH, range, message));
        }
        self.cast_to(value, dtype)
    }
}

/// The statement lists in a statement.
fn bodies(kind: &StKind) -> SmallVec<[Run; 2]> {
    match *kind {
        StKind::If { then, otherwise, .. } => [then, otherwise].into_iter().collect(),
        StKind::While { body, .. } | StKind::For { body, .. } | StKind::With { body, .. } => {
            [body].into_iter().collect()
        }
        StKind::Error(run) => [run].into_iter().collect(),
        _ => SmallVec::new(),
    }
}
