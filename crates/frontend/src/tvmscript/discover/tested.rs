//! The values that pytest calls a function with: `@pytest.mark.parametrize("M, dtype", [(64, "float16"), …])`.
//!
//! In: the decorators of a function. Out: its cases, in pytest's order: each is the values of some parameters, where
//! those of its decorators are known; the others come from fixtures, and have no known value. At most [`MOST`] are
//! looked at. A case may be skipped by the test itself, so a mistake that only a case has is not told. Nothing is
//! executed.

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{
    Context, Finder, Scope, ScopeId, Scopes,
    tuned::{Configuration, MOST},
};
use crate::tvmscript::{
    ast::{self, Ast, Ex, ExKind},
    environment::Constant,
};

impl Finder<'_> {
    /// The calls `pytest.mark.parametrize(…)` that decorate a function.
    pub(super) fn tested_with(&self, node: &SyntaxNode, scope: ScopeId) -> Box<[Green]> {
        let decorators = node.children().take_while(|it| it.kind() == K::DECORATOR);
        let calls = decorators.filter_map(|it| it.first_child());
        let is_parametrize = |it: &SyntaxNode| {
            let path = it.first_child().and_then(|it| self.dotted_path(&it, scope));
            path.is_some_and(|it| it == "pytest.mark.parametrize")
        };
        calls
            .filter(|it| it.kind() == K::CALL_EXPR && is_parametrize(it))
            .map(|it| Green::of(&it))
            .collect()
    }
}

/// The cases of the function that a scope is.
pub(super) fn cases(scope: &Scope, scopes: &Scopes, context: Context<'_>) -> Vec<Configuration> {
    let Some(around) = scope.parent else { return Vec::new() };
    let mut all: Vec<Configuration> = Vec::new();
    // The values of the first decorator change with each case, those of the last one slowly.
    for green in scope.tested_with.iter().rev() {
        let of_one = Decorator { green, around, scopes, context }.cases();
        if of_one.is_empty() {
            continue;
        }
        if all.is_empty() {
            all.push(Configuration::new());
        }
        let both = all.iter().flat_map(|before| {
            of_one.iter().map(|more| before.iter().chain(more).cloned().collect())
        });
        all = both.take(MOST).collect();
    }
    all
}

/// A call `pytest.mark.parametrize(…)`.
struct Decorator<'a> {
    green: &'a Green,
    around: ScopeId,
    scopes: &'a Scopes,
    context: Context<'a>,
}

impl Decorator<'_> {
    /// The values of each case; none of a case whose values are not known.
    fn cases(&self) -> Vec<Configuration> {
        let ast = ast::read(self.green);
        let Some(&ExKind::Call { args, .. }) = ast.root_exprs.first().map(|&it| ast.kind(it))
        else {
            return Vec::new();
        };
        let args = ast.args(args);
        let given = |at: usize, name: &str| {
            let named = args.iter().find(|it| it.keyword.is_some_and(|it| it.0 == name));
            let placed = args.get(at).filter(|it| it.keyword.is_none() && !it.is_splat);
            named.or(placed).map(|it| it.value)
        };
        let (Some(names), Some(values)) = (given(0, "argnames"), given(1, "argvalues")) else {
            return Vec::new();
        };
        let Some(names) = names_of(&self.value(names)) else { return Vec::new() };
        let values = self.values(&ast, values);
        let of_case = |value: Constant| -> Option<Configuration> {
            let values = match (&names[..], value) {
                ([_], value) => vec![value],
                (_, Constant::Tuple(items) | Constant::List(items)) => items.to_vec(),
                _ => return None,
            };
            let is_known = names.len() == values.len() && values.iter().all(Constant::is_plain);
            is_known.then(|| names.iter().cloned().zip(values).collect())
        };
        values.into_iter().take(MOST).filter_map(of_case).collect()
    }

    /// The values of the cases: of a list that is written, each by itself.
    fn values(&self, ast: &Ast<'_>, values: Ex) -> Vec<Constant> {
        let items = match *ast.kind(values) {
            ExKind::List(items) | ExKind::Tuple(items) => ast.exs(items),
            _ => match self.value(values) {
                Constant::List(items) | Constant::Tuple(items) => return items.to_vec(),
                _ => return Vec::new(),
            },
        };
        items.iter().map(|&it| self.case(ast, it)).collect()
    }

    /// The value of a case, also as `pytest.param(1, 2, id="small")`.
    fn case(&self, ast: &Ast<'_>, ex: Ex) -> Constant {
        let ExKind::Call { callee, args } = *ast.kind(ex) else { return self.value(ex) };
        let is_param = ast.dotted(callee).is_some_and(|(_, rest)| rest.last() == Some(&"param"));
        if !is_param {
            return self.value(ex);
        }
        let values = ast.args(args).iter().filter(|it| it.keyword.is_none());
        let values: Vec<Constant> = values.map(|it| self.value(it.value)).collect();
        match <[Constant; 1]>::try_from(values) {
            Ok([value]) => value,
            Err(values) => Constant::Tuple(values.into()),
        }
    }

    fn value(&self, ex: Ex) -> Constant {
        self.scopes.evaluate(self.around, self.green, ex, self.context)
    }
}

/// The names of parameters: `"M, dtype"`, or a list of them.
fn names_of(value: &Constant) -> Option<Vec<Box<str>>> {
    match value {
        Constant::Str(names) => {
            let names = names.split(',').map(str::trim).filter(|it| !it.is_empty());
            Some(names.map(Box::from).collect())
        }
        Constant::Tuple(items) | Constant::List(items) => {
            let names = items.iter().map(|it| match it {
                Constant::Str(it) => Some(it.clone()),
                _ => None,
            });
            names.collect()
        }
        _ => None,
    }
}
