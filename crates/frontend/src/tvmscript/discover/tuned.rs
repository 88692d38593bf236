//! The configurations of `@autotune(configs=…)` of TileLang: what each call of the factory is compiled with.
//!
//! In: the decorator of a factory. Out: the configurations, where the value of `configs` is known: a list of
//! dictionaries, as it is written or as functions of Python make it (`get_configs()`, `itertools.product`), or a
//! function, which a call gives its own arguments. Each is the values of some parameters of the factory; what a call
//! gives by itself stays. A configuration that names no parameter makes no instance, as TileLang refuses it; one with a
//! value that is no plain data makes them all unknown. At most [`MOST`] are looked at, in their order. Nothing is
//! executed.

use std::borrow::Cow;

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{Context, Finder, Scope, ScopeId, Scopes};
use crate::tvmscript::{
    ast::{self, ExKind},
    environment::Constant,
    instance::Arguments,
    staging::Unknown,
};

/// Configurations of a factory that become instances.
pub(super) const MOST: usize = 64;
/// The key of a configuration that is about passes of the compiler, not about a parameter.
const OF_PASSES: &str = "pass_configs";

/// Values of parameters, by name.
pub(super) type Configuration = Vec<(Box<str>, Constant)>;

/// The configurations of a factory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) enum Configurations {
    /// There are none, or they are not known.
    #[default]
    None,
    /// They are the same for each call.
    Listed(Vec<Configuration>),
    /// A function makes them of the arguments of a call.
    Made(Constant),
}

impl Finder<'_> {
    /// The call `autotune(…)` that decorates a function.
    pub(super) fn tuned_by(&self, node: &SyntaxNode, scope: ScopeId) -> Option<Green> {
        let decorators = node.children().take_while(|it| it.kind() == K::DECORATOR);
        let mut calls = decorators.filter_map(|it| it.first_child());
        let is_tuner = |it: &SyntaxNode| {
            let path = it.first_child().and_then(|it| self.dotted_path(&it, scope));
            path.is_some_and(|it| it.starts_with("tilelang.") && it.ends_with(".autotune"))
        };
        calls.find(|it| it.kind() == K::CALL_EXPR && is_tuner(it)).map(|it| Green::of(&it))
    }
}

impl Configurations {
    /// Those of the factory that a scope is.
    pub(super) fn of(scope: &Scope, scopes: &Scopes, context: Context<'_>) -> Configurations {
        let (Some(green), Some(around)) = (&scope.tuned_by, scope.parent) else {
            return Configurations::None;
        };
        let ast = ast::read(green);
        let Some(&ExKind::Call { args, .. }) = ast.root_exprs.first().map(|&it| ast.kind(it))
        else {
            return Configurations::None;
        };
        let args = ast.args(args);
        let named = args.iter().find(|it| it.keyword.is_some_and(|it| it.0 == "configs"));
        let first = args.first().filter(|it| it.keyword.is_none() && !it.is_splat);
        let Some(given) = named.or(first) else { return Configurations::None };
        let value = scopes.evaluate(around, green, given.value, context);
        match value {
            Constant::Function(_) => Configurations::Made(value),
            value => listed(&value).map_or(Configurations::None, Configurations::Listed),
        }
    }

    /// Those of a call with these arguments; none of a function that gives no list of them.
    pub(super) fn of_call(
        &self,
        arguments: &Arguments,
        scopes: &Scopes,
        context: Context<'_>,
    ) -> Cow<'_, [Configuration]> {
        match self {
            Configurations::None => Cow::Borrowed(&[]),
            Configurations::Listed(it) => Cow::Borrowed(it),
            Configurations::Made(function) => {
                let Arguments { positional, mut named, unknown } = arguments.clone();
                let not_known = || Constant::Unknown(Unknown::new("the argument is not known"));
                named.extend(unknown.into_iter().map(|it| (it, not_known())));
                let made = scopes.apply(function, positional, named, context);
                Cow::Owned(listed(&made).unwrap_or_default())
            }
        }
    }
}

/// The configurations that a list of dictionaries is.
fn listed(value: &Constant) -> Option<Vec<Configuration>> {
    let (Constant::List(all) | Constant::Tuple(all)) = value else { return None };
    all.iter().take(MOST).map(configuration).collect()
}

fn configuration(value: &Constant) -> Option<Configuration> {
    let Constant::Dict(items) = value else { return None };
    let mut found = Configuration::new();
    for pair in items.chunks_exact(2) {
        let Constant::Str(name) = &pair[0] else { return None };
        if &**name != OF_PASSES {
            found.push((name.clone(), Some(pair[1].clone()).filter(Constant::is_plain)?));
        }
    }
    Some(found)
}
