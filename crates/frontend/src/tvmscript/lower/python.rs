//! Python in a kernel: what TVM's parser leaves to Python, with values that may be IR.
//!
//! A call of a function of Python is done when the kernel is read: with known arguments by the evaluator
//! ([`staging`]), else by reading the function's statements here, where an assignment names a value and `return` gives
//! one. A function that does anything else stays a call that may do anything.

use std::rc::Rc;

use ir::NameId;
use smallvec::SmallVec;
use syntax::SyntaxKind;

use super::{
    Doubt, Lowerer, R, Reported,
    arguments::Args,
    buffers::buffer_form,
    macros::Given,
    sequences::is_flat,
    value::{Ev, Items, Val},
    visible::Visible,
};
use crate::tvmscript::{
    Severity,
    ast::{self, Clause, CompareKind, Comprehended, Ex, ExKind, Run, St, StKind},
    environment::Constant,
    source_map::DefinitionKind,
    staging::{
        self, Function,
        format::{Piece, formatted, pieces},
        function::Code,
        operators,
    },
};

/// Statements of helpers that are read for one function.
pub(super) const MAX_STEPS: u32 = 20_000;
/// Calls of helpers around one another.
pub(super) const MAX_CALLS: u32 = 32;
/// Items of a range that become values.
const MAX_RANGE: i128 = 4_096;

/// Where control goes after a statement of a helper.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Val),
}

