//! Captured expressions: pure Python over values that are not known here is one captured value (`SEMANTICS: G1`).
//!
//! In: the evaluated operands of an attribute, a subscript, an operator, a builtin call or an f-string. Out: the
//! captured value that the whole is, if all operands are captured values or constants of Python. It is identified by
//! its text in one spelling, with the parentheses that Python needs: equal texts have equal structure, as each name
//! means one thing in a function.
//!
//! An element of something captured may be an element of memory, if that is a buffer. Where the function may write such
//! memory, the element is no value that is equal to itself (`SEMANTICS: G1`).

use ir::{Type, ValueId, ValueKind, print::Level};

use super::{
    Lowerer, R, State,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{CompareKind, Ex, ExKind},
    environment::Constant,
};

/// A longer text of one value is kept as an expression of its parts.
const MAX_TEXT: usize = 400;

/// Functions of Python whose results are values of their arguments.
const PURE_BUILTINS: [&str; 14] = [
    "len",
    "int",
    "float",
    "bool",
    "str",
    "min",
    "max",
    "abs",
    "sum",
    "any",
    "all",
    "tuple",
    "isinstance",
    "sorted",
];

/// The text of an operand.
struct Part {
    text: String,
    /// It depends on a value that is not known.
    is_captured: bool,
    /// It may be an element of memory.
    may_be_load: bool,
}

impl Part {
    fn constant(text: String) -> Part {
        Part { text, is_captured: false, may_be_load: false }
    }
}

impl State<'_> {
    /// Notes that statements may write memory that only captured values name.
    pub(super) fn writes_captured_memory(&mut self) {
        self.captured_memory = true;
    }
}

