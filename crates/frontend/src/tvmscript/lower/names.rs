//! Names: lookup, definition, and their entries in the source map.

use std::rc::Rc;

use ir::{BufferId, DataType, NameId, Type, ValueId, ValueKind};
use syntax::TextRange;

use super::{
    Doubt, Lowerer, R, Reported,
    value::{Ev, IsSize, Val},
};
use crate::tvmscript::{
    Severity,
    ast::Ex,
    diagnostics,
    environment::{Capture, Constant},
    source_map::{Definition, DefinitionId, DefinitionKind},
    staging,
    vocabulary::namespace,
};

impl Lowerer<'_, '_, '_> {
    /// The meaning of a name at `ex`.
    pub(super) fn name(&mut self, name: &str, ex: Ex) -> R<Ev> {
        let id = self.s.body.intern(name);
        if let Some(val) = self.of_another_scope(name, id, ex)? {
            let src = self.leaf(ex);
            return Ok(Ev { val, src });
        }
        let (val, definition) = match self.s.scopes.lookup(id) {
            Some(binding) => (binding.val.clone(), binding.definition),
            None => self.capture(name, id, ex)?,
        };
        if self.is_unknown(&val) {
            self.s.doubt = Doubt::Unknown;
        }
        self.mention(self.ast.range(ex), definition);
        let val = match val {
            Val::Declared(ty, is_size) => self.declared(name, id, (ty, is_size), definition),
            val => val,
        };
        let src = self.leaf(ex);
        Ok(Ev { val, src })
    }

    /// Returns true if only the name of a value is known.
    pub(super) fn is_unknown(&self, val: &Val) -> bool {
        match val {
            Val::Unknown(id) => !self.s.objects.contains_key(id),
            Val::Python => true,
            Val::Expr(id) => self.s.body.ty(*id) == Type::Unknown,
            Val::Path(path) => {
                let path = self.s.body.name(*path);
                !["builtins", "math", "tvm", "typing"]
                    .iter()
                    .any(|it| path.split('.').next() == Some(it))
            }
            _ => false,
        }
    }

    /// The meaning of a free name in a macro that stands in another scope than the function, where the name means
    /// something else there. A constant has its value; other things have no name by which the function could print
    /// them.
    fn of_another_scope(&mut self, name: &str, id: NameId, ex: Ex) -> R<Option<Val>> {
        let Some(home) = self.s.home.clone() else { return Ok(None) };
        if self.s.scopes.lookup(id).is_some_and(|it| !it.is_captured()) {
            return Ok(None);
        }
        let found = self.s.env.resolve_at(Some(&home), name);
        if found.home == self.s.env.resolve_at(None, name).home {
            return Ok(None);
        }
        match found.capture {
            Capture::Constant(it) => self.value_of(name, it, ex).map(Some),
            Capture::Namespace(it) => Ok(Some(Val::Namespace(it))),
            Capture::Macro { green, home } => Ok(Some(Val::Macro(Rc::new(green), Rc::new(home)))),
            Capture::Path(path) => Ok(Some(self.path_value(&path))),
            _ => Err(self.unsupported(ex, "a name that the function itself gives another meaning")),
        }
    }

    /// The first use of `n = T.int32()` makes the symbol.
    fn declared(
        &mut self,
        name: &str,
        id: NameId,
        (ty, is_size): (Type, IsSize),
        definition: DefinitionId,
    ) -> Val {
        let value = self.s.body.new_value(name, ty, ValueKind::Symbol);
        self.s.body.values[value].is_size = is_size.0;
        let val = Val::Expr(self.s.body.value_expr(value));
        self.s.definitions[definition.0 as usize].value = Some(value);
        self.s.scopes.redefine(id, val.clone());
        val
    }

    /// The meaning of a name without a diagnostic and without mentioning it.
    pub(super) fn peek(&mut self, name: &str) -> Option<Val> {
        let id = self.s.body.intern(name);
        self.s.scopes.lookup(id).map(|it| it.val.clone())
    }

    pub(super) fn mention(&mut self, range: TextRange, definition: DefinitionId) {
        if self.expansion.is_none() {
            self.s.uses.push((range, definition));
        }
    }

    fn capture(&mut self, name: &str, id: NameId, ex: Ex) -> R<(Val, DefinitionId)> {
        let range = self.ast.range(ex);
        // Where the macro that is being read says something else, `of_another_scope` has answered.
        let capture = self.s.env.resolve(name);
        let mut value = None;
        let note = note_of(&capture).map(|it| self.with_conditions(it, &capture, name));
        let is_known = matches!(capture, Capture::Constant(_));
        let val = match capture {
            Capture::TypeVar(dtype) => {
                let it = self.s.body.new_value(name, dtype.into(), ValueKind::Captured);
                self.s.body.values[it].is_size = true;
                value = Some(it);
                Val::Expr(self.s.body.value_expr(it))
            }
            Capture::Constant(it) => match self.value_of(name, it, ex)? {
                Val::Unknown(id) => {
                    value = Some(id);
                    Val::Unknown(id)
                }
                val => val,
            },
            Capture::Namespace(it) => Val::Namespace(it),
            Capture::Path(path) => self.path_value(&path),
            Capture::Macro { green, home } => Val::Macro(Rc::new(green), Rc::new(home)),
            Capture::Function(signature) => Val::Function(Rc::new(signature)),
            Capture::Module => Val::Module,
            Capture::Unknown(_) => {
                let it = self.unknown_value(name);
                let at = self.expansion.unwrap_or(range);
                self.s.open_names.push((name.into(), at));
                value = Some(it);
                Val::Unknown(it)
            }
            // `x := e` names it where it stands and in all of the function from there on.
            Capture::Undefined if self.ast.named_inside.iter().any(|it| it.0 == name) => {
                let it = self.unknown_value(name);
                value = Some(it);
                Val::Unknown(it)
            }
            // What an arm names is what Python has last named so.
            Capture::Undefined if self.is_tile_source() && self.ast.is_assigned(name) => {
                let it = self.unknown_value(name);
                value = Some(it);
                Val::Unknown(it)
            }
            // What TileLang's printer has no text for, it prints as an item of this.
            Capture::Undefined if name == "metadata" && self.is_tilelang() => {
                let it = self.unknown_value(name);
                value = Some(it);
                Val::Unknown(it)
            }
            Capture::Undefined => return Err(self.undefined(name, range)),
        };
        let definition = self.definition(name, range, DefinitionKind::Captured, value, None);
        let known = &mut self.s.definitions[definition.0 as usize];
        known.note = note;
        known.is_known = is_known;
        self.s.scopes.define_outer(id, val.clone(), definition);
        Ok((val, definition))
    }

    /// Says that the value of a captured name is not known.
    /// Notes that a captured object is needed as a value of the kernel, which it has not.
    pub(super) fn needs_value(&mut self, value: ValueId, range: TextRange) {
        if !self.s.objects.contains_key(&value) {
            return;
        }
        let name = self.s.body.values[value].name;
        if !self.s.body.unresolved.contains(&name) {
            self.s.body.unresolved.push(name);
            let name = self.s.body.name(name).to_owned();
            self.s.open_names.push((name.into(), range));
        }
    }

    /// A dotted path of Python: of a dialect, what a kernel calls so.
    fn path_value(&mut self, path: &str) -> Val {
        if let Some(space) = namespace(path) {
            return Val::Namespace(space);
        }
        let member = path.rsplit_once('.').and_then(|(head, name)| Some((namespace(head)?, name)));
        match member {
            Some((space, name)) => self.namespace_member(space, name),
            None => Val::Path(self.s.body.intern(path)),
        }
    }

    /// The value that a value of Python is for the kernel. `text` means it in the text.
    pub(super) fn value_of(&mut self, text: &str, value: Constant, ex: Ex) -> R<Val> {
        if value.is_plain() {
            return Ok(Val::Const(value));
        }
        Ok(match value {
            Constant::Tuple(items) | Constant::List(items) => {
                let mut vals = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    vals.push(self.value_of(&format!("{text}[{index}]"), item.clone(), ex)?);
                }
                Val::Seq(vals.into_iter().collect())
            }
            Constant::Path(path) => self.path_value(&path),
            Constant::Range(start, stop, step)
                if Self::range_items(start, stop, step).is_some() =>
            {
                Val::Const(Self::range_items(start, stop, step).unwrap_or_default())
            }
            Constant::Iterator(items) => {
                return self.value_of(text, Constant::List(items), ex);
            }
            Constant::Typed(dtype, number) => {
                let src = self.leaf(ex);
                let dtype = DataType::parse(&dtype).unwrap_or(DataType::INT32);
                let element = dtype.element();
                let tx = match number.first() {
                    Some(Constant::Int(it)) => self.const_as(*it, element, src)?,
                    Some(Constant::Bool(it)) => self.const_as(i128::from(*it), element, src)?,
                    Some(Constant::Float(bits)) => {
                        self.const_float_as(f64::from_bits(*bits), element, src)?
                    }
                    _ => return Ok(Val::Python),
                };
                let is_scalar = dtype.is_scalar();
                Val::Expr(if is_scalar { tx } else { self.broadcast(tx, dtype.lanes) }.id)
            }
            object => {
                let it = self.s.body.new_value(text, Type::Unknown, ValueKind::Captured);
                self.s.objects.insert(it, object);
                Val::Unknown(it)
            }
        })
    }

    fn unknown_value(&mut self, name: &str) -> ValueId {
        // What is known of it is asked for once something is not known.
        self.facts();
        let id = self.s.body.intern(name);
        self.s.body.unresolved.push(id);
        self.captured_text(name)
    }

    /// One note for all captured names whose values are not known, at the first.
    pub(super) fn say_open_names(&mut self) {
        let names = std::mem::take(&mut self.s.open_names);
        let Some((_, range)) = names.first() else { return };
        let listed = listed(names.iter().map(|(name, _)| format!("`{name}`")));
        let message = match names.len() {
            1 => format!("the value of {listed} is not known here"),
            _ => format!("the values of {listed} are not known here"),
        };
        self.s.diagnostics.push(crate::tvmscript::Diagnostic {
            code: diagnostics::UNRESOLVED_CAPTURE,
            severity: Severity::Hint,
            range: *range,
            message,
            help: Some("each is one value, equal to itself only; no more is assumed".to_owned()),
            ..Default::default()
        });
    }

    /// One note for all functions of the script that are in no table, at the first.
    pub(super) fn say_unknown_calls(&mut self) {
        let calls = std::mem::take(&mut self.s.unknown_calls);
        let Some(&(_, range)) = calls.first() else { return };
        let listed = listed(calls.iter().map(|(name, _)| format!("`T.{name}`")));
        let message = match calls.len() {
            1 => format!("{listed} is in no table: it may do anything"),
            _ => format!("{listed} are in no table: they may do anything"),
        };
        self.diagnostic(diagnostics::UNKNOWN_INTRINSIC, Severity::Hint, range, message, None);
    }

    fn undefined(&mut self, name: &str, range: TextRange) -> Reported {
        self.error(diagnostics::UNDEFINED_NAME, range, format!("`{name}` is not defined here"))
    }

    fn definition(
        &mut self,
        name: &str,
        range: TextRange,
        kind: DefinitionKind,
        value: Option<ValueId>,
        buffer: Option<BufferId>,
    ) -> DefinitionId {
        let range = self.expansion.unwrap_or(range);
        let note = None;
        let is_known = false;
        let definition =
            Definition { name: name.into(), range, kind, value, buffer, note, is_known };
        self.s.definitions.push(definition);
        DefinitionId(self.s.definitions.len() as u32 - 1)
    }

    /// Defines a name at `range` in the innermost frame.
    pub(super) fn define(&mut self, name: &str, range: TextRange, kind: DefinitionKind, val: Val) {
        let (value, buffer) = match &val {
            Val::Expr(id) => match self.s.body.expr(*id).kind {
                ir::ExprKind::Value(value) => (Some(value), None),
                _ => (None, None),
            },
            Val::Thread(value, _) | Val::Unknown(value) => (Some(*value), None),
            Val::Buffer(buffer) | Val::Cell(buffer) => (None, Some(*buffer)),
            _ => (None, None),
        };
        let id = self.s.body.intern(name);
        let definition = self.definition(name, range, kind, value, buffer);
        self.mention(range, definition);
        self.s.scopes.define(id, val, definition);
    }

    /// Defines the name that `ex` is.
    pub(super) fn define_at(&mut self, name: &str, ex: Ex, kind: DefinitionKind, val: Val) {
        self.define(name, self.ast.range(ex), kind, val);
    }

    /// Defines a value under its own name.
    pub(super) fn define_value(
        &mut self,
        name: &str,
        ex: Ex,
        kind: DefinitionKind,
        value: ValueId,
    ) {
        let val = Val::Expr(self.s.body.value_expr(value));
        self.define_at(name, ex, kind, val);
    }

    /// A name whose definition is not understood: it may hold anything, and its uses are not reported.
    pub(super) fn define_unknown(&mut self, name: &str, ex: Ex, value: ValueId) {
        self.define_at(name, ex, DefinitionKind::Binding, Val::Unknown(value));
    }

    /// Reports a second definition in one scope.
    pub(super) fn check_redefinition(&mut self, name: &str, ex: Ex) {
        let id = self.s.body.intern(name);
        let Some(binding) = self.s.scopes.in_innermost(id) else { return };
        if !self.s.is_checked {
            // TVM takes it; here a value has one definition.
            return self.note_kept(self.range(ex));
        }
        let first = self.s.definitions[binding.definition.0 as usize].range;
        let range = self.ast.range(ex);
        let message = format!("`{name}` is already defined in this scope");
        self.error(diagnostics::REDEFINITION, range, message);
        if let Some(last) = self.s.diagnostics.last_mut() {
            last.related.push((first, "first defined here".to_owned()));
            last.help = Some("choose another name".to_owned());
        }
    }

    /// A string that is known when the text is read.
    pub(super) fn const_str(&self, val: &Val) -> Option<String> {
        match val {
            Val::Const(Constant::Str(it)) => Some(it.to_string()),
            Val::Expr(id) => match self.s.body.expr(*id).kind {
                ir::ExprKind::Str(name) => Some(self.s.body.name(name).to_owned()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The sentence about a captured name.
fn note_of(capture: &Capture) -> Option<Box<str>> {
    /// Longer values are cut.
    const LONGEST: usize = 200;
    let text = match capture {
        Capture::Unknown(it) => format!("not known: {}", it.reason),
        Capture::Constant(value) => match (staging::format::repr(value), value.first_unknown()) {
            (Some(text), _) => format!("= {text}"),
            (None, Some(it)) => format!("known in part: {}", it.reason),
            (None, None) => match value {
                Constant::Function(_) => "function of Python".to_owned(),
                Constant::Class(_) => "class of Python".to_owned(),
                Constant::Typed(dtype, number) => {
                    let number = number.first().and_then(staging::format::repr)?;
                    format!("= {number}: {dtype}")
                }
                _ => "known value of Python".to_owned(),
            },
        },
        _ => return None,
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Some(format!("{}…", &text[..end]).into()),
        None => Some(text.into()),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    match &texts[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        texts => texts.concat(),
    }
}
