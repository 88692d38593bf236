//! Macros and inline functions: a call as a statement is replaced by the body, with the parameters bound to the arguments.
//!
//! Everything that an expansion makes is virtual and comes from the text of the call. A hygienic macro sees what was
//! visible where it is defined, not where it is called.

use std::rc::Rc;

use syntax::Green;

use super::{
    Lowerer, R,
    calls::Args,
    value::{Ev, Val},
};
use crate::tvmscript::{
    ast::{self, Ast, DefNode, Ex, ExKind, Run},
    environment::Constant,
    source_map::DefinitionKind,
};

const MAX_DEPTH: u32 = 64;

/// A macro that is called.
pub(super) enum Found {
    File(Rc<Green>),
    Local(u32, u32),
}

impl Lowerer<'_, '_, '_> {
    /// The macro that a name stands for.
    pub(super) fn macro_named(&mut self, name: &str, ex: Ex) -> Option<Found> {
        let val = match self.peek(name) {
            Some(val) => val,
            None => match self.s.env.resolve(name) {
                crate::tvmscript::Capture::Macro(_) => self.name(name, ex).ok()?.val,
                _ => return None,
            },
        };
        let found = match val {
            Val::Macro(green) => Found::File(green),
            Val::LocalMacro(def, frame) => Found::Local(def, frame),
            _ => return None,
        };
        self.name(name, ex).ok()?;
        Some(found)
    }

    /// A function defined in the function: a macro; anything else has no meaning.
    pub(super) fn nested_function(&mut self, def: u32) -> R<()> {
        let ast = self.ast;
        let node = &ast.defs[def as usize];
        let is_macro = node.decorators.iter().any(|&it| {
            let callee = match *ast.kind(it) {
                ExKind::Call { callee, .. } => callee,
                _ => it,
            };
            self.form_of(callee).is_some_and(|name| matches!(&*name, "macro" | "inline"))
        });
        if !is_macro || self.expansion.is_some() {
            return Err(self.error(
                crate::tvmscript::diagnostics::UNSUPPORTED_CONSTRUCT,
                node.name_range,
                "a function inside a function has a meaning only as a macro",
            ));
        }
        let frame = self.s.scopes.depth();
        self.define(node.name, node.name_range, DefinitionKind::Meta, Val::LocalMacro(def, frame));
        Ok(())
    }

    /// Replaces a call by the macro's body.
    pub(super) fn expand(&mut self, ex: Ex, found: Found, args: Run) -> R<()> {
        let args = self.args(args);
        let range = self.range(ex);
        if self.s.body.ops.len() > self.expansion_limit() {
            return Err(self.malformed(ex, "macros expand to too many statements"));
        }
        if self.s.macro_depth >= MAX_DEPTH {
            return Err(self.malformed(ex, "macros are nested too deeply"));
        }
        match found {
            Found::File(green) => {
                let ast = ast::read(&green);
                let Some(def) = ast.function() else { return Err(super::Reported) };
                let values = self.bind_args(ex, &ast, def, &args)?;
                let is_hygienic = !has_false(&ast, def, "hygienic");
                let restore = is_hygienic.then(|| self.s.scopes.hide(0));
                let mut inner = Lowerer { s: &mut *self.s, ast: &ast, expansion: Some(range) };
                inner.expanded(def, values);
                if let Some(restore) = restore {
                    self.s.scopes.unhide(restore);
                }
            }
            Found::Local(def, frame) => {
                let ast = self.ast;
                let def = &ast.defs[def as usize];
                let values = self.bind_args(ex, ast, def, &args)?;
                let restore = self.s.scopes.hide(frame);
                let mut inner = Lowerer { s: &mut *self.s, ast, expansion: Some(range) };
                inner.expanded(def, values);
                self.s.scopes.unhide(restore);
            }
        }
        Ok(())
    }

    fn expanded(&mut self, def: &DefNode<'_>, values: Vec<Val>) {
        self.s.macro_depth += 1;
        self.s.scopes.push_frame();
        for (param, val) in def.params.iter().zip(values) {
            self.define(param.name, param.name_range, DefinitionKind::Meta, val);
        }
        self.stmts(def.body);
        self.s.scopes.pop_frame();
        self.s.macro_depth -= 1;
    }

    /// The values of a macro's parameters.
    fn bind_args(
        &mut self,
        ex: Ex,
        ast: &Ast<'_>,
        def: &DefNode<'_>,
        args: &Args<'_>,
    ) -> R<Vec<Val>> {
        let mut positional = self.eval_items(&args.positional)?.into_iter();
        let mut values = Vec::with_capacity(def.params.len());
        for param in &def.params {
            let given: Option<Ev> = match positional.next() {
                Some(ev) => Some(ev),
                None => match args.keyword(param.name) {
                    Some(value) => Some(self.eval(value)?),
                    None => None,
                },
            };
            values.push(match (given, param.default) {
                (Some(ev), _) => ev.val,
                (None, Some(default)) => default_value(ast, default),
                (None, None) => {
                    let message =
                        format!("the argument `{}` of `{}` is missing", param.name, def.name);
                    return Err(self.malformed(ex, message));
                }
            });
        }
        if positional.next().is_some() {
            let message = format!("`{}` takes {} arguments", def.name, def.params.len());
            return Err(self.malformed(ex, message));
        }
        Ok(values)
    }
}

/// Literals only; other defaults are not known here.
fn default_value(ast: &Ast<'_>, ex: Ex) -> Val {
    Val::Const(match ast.kind(ex) {
        ExKind::Int(it) => Constant::Int(*it),
        ExKind::Float(it) => Constant::Float(it.to_bits()),
        ExKind::Bool(it) => Constant::Bool(*it),
        ExKind::Str(it) => Constant::Str(it.as_ref().into()),
        _ => Constant::None,
    })
}

/// `@T.macro(hygienic=False)`
fn has_false(ast: &Ast<'_>, def: &DefNode<'_>, key: &str) -> bool {
    def.decorators.iter().any(|&it| match *ast.kind(it) {
        ExKind::Call { args, .. } => ast.args(args).iter().any(|arg| {
            arg.keyword.is_some_and(|(name, _)| name == key)
                && matches!(ast.kind(arg.value), ExKind::Bool(false))
        }),
        _ => false,
    })
}