impl Lowerer<'_, '_, '_> {
    /// Returns true if a value is a captured one: of Python, not known here, and one wherever it is used.
    pub(super) fn is_captured(&self, val: &Val) -> bool {
        match val {
            Val::Unknown(value) => self.s.body.is_captured(*value),
            _ => false,
        }
    }

    /// The captured value of a text: one for all that is written so.
    pub(super) fn captured_text(&mut self, text: &str) -> ValueId {
        let name = self.s.body.intern(text);
        if let Some(&value) = self.s.captured.get(&name) {
            return value;
        }
        let value = self.s.body.new_value(text, Type::Unknown, ValueKind::Captured);
        self.s.captured.insert(name, value);
        value
    }

    /// The captured value that a text made of these parts is; none if nothing in it is captured.
    fn composed(&mut self, ex: Ex, text: String, parts: &[&Part], is_item: bool) -> Option<Ev> {
        if !parts.iter().any(|it| it.is_captured) || text.len() > MAX_TEXT {
            return None;
        }
        self.s.doubt = super::Doubt::Unknown;
        let value = self.captured_text(&text);
        if is_item || parts.iter().any(|it| it.may_be_load) {
            self.s.may_be_load.insert(value);
        }
        let src = self.leaf(ex);
        Some(Ev { val: Val::Unknown(value), src })
    }

    /// The text of an operand; none if it is neither captured nor a constant.
    fn captured_part(&self, ev: &Ev) -> Option<Part> {
        match &ev.val {
            Val::Unknown(value) if self.s.body.is_captured(*value) => Some(Part {
                text: self.s.body.name(self.s.body.values[*value].name).to_owned(),
                is_captured: true,
                may_be_load: self.s.may_be_load.contains(value),
            }),
            Val::Const(it) => Some(Part::constant(constant_text(it)?)),
            Val::Path(path) => self.path_part(*path, ev),
            Val::Seq(items) if items.size() <= MAX_TEXT => {
                let parts: Vec<Part> = items
                    .iter()
                    .map(|val| self.captured_part(&Ev { val: val.clone(), src: ev.src }))
                    .collect::<Option<_>>()?;
                let texts: Vec<&str> = parts.iter().map(|it| &*it.text).collect();
                let text = match texts[..] {
                    [one] => format!("({one},)"),
                    _ => format!("({})", texts.join(", ")),
                };
                Some(Part {
                    text,
                    is_captured: parts.iter().any(|it| it.is_captured),
                    may_be_load: parts.iter().any(|it| it.may_be_load),
                })
            }
            _ => None,
        }
    }

    /// A module, class or imported value, as it is written; what Python has by itself is known.
    fn path_part(&self, path: ir::NameId, ev: &Ev) -> Option<Part> {
        let path = self.s.body.name(path);
        if let Some(name) = path.strip_prefix("builtins.") {
            return Some(Part::constant(name.to_owned()));
        }
        if self.expansion.is_some() {
            return None;
        }
        let text = self.text(self.s.sources.range(ev.src));
        let is_path = text
            .split('.')
            .all(|it| !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || it == '_'));
        let last = text.rsplit('.').next() == path.rsplit('.').next();
        (is_path && last).then_some(Part { text, is_captured: true, may_be_load: false })
    }

    /// The captured value that an imported name or a member of a module is.
    pub(super) fn captured_path(&mut self, ev: &Ev) -> Option<ValueId> {
        let part = self.captured_part(ev).filter(|it| it.is_captured)?;
        let name = self.s.body.intern(&part.text);
        if !self.s.body.unresolved.contains(&name) {
            self.s.body.unresolved.push(name);
        }
        Some(self.captured_text(&part.text))
    }

    // ---- forms ----

    /// `x.name` of a captured `x`.
    pub(super) fn captured_attribute(&mut self, ex: Ex, base: &Ev, name: &str) -> Option<Ev> {
        let base = self.captured_part(base)?;
        self.composed(ex, format!("{}.{name}", atom(&base.text)), &[&base], false)
    }

    /// `x[index]` of a captured `x`, or of a known sequence by a captured index.
    pub(super) fn captured_item(&mut self, ex: Ex, base: &Ev, index: Ex) -> R<Option<Ev>> {
        let Some(base) = self.captured_part(base) else { return Ok(None) };
        let Some(index) = self.index_part(index)? else { return Ok(None) };
        let text = format!("{}[{}]", atom(&base.text), index.text);
        Ok(self.composed(ex, text, &[&base, &index], base.is_captured))
    }

    /// The items of a captured sequence that has `count` of them.
    pub(super) fn captured_items(&mut self, ex: Ex, ev: &Ev, count: usize) -> Option<Vec<Ev>> {
        let base = self.captured_part(ev).filter(|it| it.is_captured)?;
        (0..count)
            .map(|index| {
                let text = format!("{}[{index}]", atom(&base.text));
                self.composed(ex, text, &[&base], true)
            })
            .collect()
    }

    /// The text in brackets, if it is captured or constant.
    fn index_part(&mut self, index: Ex) -> R<Option<Part>> {
        let ast = self.ast;
        let run = match *ast.kind(index) {
            ExKind::Slice { lower, upper, step } => return self.slice_part(lower, upper, step),
            ExKind::Tuple(run) if !run.is_empty() => run,
            ExKind::Star(_) => return Ok(None),
            _ => {
                let ev = self.eval(index)?;
                return Ok(self.captured_part(&ev));
            }
        };
        let mut parts = Vec::new();
        for &item in ast.exs(run) {
            match self.index_part(item)? {
                Some(part) => parts.push(part),
                None => return Ok(None),
            }
        }
        let texts: Vec<&str> = parts.iter().map(|it| &*it.text).collect();
        Ok(Some(Part {
            text: texts.join(", "),
            is_captured: parts.iter().any(|it| it.is_captured),
            may_be_load: parts.iter().any(|it| it.may_be_load),
        }))
    }

    fn slice_part(
        &mut self,
        lower: Option<Ex>,
        upper: Option<Ex>,
        step: Option<Ex>,
    ) -> R<Option<Part>> {
        let mut texts = Vec::new();
        let (mut is_captured, mut may_be_load) = (false, false);
        for bound in [lower, upper, step] {
            let Some(bound) = bound else {
                texts.push(String::new());
                continue;
            };
            let ev = self.eval(bound)?;
            let Some(part) = self.captured_part(&ev) else { return Ok(None) };
            is_captured |= part.is_captured;
            may_be_load |= part.may_be_load;
            texts.push(part.text);
        }
        if texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        Ok(Some(Part { text: texts.join(":"), is_captured, may_be_load }))
    }

    /// `a op b`
    pub(super) fn captured_binary(&mut self, ex: Ex, op: &str, a: &Ev, b: &Ev) -> Option<Ev> {
        let (a, b) = (self.captured_part(a)?, self.captured_part(b)?);
        self.composed(ex, binary_text(op, &a.text, &b.text), &[&a, &b], false)
    }

    /// Returns true for a value that Python has before there is a kernel.
    pub(super) fn is_of_python_alone(&self, ev: &Ev) -> bool {
        self.captured_part(ev).is_some()
    }

    /// `a == b`, `a is None`, `a in b`
    pub(super) fn captured_comparison(
        &mut self,
        ex: Ex,
        op: CompareKind,
        a: &Ev,
        b: &Ev,
    ) -> Option<Ev> {
        let sign = sign_of(op)?;
        let parts = (self.captured_part(a)?, self.captured_part(b)?);
        if (parts.0.is_captured || parts.1.is_captured)
            && let Some(holds) = self.checked_comparison(op, &parts.0.text, &parts.1.text)
        {
            let src = self.leaf(ex);
            return Some(Ev { val: Val::Const(Constant::Bool(holds)), src });
        }
        self.captured_binary(ex, sign, a, b)
    }

    /// `-a`, `not a`
    pub(super) fn captured_unary(&mut self, ex: Ex, op: &str, a: &Ev) -> Option<Ev> {
        let a = self.captured_part(a)?;
        self.composed(ex, format!("{op}{}", atom(&a.text)), &[&a], false)
    }

    /// `a if c else b`
    pub(super) fn captured_choice(
        &mut self,
        ex: Ex,
        then: &Ev,
        c: &Ev,
        otherwise: &Ev,
    ) -> Option<Ev> {
        let (a, c, b) =
            (self.captured_part(then)?, self.captured_part(c)?, self.captured_part(otherwise)?);
        let text = format!("{} if {} else {}", atom(&a.text), atom(&c.text), atom(&b.text));
        self.composed(ex, text, &[&a, &c, &b], false)
    }

    /// `len(x)`, `math.ceil(x)` of captured values.
    pub(super) fn captured_builtin(&mut self, ex: Ex, path: &str, items: &[Ev]) -> Option<Ev> {
        let is_member = path.starts_with("math.");
        let function = match path.strip_prefix("builtins.") {
            Some(name) if PURE_BUILTINS.contains(&name) => name.to_owned(),
            // As the text calls the module.
            None if is_member && self.expansion.is_none() => {
                self.text(self.ast.range(ex)).split('(').next()?.trim().to_owned()
            }
            _ => return None,
        };
        let mut parts: Vec<Part> =
            items.iter().map(|it| self.captured_part(it)).collect::<Option<_>>()?;
        let texts: Vec<&str> = parts.iter().map(|it| &*it.text).collect();
        let text = format!("{function}({})", texts.join(", "));
        // What the function of a module makes of constants is a constant that is not computed here.
        parts.push(Part { text: String::new(), is_captured: is_member, may_be_load: false });
        let parts: Vec<&Part> = parts.iter().collect();
        self.composed(ex, text, &parts, false)
    }

    /// `f"{dtype}x4"`: its text, if all that is put in is captured or constant.
    pub(super) fn captured_string(&mut self, ex: Ex, fields: &[Ev]) -> Option<Ev> {
        let range = self.ast.range(ex);
        let text = self.ast.text.get(std::ops::Range::<usize>::from(range))?.to_owned();
        let mut parts = Vec::with_capacity(fields.len());
        for field in fields {
            parts.push(match field.val {
                Val::Path(_) => return None,
                _ => self.captured_part(field)?,
            });
        }
        let parts: Vec<&Part> = parts.iter().collect();
        self.composed(ex, text, &parts, false)
    }

    /// The text of a captured value that is an expression by itself.
    pub(super) fn captured_name(&self, tx: Tx) -> Option<String> {
        match self.s.body.expr(tx.id).kind {
            ir::ExprKind::Value(value) if self.s.body.is_captured(value) => {
                Some(self.s.body.name(self.s.body.values[value].name).to_owned())
            }
            _ => None,
        }
    }

    // ---- use ----

    /// A captured value as IR: one that may be an element of memory is equal to nothing where the function may write
    /// that memory.
    pub(super) fn lift_captured(&mut self, value: ValueId, ev: &Ev) -> Tx {
        if self.s.may_be_load.contains(&value) {
            self.s.made_items = true;
            if self.s.captured_memory {
                let text = self.s.body.name(self.s.body.values[value].name).to_owned();
                return Tx { id: self.s.body.opaque(&text), src: ev.src };
            }
        }
        Tx { id: self.s.body.value_expr(value), src: ev.src }
    }

    /// An operand that is brought to a type that is not known: it has no text of its own.
    pub(super) fn opened(&mut self, tx: Tx) -> Tx {
        let node = self.s.body.expr(tx.id);
        match node.ty {
            Type::Prim(_) => {
                let id = self.s.body.make(ir::ExprKind::Cast(tx.id), Type::Unknown);
                Tx { id, src: self.s.sources.wrap(tx.src) }
            }
            _ => tx,
        }
    }

    /// An element type as an operand: a string, or the captured value that it is.
    pub(super) fn dtype_operand(&mut self, dtype: ir::DataType, at: At) -> Tx {
        let id = match self.s.body.symbol_value(dtype) {
            Some(value) => self.s.body.value_expr(value),
            None => self.s.body.string(&dtype.to_string()),
        };
        self.tx(id, at)
    }

    /// An element type as a value of Python.
    pub(super) fn dtype_val(&self, dtype: ir::DataType) -> Val {
        match self.s.body.symbol_value(dtype) {
            Some(value) => Val::Unknown(value),
            None => Val::Const(Constant::Str(dtype.to_string().into())),
        }
    }
}

