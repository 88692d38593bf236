//! Compile-time data: keyword arguments, annotations, dictionaries.

use ir::{Attr, AttrDict, DataType, ExprKind, Type};

use super::{
    Lowerer, R,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    Severity,
    ast::{Ex, ExKind},
    diagnostics,
    environment::Constant,
    source_map::DefinitionKind,
    staging,
};

/// Data that is nested more deeply is kept by its text, and reported: printing, comparing and dropping data recurse
/// over it.
const DEEPEST: u32 = 128;

impl Lowerer<'_, '_, '_> {
    /// An expression as data. A value that is no data is kept by its text.
    pub(super) fn attr(&mut self, ex: Ex) -> Attr {
        if self.s.attr_depth >= DEEPEST {
            let message =
                format!("data that nests deeper than {DEEPEST} levels is kept by its text");
            let (code, range) = (diagnostics::UNSUPPORTED_CONSTRUCT, self.ast.range(ex));
            self.diagnostic(code, Severity::Warning, range, message, None);
            return self.attr_text(ex);
        }
        self.s.attr_depth += 1;
        let attr = ir::stack::with_room(|| self.attr_at(ex));
        self.s.attr_depth -= 1;
        attr
    }

    fn attr_at(&mut self, ex: Ex) -> Attr {
        let ast = self.ast;
        match ast.kind(ex) {
            ExKind::None => Attr::None,
            ExKind::Bool(it) => Attr::Bool(*it),
            ExKind::Int(it) => i64::try_from(it.get())
                .map_or_else(|_| self.attr_text(ex), |it| Attr::Int(it, None)),
            ExKind::Float(it) => Attr::Float(*it, None),
            ExKind::Str(it) => Attr::Str(ast.string(*it).into()),
            ExKind::List(run) | ExKind::Tuple(run) => {
                Attr::List(ast.exs(*run).iter().map(|&it| self.attr(it)).collect())
            }
            ExKind::Dict(_) => Attr::Dict(self.attr_dict(ex)),
            &ExKind::Call { callee, args } => self.attr_call(ex, callee, args),
            ExKind::Star(_)
            | ExKind::Subscript { .. }
            | ExKind::Lambda { .. }
            | ExKind::FString(_)
            | ExKind::Set(_)
            | ExKind::Comprehension { .. }
            | ExKind::Named { .. }
            | ExKind::Other
            | ExKind::OtherLiteral => self.attr_text(ex),
            _ => self.attr_value(ex),
        }
    }

    fn attr_text(&mut self, ex: Ex) -> Attr {
        Attr::Text(self.kept_text(ex).into())
    }

    /// A text that is kept. Names of compile-time values in it have no definition in the printed function, which is
    /// reported.
    pub(super) fn kept_text(&mut self, ex: Ex) -> String {
        let (ast, range) = (self.ast, self.ast.range(ex));
        for at in (0..=ex.0).rev() {
            let inner = Ex(at);
            if !range.contains_range(ast.range(inner)) {
                break;
            }
            let &ExKind::Name(name) = ast.kind(inner) else { continue };
            let id = self.s.body.intern(name);
            let is_alias = self.s.scopes.lookup(id).is_some_and(|it| {
                self.s.definitions[it.definition.0 as usize].kind == DefinitionKind::Meta
            });
            if is_alias {
                self.unsupported(inner, &format!("`{name}` in Python"));
                break;
            }
        }
        self.text(range)
    }

    /// The entries of a dictionary; keys that are no strings are kept by their text.
    pub(super) fn attr_dict(&mut self, ex: Ex) -> AttrDict {
        let ast = self.ast;
        let ExKind::Dict(run) = ast.kind(ex) else { return AttrDict::new() };
        ast.exs(*run)
            .chunks_exact(2)
            .filter_map(|pair| {
                let &[key, value] = pair else { return None };
                let key = match ast.kind(key) {
                    ExKind::Str(it) => ast.string(*it).into(),
                    _ => self.text(ast.range(key)).into(),
                };
                Some((key, self.attr(value)))
            })
            .collect()
    }

    /// `T.int64(3)`, `T.bool(True)`, `T.target({...})`, `R.Tensor(...)`
    fn attr_call(&mut self, ex: Ex, callee: Ex, args: crate::tvmscript::ast::Run) -> Attr {
        let ast = self.ast;
        let Some((head, rest)) = ast.dotted(callee) else { return self.attr_text(ex) };
        let args = ast.args(args);
        if let [name] = rest[..]
            && let Some(dtype) = DataType::parse(name)
            && let [arg] = args
        {
            match ast.kind(arg.value) {
                ExKind::Int(it) => {
                    if let Ok(it) = i64::try_from(it.get()) {
                        return Attr::Int(it, Some(dtype));
                    }
                }
                ExKind::Bool(it) => return Attr::Int(i64::from(*it), Some(dtype)),
                ExKind::Float(it) => return Attr::Float(*it, Some(dtype)),
                ExKind::Str(it) => {
                    if let Ok(it) = ast.string(*it).parse::<f64>() {
                        return Attr::Float(it, Some(dtype));
                    }
                }
                _ => {}
            }
            return self.attr_value(ex);
        }
        if !rest.last().is_some_and(|it| DATA_CONSTRUCTORS.contains(it)) {
            return self.attr_value(ex);
        }
        let written = format!("{head}.{}", rest.join("."));
        let name = if written == "tvm.target.Target" { "T.target".to_owned() } else { written };
        let mut positional = Vec::new();
        let mut keywords = Vec::new();
        for arg in args {
            let value = self.attr(arg.value);
            match arg.keyword {
                Some((key, _)) => keywords.push((key.into(), value)),
                None => positional.push(value),
            }
        }
        Attr::Call { name: name.into(), args: positional, keywords }
    }

    /// A value: constants become data, other expressions are kept as such.
    pub(super) fn attr_value(&mut self, ex: Ex) -> Attr {
        let mark = self.s.diagnostics.len();
        let value = self.eval(ex).and_then(|ev| self.attr_of(&ev));
        match value {
            Ok(attr) => attr,
            Err(_) => {
                self.s.diagnostics.truncate(mark);
                self.attr_text(ex)
            }
        }
    }

    pub(super) fn attr_of(&mut self, ev: &Ev) -> R<Attr> {
        match &ev.val {
            Val::Const(it) => return Ok(constant_attr(it)),
            Val::Static(text) => return Ok(Attr::Text(text.as_ref().into())),
            _ => {}
        }
        let tx = self.lift(ev)?;
        let ty = self.ty(tx);
        Ok(match (self.kind(tx), ty) {
            (ExprKind::Int(it), Type::Prim(dtype)) => Attr::Int(it, Some(dtype)),
            (ExprKind::Float(bits), Type::Prim(dtype)) => {
                Attr::Float(f64::from_bits(bits), Some(dtype))
            }
            (ExprKind::Str(name), _) => Attr::Str(self.s.body.name(name).into()),
            _ => Attr::Expr(tx.id),
        })
    }

    /// How a number is spelled where its value as an expression does not show it: a number of Python that is no
    /// `int32`, a constant that is one.
    pub(super) fn spelling(&self, ev: &Ev, tx: Tx) -> Option<Attr> {
        match (&ev.val, self.kind(tx)) {
            (Val::Const(Constant::Int(_)), _) if self.dtype(tx) == Some(DataType::INT32) => None,
            (Val::Const(Constant::Str(_)), _) => None,
            (Val::Const(it), _) => Some(constant_attr(it)),
            (_, ExprKind::Int(it)) if self.dtype(tx) == Some(DataType::INT32) => {
                Some(Attr::Int(it, Some(DataType::INT32)))
            }
            _ => None,
        }
    }

    /// The keyword arguments of a call: compile-time data, or operands behind those that are there, some as their text.
    pub(super) fn keyword_operands(
        &mut self,
        keywords: &[(&str, Ex)],
        is_text: &dyn Fn(&str) -> bool,
        operands: &mut Vec<Tx>,
    ) -> AttrDict {
        let mut attrs = AttrDict::new();
        for &(key, value) in keywords {
            if key == "**"
                && let Ok(Some(given)) = self.spread_keywords(value, operands)
            {
                attrs.extend(given);
                continue;
            }
            let value = if is_text(key) {
                Err(self.opaque_operand(value))
            } else {
                self.keyword_operand(value)
            };
            let value = match value {
                Ok(data) => data,
                Err(operand) => {
                    operands.push(operand);
                    Attr::Operand(operands.len() as u32 - 1)
                }
            };
            attrs.push((key.into(), value));
        }
        attrs
    }

    /// Data, or else the operand that a keyword argument is. An operand without a meaning here may name any memory.
    fn keyword_operand(&mut self, ex: Ex) -> Result<Attr, Tx> {
        let ast = self.ast;
        match ast.kind(ex) {
            ExKind::None | ExKind::Bool(_) | ExKind::Int(_) | ExKind::Float(_) | ExKind::Str(_) => {
                return Ok(self.attr(ex));
            }
            ExKind::Dict(_) => return self.data_or_opaque(ex),
            ExKind::Call { callee, .. } if self.is_constructor(*callee) => {
                return self.data_or_opaque(ex);
            }
            _ => {}
        }
        let (mark, uses) = (self.s.diagnostics.len(), self.s.uses.len());
        let operand = self.eval(ex).and_then(|ev| match &ev.val {
            Val::Const(_) => Ok(None),
            Val::Seq(items) if items.iter().all(|it| matches!(it, Val::Const(_))) => Ok(None),
            Val::Region(buffer, dims) => Ok(Some(self.region(*buffer, dims, ev.src))),
            _ => self.lift(&ev).map(Some),
        });
        match operand {
            Ok(None) => Ok(self.attr(ex)),
            Ok(Some(operand)) => Err(operand),
            Err(_) => {
                self.s.diagnostics.truncate(mark);
                self.s.uses.truncate(uses);
                Err(self.opaque_operand(ex))
            }
        }
    }

    /// A dictionary or a constructor of data; an operand of which nothing is known if something in it is computed.
    pub(super) fn data_or_opaque(&mut self, ex: Ex) -> Result<Attr, Tx> {
        let uses = self.s.uses.len();
        let data = self.attr(ex);
        if !data.holds_expression() {
            return Ok(data);
        }
        // Names in it are found in no operand: they are hidden again.
        self.s.uses.truncate(uses);
        Err(self.opaque_operand(ex))
    }

    /// An operand that is its text.
    pub(super) fn opaque_operand(&mut self, ex: Ex) -> Tx {
        let text = self.kept_text(ex);
        let id = self.s.body.opaque(&text);
        let at = self.at(ex);
        self.tx(id, at)
    }

    /// Returns true if a call makes compile-time data, judging by its name.
    fn is_constructor(&self, callee: Ex) -> bool {
        let Some((_, path)) = self.ast.dotted(callee) else { return false };
        path.last()
            .is_some_and(|it| DATA_CONSTRUCTORS.contains(it) || DataType::parse(it).is_some())
    }

    /// Keyword arguments as written.
    pub(super) fn keyword_attrs(&mut self, keywords: &[(&str, Ex)]) -> AttrDict {
        keywords.iter().map(|&(key, value)| (key.into(), self.attr(value))).collect()
    }
}

/// Constructors of data that is kept by its parts.
const DATA_CONSTRUCTORS: [&str; 6] =
    ["target", "Target", "TargetAttr", "Tensor", "Shape", "Object"];

fn constant_attr(it: &Constant) -> Attr {
    match it {
        Constant::None => Attr::None,
        Constant::Bool(it) => Attr::Bool(*it),
        Constant::Int(it) => match i64::try_from(*it) {
            Ok(it) => Attr::Int(it, None),
            Err(_) => Attr::Text(it.to_string().into()),
        },
        Constant::Float(bits) => Attr::Float(f64::from_bits(*bits), None),
        Constant::Str(it) => Attr::Str(it.clone()),
        Constant::Tuple(items) | Constant::List(items) => {
            Attr::List(items.iter().map(constant_attr).collect())
        }
        other => Attr::Text(staging::format::repr(other).unwrap_or_default().into()),
    }
}
