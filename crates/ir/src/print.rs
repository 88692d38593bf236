//! Prints a body as TVMScript that TVM reads back to the same function.
//!
//! Input: any body of a TVMScript dialect. Output: the decorator and the function, indented, with a final newline.
//! The names are those of the body; a name that another visible definition has already is numbered (`i_1`), so the
//! text never captures wrongly. An operator whose operands TVM would fold is printed by its name (`T.Add(1, 2)`),
//! because the named form is read without folding. O(printed size); nesting grows a heap stack.

mod attr;
mod buffers;
mod expr;
mod generic;
mod level;
mod names;
mod stmt;
mod tilelang;

use std::{collections::VecDeque, fmt::Write};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Body, BufferId, DataType, Dialect, ExprId, ExprKind, Lanes, MemoryScope, Param, Type, TypeCode,
    ValueId, ValueKind, walk::WalkEvent,
};
pub use generic::generic;
pub use level::Level;
use names::Names;

/// The text of `body` as a function definition indented by `indent` columns.
pub fn tvmscript(body: &Body, indent: usize) -> String {
    let mut printer = Printer::new(body, indent);
    printer.function();
    printer.out
}

/// The text of one expression, with the names of the body as they are.
pub fn expr_text(body: &Body, expr: ExprId) -> String {
    let mut printer = Printer::new(body, 0);
    printer.expr(expr);
    printer.out
}

/// A text as a string of Python.
pub fn string_literal(text: &str) -> String {
    attr::quote(text)
}

/// As [`expr_text`], with a name in place of each expression that has one in `names`.
pub fn expr_text_with(body: &Body, expr: ExprId, names: &FxHashMap<ExprId, &str>) -> String {
    let mut printer = Printer::new(body, 0);
    printer.given = names.iter().map(|(&expr, &name)| (expr, name.to_owned())).collect();
    printer.expr(expr);
    printer.out
}

/// Prints one body; each submodule has the methods of its kind of thing.
struct Printer<'a> {
    body: &'a Body,
    out: String,
    indent: usize,
    names: Names,
    /// Names of the variables of the enclosing binders, innermost last.
    binders: Vec<String>,
    /// Names of the `Let` variables that are declared before the statement being printed: of each one, by occurrence.
    let_names: FxHashMap<ExprId, VecDeque<String>>,
    /// Names that stand for whole expressions.
    given: FxHashMap<ExprId, String>,
}

impl<'a> Printer<'a> {
    fn new(body: &'a Body, indent: usize) -> Self {
        Printer {
            body,
            out: String::new(),
            indent,
            names: Names::default(),
            binders: Vec::new(),
            let_names: FxHashMap::default(),
            given: FxHashMap::default(),
        }
    }

    fn is_legacy(&self) -> bool {
        self.body.dialect == Dialect::Tir
    }

    /// Returns true if a buffer is a scalar that its name alone stands for. TileLang prints its variables as memory.
    fn is_variable(&self, buffer: crate::BufferId) -> bool {
        self.body.buffers[buffer].is_cell() && self.body.dialect.has_cells()
    }

    fn line_start(&mut self) {
        let indent = self.indent;
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.line_start();
        self.out.write_fmt(text).expect("writing to a string does not fail");
        self.out.push('\n');
    }

    fn function(&mut self) {
        let body = self.body;
        let mut decorator = String::from("@T.prim_func");
        if !body.decorator.is_empty() {
            let arguments: Vec<String> = body
                .decorator
                .iter()
                .map(|(key, value)| format!("{key}={}", self.attr_text(value)))
                .collect();
            write!(decorator, "({})", arguments.join(", "))
                .expect("writing to a string does not fail");
        }
        self.line(format_args!("{decorator}"));
        self.declare_outer_names();
        let mut bound = Vec::new();
        let mut params = Vec::with_capacity(body.params.len());
        for param in &body.params {
            params.push(self.param(param, &mut bound));
        }
        let returns = match body.return_type {
            Some(ty) => format!(" -> {}", self.type_text(ty)),
            None => String::new(),
        };
        let name = &body.name;
        self.line(format_args!("def {name}({}){returns}:", params.join(", ")));
        self.indent += 4;
        let before = self.out.len();
        self.symbols();
        match &body.attrs[..] {
            [] => {}
            // TVM's parser takes no dictionary apart.
            [(key, all)] if &**key == "**" => {
                let all = self.attr_text(all);
                self.line(format_args!("T.func_attr({all})"));
            }
            attrs => {
                let dict = self.dict_text(attrs);
                self.line(format_args!("T.func_attr({dict})"));
            }
        }
        let block = body.entry(body.root);
        self.statements(block);
        if self.out.len() == before {
            self.line(format_args!("T.evaluate(0)"));
        }
        self.indent -= 4;
    }