/// `a op b`, with the parentheses that it needs.
pub(super) fn binary_text(op: &str, a: &str, b: &str) -> String {
    let level = Level::of_text(&format!("a {op} b"));
    // Neither comparisons nor powers are read from the left.
    let is_left = level != Level::Comparison && level < Level::Unary;
    let left = if is_left { operand(a, level) } else { operand_above(a, level) };
    format!("{left} {op} {}", operand_above(b, level))
}

/// A comparison as it is written.
pub(super) fn sign_of(op: CompareKind) -> Option<&'static str> {
    Some(match op {
        CompareKind::Binary(op) => return comparison_sign(op),
        CompareKind::In => "in",
        CompareKind::NotIn => "not in",
        CompareKind::Is => "is",
        CompareKind::IsNot => "is not",
    })
}

pub(super) fn comparison_sign(op: ir::BinaryOp) -> Option<&'static str> {
    use ir::BinaryOp as B;
    Some(match op {
        B::Eq => "==",
        B::Ne => "!=",
        B::Lt => "<",
        B::Le => "<=",
        B::Gt => ">",
        B::Ge => ">=",
        _ => return None,
    })
}

/// Returns true for a function of Python whose result is a value of its arguments.
pub(super) fn is_pure_builtin(name: &str) -> bool {
    PURE_BUILTINS.contains(&name)
}

