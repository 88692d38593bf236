//! Macros and inline functions: a call as a statement is replaced by the body, with the parameters bound to the
//! arguments.
//!
//! Everything that an expansion makes is virtual and comes from the text of the call. A hygienic macro sees the names
//! at its definition, not those at its call.

use std::rc::Rc;

use syntax::{Green, TextRange};

use super::{
    Lowerer, R,
    arguments::Args,
    sequences::entries_of,
    value::{Ev, Items, LocalMacro, Val},
    visible::Visible,
};
use crate::tvmscript::{
    Severity,
    ast::{self, Ast, DefNode, Ex, ExKind, Run},
    diagnostics::{self, UNSUPPORTED_CONSTRUCT},
    environment::Constant,
    source_map::DefinitionKind,
    staging::Home,
};

/// The limit on the nesting of macro calls; deeper ones are reported.
const MAX_DEPTH: u32 = 64;

/// A macro that is called.
pub(super) enum CalledMacro {
    /// Of a file, with the scope that it stands in.
    File(Rc<Green>, Rc<Home>),
    Local(Rc<LocalMacro>),
}

impl Lowerer<'_, '_, '_> {
    /// The macro that a name stands for.
    pub(super) fn macro_named(&mut self, name: &str, ex: Ex) -> Option<CalledMacro> {
        let is_macro = match self.peek(name) {
            Some(val) => matches!(val, Val::Macro(..) | Val::LocalMacro(..)),
            None => matches!(
                self.s.env.resolve_at(self.s.home.as_deref(), name).capture,
                crate::tvmscript::Capture::Macro { .. }
            ),
        };
        if !is_macro {
            return None;
        }
        match self.name(name, ex).ok()?.val {
            Val::Macro(green, home) => Some(CalledMacro::File(green, home)),
            Val::LocalMacro(found) => Some(CalledMacro::Local(found)),
            _ => None,
        }
    }

    /// A function defined in the function: a macro; anything else has no meaning.
    pub(super) fn nested_function(&mut self, def: u32) -> R<()> {
        let ast = self.ast;
        let node = &ast.defs[def as usize];
        let is_macro = self.is_macro(node);
        let Some(tree) = ast.tree.filter(|_| is_macro) else {
            let message = "a function inside a function has a meaning only as a macro";
            let range = node.name_range;
            self.diagnostic(UNSUPPORTED_CONSTRUCT, Severity::Warning, range, message.into(), None);
            return Err(super::Reported);
        };
        let (sees, home) = (self.s.scopes.visible(), self.s.home.clone());
        let found = Rc::new(LocalMacro { tree: tree.clone(), def, sees, home });
        self.define(node.name, node.name_range, DefinitionKind::Meta, Val::LocalMacro(found));
        Ok(())
    }

    /// Returns true if a definition is that of a macro.
    pub(super) fn is_macro(&mut self, node: &DefNode<'_>) -> bool {
        let ast = self.ast;
        node.decorators.iter().any(|&it| {
            let callee = match *ast.kind(it) {
                ExKind::Call { callee, .. } => callee,
                _ => it,
            };
            self.form_of(callee).is_some_and(|name| {
                matches!(name.strip_prefix("tl.").unwrap_or(&name), "macro" | "inline")
            })
        })
    }

    /// The value that a call of a macro of TileLang returns; its statements stand before the one that is read.
    pub(super) fn called_macro(&mut self, ex: Ex, callee: Ex, args: Run) -> R<Ev> {
        let found = match *self.ast.kind(callee) {
            ExKind::Name(name) => self.macro_named(name, callee),
            _ => None,
        };
        let Some(found) = found else {
            return Err(self.unsupported(ex, "a macro's value in an expression"));
        };
        let around = self.s.macro_value.take();
        let result = self.expand(ex, found, args);
        let value = std::mem::replace(&mut self.s.macro_value, around);
        result?;
        let src = self.leaf(ex);
        Ok(Ev { val: value.unwrap_or(Val::Const(Constant::None)), src })
    }

    /// Replaces a call by the macro's body.
    pub(super) fn expand(&mut self, ex: Ex, found: CalledMacro, args: Run) -> R<()> {
        let args = self.args(args);
        let range = self.range(ex);
        let limit = self.expansion_limit();
        if self.s.body.ops.len() > limit {
            let message = format!("macros expand to more than {limit} statements");
            return Err(self.malformed(ex, message));
        }
        if self.s.macro_depth >= MAX_DEPTH {
            let message = format!("macros call one another more than {MAX_DEPTH} levels deep");
            return Err(self.malformed(ex, message));
        }
        match found {
            CalledMacro::File(green, home) => {
                let ast = ast::read(&green);
                let Some(def) = ast.function() else { return Err(super::Reported) };
                let is_hygienic = !has_false(&ast, def, "hygienic");
                let given = self.given(&args)?;
                let outside = self.s.home.clone();
                let restore = is_hygienic.then(|| self.s.scopes.hide(&Visible::default()));
                if is_hygienic {
                    self.s.home = Some(home);
                }
                let mut inner = Lowerer { s: &mut *self.s, ast: &ast, expansion: Some(range) };
                let result = inner.expanded(def, given);
                self.s.home = outside;
                if let Some(restore) = restore {
                    self.s.scopes.unhide(restore);
                }
                result
            }
            CalledMacro::Local(found) => {
                let given = self.given(&args)?;
                self.expand_local(&found, given, range)
            }
        }
    }

    /// Replaces a call by the body of a macro that stands in a function, with the names that it sees.
    pub(super) fn expand_local(
        &mut self,
        found: &LocalMacro,
        given: Given<'_>,
        range: TextRange,
    ) -> R<()> {
        let restore = self.s.scopes.hide(&found.sees);
        let outside = std::mem::replace(&mut self.s.home, found.home.clone());
        let result = match self.ast.tree.is_some_and(|it| it.ptr_eq(&found.tree)) {
            true => self.expanded_in(self.ast, found.def, given, range),
            false => self.expanded_in(&ast::read(&found.tree), found.def, given, range),
        };
        self.s.home = outside;
        self.s.scopes.unhide(restore);
        result
    }

    /// Reads a definition of a tree in the place of a call.
    fn expanded_in(
        &mut self,
        ast: &Ast<'_>,
        def: u32,
        given: Given<'_>,
        range: TextRange,
    ) -> R<()> {
        let mut inner = Lowerer { s: &mut *self.s, ast, expansion: Some(range) };
        inner.expanded(&ast.defs[def as usize], given)
    }

    fn expanded(&mut self, def: &DefNode<'_>, given: Given<'_>) -> R<()> {
        let values = self.bind_args(def, given)?;
        self.s.macro_depth += 1;
        self.s.scopes.push_frame();
        for (param, val) in def.params.iter().zip(values) {
            let val = if self.is_tile_source() { self.macro_argument(param, val) } else { val };
            if !param.name.is_empty() {
                self.define(param.name, param.name_range, DefinitionKind::Meta, val);
            }
        }
        self.stmts(def.body);
        self.s.scopes.pop_frame();
        self.s.macro_depth -= 1;
        Ok(())
    }

    /// The arguments of a call, evaluated where it stands.
    pub(super) fn given<'n>(&mut self, args: &Args<'n>) -> R<Given<'n>> {
        let positional = self.eval_items(&args.positional)?.into_iter().map(|it| it.val).collect();
        let mut keywords = Vec::with_capacity(args.keywords.len());
        for &(name, value) in &args.keywords {
            if name == "**" {
                return Err(self.unsupported(value, "a dictionary as arguments of a macro"));
            }
            keywords.push((name, self.eval(value)?.val));
        }
        Ok(Given { positional, keywords })
    }

    /// The values of a macro's parameters. Defaults are evaluated where the macro stands.
    pub(super) fn bind_args(&mut self, def: &DefNode<'_>, given: Given<'_>) -> R<Vec<Val>> {
        let range = self.expansion.unwrap_or(def.name_range);
        let Given { positional, mut keywords } = given;
        let mut positional = positional.into_iter();
        let mut values = Vec::with_capacity(def.params.len());
        for param in &def.params {
            // `*args`, `**named`; `*` and `/` alone have no name.
            if param.is_double {
                values.push(entries_of(std::mem::take(&mut keywords)));
                continue;
            }
            if param.is_star {
                let rest = match param.name {
                    "" => Items::from_iter([]),
                    _ => positional.by_ref().collect(),
                };
                values.push(Val::Seq(rest));
                continue;
            }
            let keyword = keywords.iter().position(|(name, _)| *name == param.name);
            values.push(match (positional.next(), keyword, param.default) {
                (Some(val), _, _) => val,
                (None, Some(index), _) => keywords.remove(index).1,
                (None, None, Some(default)) => self.eval(default)?.val,
                (None, None, None) => {
                    let message =
                        format!("the argument `{}` of `{}` is missing", param.name, def.name);
                    return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
                }
            });
        }
        if positional.next().is_some() || !keywords.is_empty() {
            let message = format!("`{}` does not take these arguments", def.name);
            self.diagnostic(UNSUPPORTED_CONSTRUCT, Severity::Warning, range, message, None);
            return Err(super::Reported);
        }
        Ok(values)
    }
}

/// The values that a call of a macro gives.
pub(super) struct Given<'n> {
    pub(super) positional: Vec<Val>,
    pub(super) keywords: Vec<(&'n str, Val)>,
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