    /// Captured names are visible in the whole function; nothing in it may take one of them.
    fn declare_outer_names(&mut self) {
        for (value, data) in self.body.values.iter() {
            if matches!(data.kind, ValueKind::Captured) {
                self.names.reserve(self.body.name(data.name));
                self.names.define_value(value, self.body.name(data.name));
            }
        }
        for &name in &self.body.unresolved {
            self.names.reserve(self.body.name(name));
        }
        for (value, data) in self.body.values.iter() {
            if matches!(data.kind, ValueKind::Param(_) | ValueKind::Symbol)
                && !self.is_behind_buffer(value)
            {
                self.names.define_value(value, self.body.name(data.name));
            }
        }
        for param in &self.body.params {
            if let Some(buffer) = param.buffer {
                self.names.define_buffer(buffer, self.body.name(self.body.buffers[buffer].name));
            }
        }
    }

    fn is_behind_buffer(&self, value: ValueId) -> bool {
        match self.body.values[value].kind {
            ValueKind::Param(index) => {
                self.body.params.get(index as usize).is_some_and(|param| param.buffer.is_some())
            }
            _ => false,
        }
    }

    fn param(&mut self, param: &Param, bound: &mut Vec<ValueId>) -> String {
        let Some(buffer) = param.buffer else {
            bound.push(param.value);
            let name = self.names.value(self.body, param.value);
            let written = body_annotation(self.body, param.value);
            let ty = written.unwrap_or_else(|| self.type_text(self.body.values[param.value].ty));
            return format!("{name}: {ty}");
        };
        let name = self.names.buffer(self.body, buffer);
        let data = self.body.buffers[buffer].clone();
        let written =
            self.body.dict(data.attrs).iter().find(|(key, _)| &**key == crate::UNKNOWN_SHAPE);
        let shape = match written {
            Some((_, written)) => self.attr_text(written),
            None => {
                let shape: Vec<String> =
                    data.shape.iter().map(|&dim| self.signature_expr(dim, bound)).collect();
                tuple_text(&shape)
            }
        };
        let mut text = format!("{name}: T.Buffer({shape}, {}", self.dtype_text(data.dtype));
        if let Some(strides) = &data.strides {
            let strides: Vec<String> =
                strides.iter().map(|&it| self.signature_expr(it, bound)).collect();
            write!(text, ", strides={}", tuple_text(&strides))
                .expect("writing to a string does not fail");
        }
        if let Some(offset) = data.elem_offset {
            let offset = self.signature_expr(offset, bound);
            write!(text, ", elem_offset={offset}").expect("writing to a string does not fail");
        }
        text.push_str(&self.buffer_extras(&data, true));
        text.push(')');
        text
    }

