//! Objects of Python that are made while a function is read: layouts, targets, operators by name.
//!
//! They are nothing at run time: a form that takes one keeps its text. In: the expression that makes one. Out: its text
//! in the words of `T`, with the constants that names in it stand for. O(length of the text).

use ir::{DataType, Type};

use super::{
    Lowerer, R,
    value::{Ev, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run},
    environment::Constant,
    staging,
};

/// The module of TVM that layouts come from.
const LAYOUTS: &str = "tvm.tirx.layout.";

/// A longer expression has no text in a layout.
const MAX_NODES: usize = 64;

/// Constructors of layouts that `T` has as well.
const OF_T: [&str; 4] = ["TileLayout", "ComposeLayout", "S", "R"];

/// Returns true if `T.name(…)`, `T.name[…]` is a layout or a part of one.
pub(super) fn is_layout(name: &str) -> bool {
    OF_T.contains(&name)
}

impl Lowerer<'_, '_, '_> {
    /// The object that a call of a function of TVM makes; none if it is no such function.
    pub(super) fn static_call(&mut self, ex: Ex, path: &str, args: Run) -> R<Option<Ev>> {
        let name = path.rsplit('.').next().unwrap_or(path);
        if path.starts_with("tvm.") && name.to_ascii_lowercase().ends_with("layout") {
            return self.layout(ex).map(Some);
        }
        let first = self.ast.args(args).first().map(|it| it.value);
        let val = match (path, first) {
            _ if !path.starts_with("tvm.") => return Ok(None),
            ("tvm.script.ir.meta_var", Some(value)) => return self.eval(value).map(Some),
            (_, Some(dtype)) if name == "PrimType" => Val::Type(self.type_of(dtype)?),
            (_, Some(element)) if name == "PointerType" => self.pointer_to(element, args)?,
            (_, Some(name)) if path.ends_with("Op.get") => self.eval(name)?.val,
            // Its methods are operators of this family, and itself is nothing.
            (_, None) if name == "IketProfiler" => Val::Intrinsic(self.s.body.intern("cuda.iket")),
            _ => return Ok(None),
        };
        let src = self.leaf(ex);
        Ok(Some(Ev { val, src }))
    }

    /// `PointerType(PrimType("float32"), "shared")`
    fn pointer_to(&mut self, element: Ex, args: Run) -> R<Val> {
        let element = match self.type_of(element)? {
            Type::Prim(element) => element,
            _ => return Err(self.unsupported(element, "a pointer to this")),
        };
        let scope = self.ast.args(args).get(1).map(|it| it.value);
        let scope = match scope {
            Some(scope) => {
                let ev = self.eval(scope)?;
                match self.const_str(&ev.val) {
                    Some(scope) => scope,
                    None => return Err(self.unsupported(scope, "a scope of unknown name")),
                }
            }
            None => "global".to_owned(),
        };
        Ok(match element {
            DataType::VOID if scope == "global" => Val::Type(DataType::HANDLE.into()),
            element => {
                Val::Type(Type::Pointer { element, scope: self.s.body.memory_scope(&scope) })
            }
        })
    }

    /// A layout, or a part of one, by its text.
    pub(super) fn layout(&mut self, ex: Ex) -> R<Ev> {
        let text = self.static_text(ex)?;
        let src = self.leaf(ex);
        Ok(Ev { val: Val::Static(text.into()), src })
    }

    /// A text whose names of constants are replaced by them, and those of layouts by the names in `T`.
    fn static_text(&mut self, ex: Ex) -> R<String> {
        let (ast, range) = (self.ast, self.ast.range(ex));
        let mut names: Vec<Ex> = (0..=ex.0)
            .rev()
            .map(Ex)
            .take_while(|&it| range.contains_range(ast.range(it)))
            .filter(|&it| matches!(ast.kind(it), ExKind::Name(_)))
            .collect();
        names.sort_by_key(|&it| ast.range(it).start());
        names.dedup_by_key(|it| ast.range(*it));
        let doubt = self.s.doubt;
        let mut text = String::new();
        let mut at = range.start();
        for name in names {
            let place = ast.range(name);
            let ExKind::Name(written) = *ast.kind(name) else { continue };
            text.push_str(self.own_text(at, place.start()));
            let val = self.name(written, name)?.val;
            let replaced = self.static_name(&val).or_else(|| self.text_of_other(&val, written));
            if replaced.is_none() && self.expansion.is_some() && self.peek(written).is_some() {
                return Err(self.unsupported(name, "a layout of the values of a macro"));
            }
            text.push_str(replaced.as_deref().unwrap_or(written));
            at = place.end();
        }
        text.push_str(self.own_text(at, range.end()));
        // What a layout is made of decides nothing about the statement.
        self.s.doubt = doubt;
        Ok(text)
    }

    /// The text of a value that has another name in the function than the one written, or none: what `T.meta_var` or
    /// an assignment of Python names. None where the name stands for itself, and in a macro, whose names are not those
    /// that are printed.
    fn text_of_other(&mut self, val: &Val, written: &str) -> Option<String> {
        let expr = match *val {
            Val::Expr(expr) => expr,
            Val::Unknown(value) => self.s.body.value_expr(value),
            _ => return None,
        };
        if self.expansion.is_some() || !is_short(&self.s.body, expr) {
            return None;
        }
        let text = ir::print::expr_text(&self.s.body, expr);
        (text != written).then(|| format!("({text})"))
    }

    /// The text of the tree that is being read.
    fn own_text(&self, start: syntax::TextSize, end: syntax::TextSize) -> &str {
        let range = usize::from(start)..usize::from(end);
        self.ast.text.get(range).unwrap_or_default()
    }

    /// The text that stands for a name in one that is printed elsewhere; none for the name itself.
    fn static_name(&self, val: &Val) -> Option<String> {
        match val {
            Val::Const(it) => python_literal(it),
            Val::Static(text) => Some(format!("({text})")),
            Val::Seq(_) => self.python_value(val).and_then(|it| python_literal(&it)),
            Val::Path(path) => {
                let name = self.s.body.name(*path).strip_prefix(LAYOUTS)?;
                is_layout(name).then(|| format!("T.{name}"))
            }
            _ => None,
        }
    }
}

/// Returns true if an expression has few nodes, each counted as often as it occurs: nodes are shared, and a text has
/// each of them as often as it is used.
fn is_short(body: &ir::Body, expr: ir::ExprId) -> bool {
    let mut stack = vec![expr];
    let mut n_nodes = 0;
    while let Some(at) = stack.pop() {
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            return false;
        }
        stack.extend(body.children(at).iter().copied());
    }
    true
}

/// A constant as Python spells it; none if a part of it is not known.
fn python_literal(it: &Constant) -> Option<String> {
    let all = |items: &[Constant]| {
        let items: Option<Vec<String>> = items.iter().map(python_literal).collect();
        Some(items?.join(", "))
    };
    Some(match it {
        Constant::None => "None".to_owned(),
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(it) => it.to_string(),
        Constant::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Str(it) => format!("{it:?}"),
        Constant::Tuple(items) if items.len() == 1 => format!("({},)", all(items)?),
        Constant::Tuple(items) => format!("({})", all(items)?),
        Constant::List(items) => format!("[{}]", all(items)?),
        other => return staging::format::repr(other),
    })
}
