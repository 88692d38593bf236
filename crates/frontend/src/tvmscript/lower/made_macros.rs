//! Macros that functions of Python make: `make(…)(…)`.
//!
//! The function is read as any helper of a kernel; its macro is expanded while the names of the function are there,
//! which the macro sees. O(statements of the function and of the macro).

use std::rc::Rc;

use super::{
    Lowerer, R, Reported,
    macros::Given,
    python::{Flow, MAX_CALLS, MAX_STEPS},
    value::{LocalMacro, Val},
    visible::Visible,
};
use crate::tvmscript::{
    ast::{self, Ex, ExKind, Run, StKind},
    environment::Constant,
    source_map::DefinitionKind,
    staging::{Function, function::Code},
};

impl Lowerer<'_, '_, '_> {
    /// `make(…)(…)` as a statement, where a function of Python makes the macro that is called: it is expanded while the
    /// names of that function are there, which it sees. Returns false if it is no such call.
    pub(super) fn made_macro(&mut self, ex: Ex, maker: Ex, args: Run) -> R<bool> {
        let ast = self.ast;
        let ExKind::Call { callee, args: of_maker } = *ast.kind(maker) else { return Ok(false) };
        if !self.is_tile_source() || self.s.helper_depth >= MAX_CALLS {
            return Ok(false);
        }
        let mark = self.mark();
        let function = match (ast.kind(callee), self.eval(callee)?.val) {
            (ExKind::Name(_), Val::Unknown(id)) => self.s.objects.get(&id).cloned(),
            _ => None,
        };
        let Some(Constant::Function(function)) = function else {
            self.undo(mark);
            return Ok(false);
        };
        let Code::Def(def) = function.code else { return Ok(false) };
        let (of_maker, args) = (self.args(of_maker), self.args(args));
        let (of_maker, given) = (self.given(&of_maker)?, self.given(&args)?);
        let (range, text) = (self.range(ex), self.text(ast.range(maker)));
        let tree = ast::read(&function.tree);
        let outside = self.s.home.replace(Rc::new(function.home.clone()));
        let restore = self.s.scopes.hide(&Visible::default());
        self.s.scopes.push_frame();
        let mut inner = Lowerer { s: &mut *self.s, ast: &tree, expansion: Some(range) };
        inner.s.helper_depth += 1;
        let found = inner.helper_macro(&function, def, of_maker, &text);
        inner.s.helper_depth -= 1;
        let result = match found {
            Ok(found) => inner.expand_local(&found, given, range).map(|()| true),
            Err(Reported) => Ok(false),
        };
        self.s.scopes.pop_frame();
        self.s.scopes.unhide(restore);
        self.s.home = outside;
        if let Ok(false) = result {
            self.undo(mark);
        }
        result
    }

    /// The macro that a function returns. A name whose value cannot be worked out is one unknown value of this call.
    fn helper_macro(
        &mut self,
        function: &Function,
        def: u32,
        given: Given<'_>,
        call: &str,
    ) -> R<Rc<LocalMacro>> {
        let ast = self.ast;
        for (name, value) in function.closure.iter() {
            if value.is_plain() || matches!(value, Constant::Function(_) | Constant::Class(_)) {
                let val = self.value_of(name, value.clone(), Ex(0))?;
                self.define(name, syntax::TextRange::empty(0.into()), DefinitionKind::Meta, val);
            }
        }
        let Some(def) = ast.defs.get(def as usize) else { return Err(Reported) };
        let values = self.bind_args(def, given)?;
        for (param, val) in def.params.iter().zip(values) {
            if !param.name.is_empty() {
                self.define(param.name, param.name_range, DefinitionKind::Meta, val);
            }
        }
        for &st in ast.sts(def.body) {
            self.s.helper_steps += 1;
            if self.s.helper_steps >= MAX_STEPS {
                return Err(Reported);
            }
            match ast.stmt(st).kind {
                StKind::Def(inner) => {
                    // Another function is one of its scope.
                    if self.is_macro(&ast.defs[inner as usize]) {
                        self.nested_function(inner)?;
                    }
                }
                StKind::Assign { targets, value } => {
                    let &[target] = ast.exs(targets) else { return Err(Reported) };
                    let mark = self.mark();
                    let val = match self.helper_eval(value) {
                        Ok(ev) => ev.val,
                        Err(Reported) => {
                            self.undo(mark);
                            let ExKind::Name(name) = *ast.kind(target) else {
                                return Err(Reported);
                            };
                            Val::Unknown(self.captured_text(&format!("{call}.{name}")))
                        }
                    };
                    if !self.name_parts(target, val) {
                        return Err(Reported);
                    }
                }
                StKind::Return(Some(value)) => {
                    let ExKind::Name(name) = *ast.kind(value) else { return Err(Reported) };
                    return match self.peek(name) {
                        Some(Val::LocalMacro(found)) => Ok(found),
                        _ => Err(Reported),
                    };
                }
                _ => match self.helper_statement(st)? {
                    Flow::Next => {}
                    _ => return Err(Reported),
                },
            }
        }
        Err(Reported)
    }
}