    /// A dimension in the signature: quoted where it binds a symbol, or names a parameter that comes later, or
    /// computes with a type variable (which Python could not).
    fn signature_expr(&mut self, expr: ExprId, bound: &mut Vec<ValueId>) -> String {
        let mut quote = false;
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            if let ExprKind::Value(value) = self.body.expr(at).kind {
                match self.body.values[value].kind {
                    // A type variable is nothing that Python computes with; what has no type here is.
                    ValueKind::Captured => {
                        quote |= at != expr && self.body.values[value].ty != Type::Unknown;
                    }
                    ValueKind::Symbol | ValueKind::Param(_) if !bound.contains(&value) => {
                        bound.push(value);
                        quote = true;
                    }
                    _ => {}
                }
            }
            self.body.each_child(self.body.expr(at).kind, &mut |child| stack.push(child));
        }
        let text = self.expr_string(expr);
        if quote { attr::quote(&text) } else { text }
    }

    /// `n = T.int32()` for the symbols that the function declares.
    fn symbols(&mut self) {
        let symbols: Vec<ValueId> = self
            .body
            .values
            .iter()
            .filter(|(_, data)| matches!(data.kind, ValueKind::Symbol))
            .map(|(value, _)| value)
            .collect();
        let mut declared = FxHashSet::default();
        for value in symbols {
            let data = self.body.values[value];
            let mut name = self.names.value(self.body, value);
            if !declared.insert(name.clone()) {
                // Parts of a function may each have a symbol of this name (quoted extents in blocks); here all are
                // declared at once.
                name = self.names.rename(value, &name);
                declared.insert(name.clone());
            }
            let size = if data.is_size { "is_size_var=True" } else { "" };
            match data.ty {
                Type::Prim(dtype) => self.line(format_args!("{name} = T.{dtype}({size})")),
                ty @ Type::Pointer { .. } => {
                    let ty = self.type_text(ty);
                    self.line(format_args!("{name} = {ty}"));
                }
                _ => self.line(format_args!("{name} = T.handle()")),
            }
        }
    }

    fn type_text(&self, ty: Type) -> String {
        match ty {
            Type::Prim(dtype) if dtype.is_symbolic() => self.dtype_text(dtype),
            Type::Prim(dtype) => format!("T.{dtype}"),
            Type::Pointer { element, scope: MemoryScope::Unwritten } => {
                format!("T.handle({})", self.dtype_text(element))
            }
            Type::Pointer { element, scope } => {
                let scope = attr::quote(self.body.scope_name(scope));
                format!("T.handle({}, {scope})", self.dtype_text(element))
            }
            Type::Named(name) => self.body.name(name).to_owned(),
            Type::Unknown => "T.handle".to_owned(),
        }
    }

    /// An element type as an argument: a string, or the Python expression that it is.
    fn dtype_text(&self, dtype: DataType) -> String {
        match self.body.symbol_value(dtype) {
            Some(value) => self.names.value(self.body, value),
            None => format!("\"{dtype}\""),
        }
    }

    fn buffer_name(&mut self, buffer: BufferId) -> String {
        self.names.buffer(self.body, buffer)
    }
}

/// The type of a parameter that is known by its text only.
fn body_annotation(body: &Body, param: ValueId) -> Option<String> {
    let (_, text) = body.annotations.iter().find(|(it, _)| *it == param)?;
    Some(body.name(*text).to_owned())
}

/// Returns true if `T` has a member of a type's name: of 4 to 64 lanes a power of two, and of one. It has none of
/// integers of 128 bits, nor of what only TileLang has.
fn has_member(dtype: DataType) -> bool {
    match dtype.lanes {
        _ if dtype.is_symbolic() || dtype.is_tensor_float() => false,
        _ if matches!(dtype.code, TypeCode::Wide { .. }) => false,
        _ if dtype.is_integer() && !matches!(dtype.bits, 8 | 16 | 32 | 64) => false,
        Lanes::Fixed(1) => true,
        Lanes::Fixed(4 | 8 | 16 | 32 | 64) => {
            !dtype.is_bool() && !matches!(dtype.code, TypeCode::BFloat)
        }
        Lanes::Fixed(_) | Lanes::Scalable(_) => false,
    }
}

/// `(a, b)`, `(a,)`, `()`
fn tuple_text(items: &[String]) -> String {
    match items {
        [one] => format!("({one},)"),
        _ => format!("({})", items.join(", ")),
    }
}

impl Body {
    /// Returns true if the function still has schedulable blocks with iteration variables. They are scheduled later,
    /// and a new binding would make `compute_inline` or `fuse` fail.
    pub fn has_schedulable_blocks(&self) -> bool {
        self.walk(self.root).any(|event| match event {
            WalkEvent::Enter(op) => matches!(self.ops[op].kind, crate::OpKind::SBlock(_)),
            _ => false,
        })
    }
}