impl Lowerer<'_, '_, '_> {
    // ---- between values of the kernel and of Python ----

    /// A value of the kernel as one of Python, if it is one.
    pub(super) fn python_value(&self, val: &Val) -> Option<Constant> {
        Some(match val {
            Val::Const(it) => it.clone(),
            Val::Seq(items) => {
                let items: Option<Vec<Constant>> =
                    items.iter().map(|it| self.python_value(it)).collect();
                Constant::Tuple(items?.into())
            }
            Val::Path(path) => Constant::Path(self.s.body.name(*path).into()),
            Val::Type(ir::Type::Prim(dtype)) if self.is_tile_source() => {
                Constant::Str(dtype.to_string().into())
            }
            Val::Unknown(id) => self.s.objects.get(id)?.clone(),
            _ => return None,
        })
    }

    /// The value of an expression that is known to Python, if it has one in the kernel.
    fn known(&mut self, ex: Ex, value: Constant) -> R<Option<Ev>> {
        if let Constant::Unknown(_) = value {
            return Ok(None);
        }
        let range = std::ops::Range::<usize>::from(self.ast.range(ex));
        let text = self.ast.text.get(range).unwrap_or_default().to_owned();
        let val = self.value_of(&text, value, ex)?;
        let src = self.leaf(ex);
        Ok(Some(Ev { val, src }))
    }

    /// The attribute of a captured object.
    pub(super) fn object_attribute(&mut self, ex: Ex, base: &Val, name: &str) -> R<Option<Ev>> {
        let Val::Unknown(id) = base else { return Ok(None) };
        let Some(object) = self.s.objects.get(id) else { return Ok(None) };
        let value = self.s.env.member(object, name);
        self.known(ex, value)
    }

    /// The item of a captured object.
    pub(super) fn object_item(&mut self, ex: Ex, base: &Val, index: Ex) -> R<Option<Ev>> {
        let Val::Unknown(id) = base else { return Ok(None) };
        let Some(Constant::Dict(items)) = self.s.objects.get(id).cloned() else { return Ok(None) };
        let uses = self.s.uses.len();
        let key = self.eval(index)?;
        let item = self.python_value(&key.val).and_then(|key| operators::position(&items, &key));
        match item {
            Some(Some(at)) => self.known(ex, items[at + 1].clone()),
            _ => {
                self.s.uses.truncate(uses);
                Ok(None)
            }
        }
    }

    /// A comparison of values that Python knows and the kernel does not.
    pub(super) fn python_comparison(&self, op: CompareKind, a: &Val, b: &Val) -> Option<bool> {
        let is_source = self.is_tile_source();
        let is_other = |it: &Val| match it {
            Val::Unknown(_) | Val::Path(_) | Val::Seq(_) => true,
            Val::Type(_) => is_source,
            _ => false,
        };
        let is_plain = matches!(op, CompareKind::Binary(_)) && !is_other(a) && !is_other(b);
        if is_plain {
            return None;
        }
        let (a, b) = (self.python_value(a)?, self.python_value(b)?);
        match op {
            CompareKind::Binary(op) => operators::compare(op, &a, &b),
            CompareKind::In => operators::is_in(&a, &b),
            CompareKind::NotIn => operators::is_in(&a, &b).map(|it| !it),
            CompareKind::Is => operators::is_same(&a, &b),
            CompareKind::IsNot => operators::is_same(&a, &b).map(|it| !it),
        }
    }

    // ---- functions of Python ----

    /// A call of a function of Python itself.
    pub(super) fn python_function(&mut self, ex: Ex, path: &str, args: &Args<'_>) -> R<Option<Ev>> {
        let items = self.eval_items(&args.positional)?;
        let mut keywords = Vec::with_capacity(args.keywords.len());
        for &(name, value) in &args.keywords {
            keywords.push((name, self.eval(value)?.val));
        }
        let positional: Option<Vec<Constant>> =
            items.iter().map(|it| self.python_value(&it.val)).collect();
        let named: Option<Vec<(Box<str>, Constant)>> = keywords
            .iter()
            .map(|(name, val)| Some((Box::from(*name), self.python_value(val)?)))
            .collect();
        if let (Some(positional), Some(named)) = (positional, named) {
            let value = staging::pure(path, positional, named);
            if let Some(known) = self.known(ex, value)? {
                return Ok(Some(known));
            }
        }
        if !keywords.is_empty() {
            return Ok(None);
        }
        let val = match path.strip_prefix("builtins.") {
            Some("getattr") => self.member_by_name(&items),
            Some(name) => match self.builtin(name, &items) {
                Some(val) => Some(val),
                None => self.of_items(name, &items),
            },
            None => None,
        };
        let Some(val) = val else { return Ok(self.captured_builtin(ex, path, &items)) };
        let src = self.leaf(ex);
        Ok(Some(Ev { val, src }))
    }

    /// `getattr(T, "float32")`: the member of a dialect, or of what it has, by its name.
    fn member_by_name(&mut self, items: &[Ev]) -> Option<Val> {
        let [of, name] = items else { return None };
        let name = self.const_str(&name.val)?;
        match of.val {
            Val::Namespace(space) => Some(self.namespace_member(space, &name)),
            Val::Intrinsic(path) => {
                let path = format!("{}.{name}", self.s.body.name(path));
                Some(Val::Intrinsic(self.s.body.intern(&path)))
            }
            _ => None,
        }
    }

    /// Functions that take sequences apart, whatever the items are.
    fn of_items(&self, name: &str, given: &[Ev]) -> Option<Val> {
        let items = |at: usize| -> Option<Vec<Val>> {
            let val = &given.get(at)?.val;
            (0..self.n_items(val)?).map(|index| self.nth_item(val, index)).collect()
        };
        let pair = |a: Val, b: Val| Val::Seq([a, b].into_iter().collect());
        let all: Items = match (name, given.len()) {
            ("reversed", 1) => items(0)?.into_iter().rev().collect(),
            ("enumerate", 1) => {
                let number = |at: usize| Val::Const(Constant::Int(at as i128));
                items(0)?.into_iter().enumerate().map(|(at, it)| pair(number(at), it)).collect()
            }
            ("zip", 2) => items(0)?.into_iter().zip(items(1)?).map(|(a, b)| pair(a, b)).collect(),
            _ => return None,
        };
        Some(Val::Seq(all))
    }

    // ---- expressions that Python evaluates ----

    pub(super) fn comprehension(
        &mut self,
        ex: Ex,
        of: Comprehended,
        item: (Ex, Option<Ex>),
        clauses: Run,
    ) -> R<Ev> {
        // The items of a set have no order, and the keys of a dictionary are told apart where they are known.
        if of == Comprehended::Set {
            return Ok(self.opaque_ex(ex));
        }
        let ast = self.ast;
        let mut all = Vec::new();
        let uses = self.s.uses.len();
        let outer = self.expansion;
        // The text of an item stands for all of them.
        self.expansion = Some(self.range(ex));
        self.s.scopes.push_frame();
        let done = self.clauses(ast.clauses(clauses), item, &mut all);
        self.s.scopes.pop_frame();
        self.expansion = outer;
        let val = done.map(|is_known| match of {
            _ if !is_known => None,
            Comprehended::Dict => self.entries_of_pairs(all),
            _ => Some(Val::Seq(all.into_iter().map(|it| it.0).collect())),
        });
        match val {
            Ok(Some(val)) => {
                let src = self.leaf(ex);
                Ok(Ev { val, src })
            }
            Ok(None) => {
                self.s.uses.truncate(uses);
                Ok(self.opaque_ex(ex))
            }
            Err(it) => Err(it),
        }
    }

    /// Returns false if the items are not known: values, and of a dictionary a key and a value each.
    fn clauses(
        &mut self,
        clauses: &[Clause],
        element: (Ex, Option<Ex>),
        all: &mut Vec<(Val, Option<Val>)>,
    ) -> R<bool> {
        match clauses.split_first() {
            None => {
                let first = self.eval(element.0)?.val;
                let second = match element.1 {
                    Some(value) => Some(self.eval(value)?.val),
                    None => None,
                };
                let is_left = |it: &Val| matches!(it, Val::Python);
                if is_left(&first) || second.as_ref().is_some_and(is_left) {
                    return Ok(false);
                }
                all.push((first, second));
                Ok(true)
            }
            Some((&Clause::If(condition), rest)) => match self.eval(condition)?.val {
                Val::Const(it) if operators::truth(&it) => self.clauses(rest, element, all),
                Val::Const(_) => Ok(true),
                _ => Ok(false),
            },
            Some((&Clause::For { target, iterable }, rest)) => {
                let Some(items) = self.python_items(iterable)? else { return Ok(false) };
                for item in items {
                    let range = self.ast.range(iterable);
                    self.make_items(1, self.expansion.unwrap_or(range))?;
                    if !self.name_parts(target, item)
                        || !ir::stack::with_room(|| self.clauses(rest, element, all))?
                    {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// A dictionary of these keys and values; none if a key is not known, or if a value holds others.
    fn entries_of_pairs(&self, pairs: Vec<(Val, Option<Val>)>) -> Option<Val> {
        let entry = |(key, value): (Val, Option<Val>)| {
            Some((self.entry_key(&key)?, value.filter(is_flat)?))
        };
        pairs.into_iter().map(entry).collect::<Option<_>>().map(Val::Entries)
    }

    /// The items that Python iterates over.
    fn python_items(&mut self, iterable: Ex) -> R<Option<Vec<Val>>> {
        let ev = self.eval(iterable)?;
        if let Some(count) = self.n_items(&ev.val) {
            return Ok((0..count).map(|at| self.nth_item(&ev.val, at)).collect());
        }
        Ok(None)
    }

    /// Gives the names in a target the values that it takes apart. Returns false if that is not possible.
    pub(super) fn name_parts(&mut self, target: Ex, val: Val) -> bool {
        match *self.ast.kind(target) {
            ExKind::Subscript { base, index } if self.s.helper_depth > 0 => {
                self.list_item_assigned(base, index, val).is_ok()
            }
            ExKind::Name(name) => {
                self.define_at(name, target, DefinitionKind::Meta, val);
                true
            }
            ExKind::Tuple(run) | ExKind::List(run) => {
                let targets = self.ast.exs(run);
                if self.n_items(&val) != Some(targets.len()) {
                    return false;
                }
                targets.iter().enumerate().all(|(at, &target)| match self.nth_item(&val, at) {
                    Some(item) => self.name_parts(target, item),
                    None => false,
                })
            }
            _ => false,
        }
    }

    /// A formatted string: its text if all values in it are known, a captured value if some are captured. Each value is
    /// read once, as the strings may nest.
    pub(super) fn format_string(&mut self, ex: Ex, run: Run) -> R<Ev> {
        let tokens = self.ast.strings(run);
        let before = (self.s.uses.len(), self.s.unread.len(), self.s.diagnostics.len());
        let mut text = Some(String::new());
        let mut fields = Some(Vec::new());
        for token in tokens {
            let Some(pieces) = pieces(token) else {
                (text, fields) = (None, None);
                break;
            };
            for piece in pieces {
                match piece {
                    Piece::Text(it) => text.iter_mut().for_each(|text| text.push_str(&it)),
                    Piece::Field { value, conversion, spec } => {
                        let ev = self.field_value(ex, value);
                        let value = ev.as_ref().and_then(|it| self.python_value(&it.val));
                        let part = value
                            .filter(Constant::is_known)
                            .and_then(|it| formatted(&it, conversion, spec))
                            .filter(|it| it.len() <= staging::limits::MAX_SIZE);
                        text = text.zip(part).map(|(text, part)| text + &part);
                        fields = fields.zip(ev).map(|(mut fields, ev)| {
                            fields.push(ev);
                            fields
                        });
                    }
                }
            }
        }
        if let Some(text) = text {
            // What is unknown is said where the whole text is.
            self.s.unread.truncate(before.1);
            let src = self.leaf(ex);
            return Ok(Ev { val: Val::Const(Constant::Str(text.into())), src });
        }
        let is_one = tokens.len() == 1;
        let captured = fields.filter(|_| is_one).and_then(|it| self.captured_string(ex, &it));
        Ok(captured.unwrap_or_else(|| {
            self.s.uses.truncate(before.0);
            self.s.unread.truncate(before.1);
            self.s.diagnostics.truncate(before.2);
            self.opaque_ex(ex)
        }))
    }

    /// The value of an expression in a formatted string.
    fn field_value(&mut self, ex: Ex, text: &str) -> Option<Ev> {
        let parse = syntax::parse(&format!("({text})\n"));
        let ast = ast::read(parse.green());
        let [only] = ast.root[..] else { return None };
        let StKind::Expr(value) = ast.stmt(only).kind else { return None };
        if !ast.errors.is_empty() {
            return None;
        }
        let range = self.range(ex);
        let mut inner = Lowerer { s: &mut *self.s, ast: &ast, expansion: Some(range) };
        inner.eval(value).ok()
    }

    // ---- helpers ----

    /// A call of a captured value: of a function of Python, its value; else a call that may do anything.
    pub(super) fn captured_call(&mut self, ex: Ex, callee: Ex, of: &Val, args: Run) -> R<Ev> {
        let target = self.s.call_target.take().filter(|it| it.1 == ex).map(|it| it.0);
        if let Val::Unknown(id) = of
            && let Some(object) = self.s.objects.get(id).cloned()
        {
            let mark = self.mark();
            match self.helper_call(ex, &object, args, target) {
                Ok(Some(ev)) => return Ok(ev),
                Ok(None) | Err(Reported) => self.undo(mark),
            }
        }
        if self.s.helper_depth > 0 {
            return Err(Reported);
        }
        if let Val::Unknown(id) = of {
            self.needs_value(*id, self.ast.range(callee));
            self.s.doubt = Doubt::Unknown;
        }
        self.unknown_call(ex, callee, args)
    }

    /// `target` is the name that gets the value.
    fn helper_call(
        &mut self,
        ex: Ex,
        object: &Constant,
        args: Run,
        target: Option<NameId>,
    ) -> R<Option<Ev>> {
        let args = self.args(args);
        let mut given = self.given(&args)?;
        let known: Option<Vec<Constant>> =
            given.positional.iter().map(|it| self.python_value(it)).collect();
        let named: Option<Vec<(Box<str>, Constant)>> = given
            .keywords
            .iter()
            .map(|(name, it)| Some((Box::from(*name), self.python_value(it)?)))
            .collect();
        if let (Some(known), Some(named)) = (known, named) {
            let value = self.s.env.apply(object, known, named);
            if value.is_known() {
                return self.known(ex, value);
            }
        }
        let function = match object {
            Constant::Function(function) => function.clone(),
            Constant::Bound(_, parts) => match &parts[..] {
                [object, Constant::Function(function)] => {
                    let receiver = self.value_of("self", object.clone(), ex)?;
                    given.positional.insert(0, receiver);
                    function.clone()
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.s.buffer_name = target;
        let val = self.inlined(ex, &function, given);
        self.s.buffer_name = None;
        let val = val?;
        let src = self.leaf(ex);
        Ok(val.map(|val| Ev { val, src }))
    }

    /// The value that a function returns, if all that it does is to compute one.
    fn inlined(&mut self, ex: Ex, function: &Function, given: Given<'_>) -> R<Option<Val>> {
        if self.s.helper_depth >= MAX_CALLS || self.s.helper_steps >= MAX_STEPS {
            return Ok(None);
        }
        let range = self.range(ex);
        let ast = ast::read(&function.tree);
        self.s.helper_steps += 1 + ast.stmts.len() as u32 / 8;
        let n_ops = self.s.body.ops.len();
        let outside = self.s.home.replace(Rc::new(function.home.clone()));
        let restore = self.s.scopes.hide(&Visible::default());
        self.s.scopes.push_frame();
        self.s.helper_depth += 1;
        let mut inner = Lowerer { s: &mut *self.s, ast: &ast, expansion: Some(range) };
        let val = ir::stack::with_room(|| inner.helper_value(function, given));
        self.s.helper_depth -= 1;
        self.s.scopes.pop_frame();
        self.s.scopes.unhide(restore);
        self.s.home = outside;
        debug_assert!(
            n_ops == self.s.body.ops.len() || matches!(val, Ok(Val::Buffer(_))),
            "an expression makes no operation but a buffer"
        );
        match val? {
            // These have a meaning only where they stand.
            Val::LocalMacro(..) | Val::Lambda | Val::Python | Val::Dict | Val::Entries(_) => {
                Ok(None)
            }
            val => Ok(Some(val)),
        }
    }

    fn helper_value(&mut self, function: &Function, given: Given<'_>) -> R<Val> {
        let ast = self.ast;
        for (name, value) in function.closure.iter() {
            if value.is_plain() || matches!(value, Constant::Function(_) | Constant::Class(_)) {
                let val = self.value_of(name, value.clone(), Ex(0))?;
                self.define(name, syntax::TextRange::empty(0.into()), DefinitionKind::Meta, val);
            }
        }
        match function.code {
            Code::Lambda(lambda) => {
                let Some(ExKind::Lambda { params, body }) =
                    ast.exprs.get(lambda as usize).map(|it| &it.kind)
                else {
                    return Err(Reported);
                };
                let params = ast.params(*params);
                if params.iter().any(|it| it.is_star) || !given.keywords.is_empty() {
                    return Err(Reported);
                }
                let mut positional = given.positional.into_iter();
                for param in params {
                    let val = match (positional.next(), param.default) {
                        (Some(val), _) => val,
                        (None, Some(default)) => self.eval(default)?.val,
                        (None, None) => return Err(Reported),
                    };
                    self.define(param.name, param.name_range, DefinitionKind::Meta, val);
                }
                if positional.next().is_some() {
                    return Err(Reported);
                }
                Ok(self.eval(*body)?.val)
            }
            Code::Def(def) => {
                let Some(def) = ast.defs.get(def as usize) else { return Err(Reported) };
                let is_plain = |text: &str| !text.contains("yield") && !text.contains("await");
                if def.params.iter().any(|it| it.is_double) || !is_plain(&ast.text) {
                    return Err(Reported);
                }
                let values = self.bind_args(def, given)?;
                // A list that is given, or a default that all calls share, is not the function's to change.
                let held = values.clone();
                for (param, val) in def.params.iter().zip(values) {
                    if !param.name.is_empty() {
                        self.define(param.name, param.name_range, DefinitionKind::Meta, val);
                    }
                }
                let flow = self.helper_statements(def.body);
                drop(held);
                match flow? {
                    Flow::Return(val) => Ok(val),
                    Flow::Next => Ok(Val::Const(Constant::None)),
                    Flow::Break | Flow::Continue => Err(Reported),
                }
            }
        }
    }

    fn helper_statements(&mut self, run: Run) -> R<Flow> {
        let ast = self.ast;
        for &st in ast.sts(run) {
            self.s.helper_steps += 1;
            if self.s.helper_steps >= MAX_STEPS {
                return Err(Reported);
            }
            match ir::stack::with_room(|| self.helper_statement(st))? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// The value of an expression of a helper: all of it has a meaning here.
    pub(super) fn helper_eval(&mut self, ex: Ex) -> R<Ev> {
        let (n_unread, n_diagnostics) = (self.s.unread.len(), self.s.diagnostics.len());
        let ev = self.eval(ex)?;
        let is_said = |it: &crate::tvmscript::Diagnostic| it.severity != Severity::Hint;
        if self.s.unread.len() > n_unread
            || matches!(ev.val, Val::Python)
            || self.s.diagnostics[n_diagnostics..].iter().any(is_said)
        {
            return Err(Reported);
        }
        Ok(ev)
    }

    /// The buffer that a helper makes for the name that gets its value: `return T.alloc_buffer(…)`.
    fn helper_buffer(&mut self, value: Ex) -> R<Option<Val>> {
        let Some((form, args)) = self.form_call(value) else { return Ok(None) };
        let Some(kind) = buffer_form(&form, self.is_legacy()) else { return Ok(None) };
        let Some(name) = self.s.buffer_name.take() else { return Err(Reported) };
        self.check_form(&form, &args)?;
        let spec = self.buffer_spec(value, kind, &args)?;
        let name = self.s.body.name(name).to_owned();
        let (buffer, _) = self.new_buffer(&name, kind, spec);
        Ok(Some(Val::Buffer(buffer)))
    }

    pub(super) fn helper_statement(&mut self, st: St) -> R<Flow> {
        let ast = self.ast;
        match ast.stmt(st).kind {
            StKind::Expr(ex) if matches!(ast.kind(ex), ExKind::Str(_) | ExKind::Ellipsis) => {}
            StKind::Pass | StKind::Import | StKind::Assert { .. } => {}
            StKind::Expr(ex) => {
                if !self.list_statement(ex)? {
                    return Err(Reported);
                }
            }
            StKind::Assign { targets, value } => {
                let ev = self.helper_eval(value)?;
                for &target in ast.exs(targets) {
                    if !self.name_parts(target, ev.val.clone()) {
                        return Err(Reported);
                    }
                }
            }
            StKind::AnnAssign { target, value: Some(value), .. } => {
                let ev = self.helper_eval(value)?;
                if !self.name_parts(target, ev.val) {
                    return Err(Reported);
                }
            }
            StKind::AnnAssign { value: None, .. } => {}
            StKind::AugAssign { target, op, value } => self.helper_augmented(target, op, value)?,
            StKind::Return(Some(value)) => {
                let val = match self.helper_buffer(value)? {
                    Some(buffer) => buffer,
                    None => self.helper_eval(value)?.val,
                };
                self.s.returned_meta =
                    self.form_call(value).is_some_and(|(form, _)| form == "meta_var");
                return Ok(Flow::Return(val));
            }
            StKind::Return(None) => return Ok(Flow::Return(Val::Const(Constant::None))),
            StKind::Break => return Ok(Flow::Break),
            StKind::Continue => return Ok(Flow::Continue),
            StKind::If { condition, then, otherwise } => {
                let decision = self.helper_eval(condition)?.val;
                let taken = match self.python_truth(&decision) {
                    Some(true) => then,
                    Some(false) => otherwise,
                    // Were it raised, there would be no kernel.
                    None if self.raises(then) => otherwise,
                    None => return Err(Reported),
                };
                return self.helper_statements(taken);
            }
            StKind::For { target, iterable, body, otherwise } => {
                let Some(items) = self.python_items(iterable)? else { return Err(Reported) };
                // Python goes through a list as it is, and so must not change it.
                let held = self.lists_in(iterable);
                for item in items {
                    if !self.name_parts(target, item) {
                        return Err(Reported);
                    }
                    match self.helper_statements(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => return Ok(Flow::Next),
                        other => return Ok(other),
                    }
                }
                drop(held);
                return self.helper_statements(otherwise);
            }
            _ => return Err(Reported),
        }
        Ok(Flow::Next)
    }

    fn helper_augmented(&mut self, target: Ex, op: SyntaxKind, value: Ex) -> R<()> {
        let ExKind::Name(name) = *self.ast.kind(target) else { return Err(Reported) };
        let current = self.helper_eval(target)?;
        let value = self.helper_eval(value)?;
        let op = super::assign::binary_of(op);
        let at = super::At { range: self.range(target), is_real: false };
        let result = self.binary_values(op, &current, &value, at, target)?;
        self.define_at(name, target, DefinitionKind::Meta, result.val);
        Ok(())
    }

    /// Python's truth of a value of the kernel, where that is a value of Python.
    fn python_truth(&self, val: &Val) -> Option<bool> {
        match val {
            Val::Seq(items) => Some(!items.is_empty()),
            _ => operators::truth_of(&self.python_value(val)?),
        }
    }

    /// Returns true if an error is all that statements do.
    pub(super) fn raises(&self, run: Run) -> bool {
        let all: SmallVec<[St; 2]> = self.ast.sts(run).iter().copied().collect();
        matches!(all[..], [only] if matches!(self.ast.stmt(only).kind, StKind::Raise))
    }

    /// The state before something that may have no meaning after all.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            uses: self.s.uses.len(),
            unread: self.s.unread.len(),
            diagnostics: self.s.diagnostics.len(),
            doubt: self.s.doubt,
        }
    }

    pub(super) fn undo(&mut self, mark: Mark) {
        self.s.uses.truncate(mark.uses);
        self.s.unread.truncate(mark.unread);
        self.s.diagnostics.truncate(mark.diagnostics);
        self.s.doubt = mark.doubt;
    }

    /// The items of a range.
    pub(super) fn range_items(start: i128, stop: i128, step: i128) -> Option<Constant> {
        let len = operators::range_len(&Constant::Range(start, stop, step))?;
        let item = |at: i128| Constant::Int(start.saturating_add(at.saturating_mul(step)));
        (len <= MAX_RANGE).then(|| Constant::List((0..len).map(item).collect()))
    }
}

/// Returns true if a path is of a function of Python itself, or one that computes with values of Python alone.
pub(super) fn is_python(path: &str) -> bool {
    const MODULES: [&str; 6] =
        ["builtins.", "math.", "functools.", "itertools.", "operator.", "typing."];
    MODULES.iter().any(|it| path.starts_with(it))
        || path.starts_with("tvm.") && path.ends_with(".DataType")
}

/// The lengths of the lists that grow while something is read.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    uses: usize,
    unread: usize,
    diagnostics: usize,
    doubt: Doubt,
}