/// A constant of Python as text.
pub(super) fn constant_text(it: &Constant) -> Option<String> {
    Some(match it {
        Constant::None => "None".to_owned(),
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(it) => it.to_string(),
        Constant::Float(bits) if f64::from_bits(*bits).is_finite() => {
            format!("{:?}", f64::from_bits(*bits))
        }
        Constant::Float(_) => return None,
        Constant::Str(it) => ir::print::string_literal(it),
        Constant::Tuple(items) | Constant::List(items) if it.size() <= MAX_TEXT => {
            let texts: Vec<String> = items.iter().map(constant_text).collect::<Option<_>>()?;
            match (it, &texts[..]) {
                (Constant::List(_), _) => format!("[{}]", texts.join(", ")),
                (_, [one]) => format!("({one},)"),
                _ => format!("({})", texts.join(", ")),
            }
        }
        _ => return None,
    })
}

/// A text that can stand as an operand of anything.
pub(super) fn atom(text: &str) -> String {
    operand(text, Level::Atom)
}

/// A text as an operand that binds at least as tightly as a level.
fn operand(text: &str, level: Level) -> String {
    // A sign before a number is no operator of the number.
    match Level::of_text(text) >= level && !text.starts_with(['-', '+']) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

/// A text as an operand that binds more tightly than a level.
fn operand_above(text: &str, level: Level) -> String {
    match Level::of_text(text) > level {
        true => operand(text, level),
        false => format!("({text})"),
    }
}
