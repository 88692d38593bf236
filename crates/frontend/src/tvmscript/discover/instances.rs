//! The factories of a file, the calls of them, and the instances that these make.

use syntax::{Green, SyntaxKind as K, SyntaxNode, TextRange};

use super::{
    Context, FileFunctions, Finder, FunctionKind, Scope, ScopeId, Scopes,
    bindings::is_starred,
    name_of, tested,
    tuned::{Configuration, Configurations},
};
use crate::tvmscript::{
    ast::{self, Ast, Run},
    environment::Constant,
    instance::{Arguments, Instance},
    request::Request,
};

/// A call outside of TVMScript functions.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The scope that it stands in.
    pub(super) scope: ScopeId,
    pub(super) green: Green,
}

impl Finder<'_> {
    /// Notes a call of a name.
    pub(super) fn called(&mut self, node: &SyntaxNode, scope: ScopeId) {
        let callee = node.first_child().map(|it| it.kind());
        if matches!(callee, Some(K::NAME_EXPR | K::ATTRIBUTE_EXPR)) {
            self.calls.push(Call { scope, green: Green::of(node) });
        }
    }
}

/// A parameter of a factory.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Parameter {
    name: Box<str>,
    default: DefaultValue,
    is_keyword_only: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum DefaultValue {
    /// A call must give the argument.
    Required,
    Known(Constant),
    /// There is one, of which nothing is known.
    Unknown,
}

/// A function of Python with TVMScript functions inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factory {
    /// Names of the classes and functions around it, and its own, joined by `.`.
    pub path: Box<str>,
    parameters: Vec<Parameter>,
    /// More positional arguments may follow.
    has_rest: bool,
    /// Arguments of any other name may follow.
    has_named_rest: bool,
    /// It is a kernel itself, whose calls give tensors as well: what they are is not needed.
    pub(super) is_eager: bool,
    /// A function inside it, by its number.
    function: usize,
    /// The configurations that a tuner compiles it with.
    configurations: Configurations,
    /// The cases that a test runner calls it with.
    cases: Vec<Configuration>,
}

impl Factory {
    /// Returns its name.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the names of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|it| &*it.name)
    }

    /// Returns true if a tuner compiles it with each of its configurations, and leaves out those that fail.
    pub fn has_tuner(&self) -> bool {
        self.configurations != Configurations::None
    }

    /// The instances that a test runner makes, whose other parameters are not known.
    pub(super) fn cases(&self) -> impl Iterator<Item = Instance> {
        let with = |case| self.with(&Arguments::default(), case);
        self.cases.iter().filter_map(move |it| self.instance(&with(it)?).ok())
    }

    /// The names of the parameters that an argument without a name may be for.
    pub(super) fn positions(&self) -> impl Iterator<Item = Box<str>> {
        let positions = self.parameters.iter().filter(|it| !it.is_keyword_only);
        positions.map(|it| it.name.clone())
    }

    /// Returns the instance that a call makes, with the defaults of parameters without an argument. Parameters with
    /// neither have no value.
    ///
    /// # Errors
    /// The reason why Python refuses the arguments.
    pub fn instance(&self, arguments: &Arguments) -> Result<Instance, String> {
        let mut values: Vec<Option<Constant>> = vec![None; self.parameters.len()];
        let n_positional = self.parameters.iter().filter(|it| !it.is_keyword_only).count();
        if arguments.positional.len() > n_positional && !self.has_rest {
            let (n, name) = (arguments.positional.len(), self.name());
            return Err(format!("`{name}` takes {n_positional} positional arguments, not {n}"));
        }
        for (slot, value) in values[..n_positional].iter_mut().zip(&arguments.positional) {
            *slot = Some(value.clone());
        }
        for (name, value) in &arguments.named {
            let Some(at) = self.parameters.iter().position(|it| it.name == *name) else {
                if self.has_named_rest {
                    continue;
                }
                return Err(format!("`{}` has no parameter `{name}`", self.name()));
            };
            if values[at].replace(value.clone()).is_some() {
                return Err(format!("`{name}` has two values"));
            }
        }
        let with_default = |(parameter, value): (&Parameter, Option<Constant>)| {
            let default = || match &parameter.default {
                DefaultValue::Known(it) => {
                    (!arguments.unknown.contains(&parameter.name)).then(|| it.clone())
                }
                DefaultValue::Required | DefaultValue::Unknown => None,
            };
            Some((parameter.name.clone(), value.or_else(default)?))
        };
        let values = self.parameters.iter().zip(values).filter_map(with_default);
        Ok(Instance::new(&self.path, values.collect()))
    }

    /// Returns true if a call with these arguments gives every parameter one, or leaves it to a default.
    fn is_complete(&self, arguments: &Arguments) -> bool {
        if self.is_eager {
            return true;
        }
        self.parameters.iter().enumerate().all(|(at, it)| {
            it.default != DefaultValue::Required
                || (at < arguments.positional.len() && !it.is_keyword_only)
                || arguments.named.iter().any(|named| named.0 == it.name)
        })
    }

    /// The instances that a call with these arguments makes: one, or where a tuner decorates the factory one a
    /// configuration.
    pub(super) fn instances_of(
        &self,
        arguments: &Arguments,
        scopes: &Scopes,
        context: Context<'_>,
    ) -> Vec<Instance> {
        let configurations = self.configurations.of_call(arguments, scopes, context);
        let one = |arguments: &Arguments| {
            let instance = self.is_complete(arguments).then(|| self.instance(arguments).ok());
            instance.flatten().map(|it| it.made_in(context.instance))
        };
        let mut found: Vec<Instance> = Vec::new();
        for configuration in configurations.iter() {
            let Some(arguments) = self.with(arguments, configuration) else { continue };
            found.extend(one(&arguments).filter(|it| !found.contains(it)));
        }
        if configurations.is_empty() {
            found.extend(one(arguments));
        }
        found
    }

    /// The instances of the configurations alone, for a factory that is called with nothing that is known.
    fn instances_without_call(&self) -> Vec<Instance> {
        let Configurations::Listed(all) = &self.configurations else { return Vec::new() };
        let mut found: Vec<Instance> = Vec::new();
        for configuration in all {
            let arguments = self.with(&Arguments::default(), configuration);
            let instance = arguments.and_then(|it| self.instance(&it).ok());
            found.extend(instance.filter(|it| !found.contains(it)));
        }
        found
    }

    /// The arguments of a call with a configuration, whose values are for parameters that the call leaves open; none
    /// if it names something that is no parameter.
    fn with(&self, arguments: &Arguments, configuration: &Configuration) -> Option<Arguments> {
        let mut all = arguments.clone();
        for (name, value) in configuration {
            let at = self.parameters().position(|it| *it == **name)?;
            let is_given = at < arguments.positional.len()
                || arguments.named.iter().any(|it| it.0 == *name)
                || arguments.unknown.contains(name);
            if !is_given {
                all.named.push((name.clone(), value.clone()));
            }
        }
        Some(all)
    }
}

/// The function of which a method is called that compiles it, as calling it does (`matmul.compile(M=1024)`).
pub(super) fn compiled(callee: &str) -> &str {
    let methods = [".compile", ".get_tir", ".get_kernel_source"];
    methods.iter().find_map(|it| callee.trim_end().strip_suffix(it)).unwrap_or(callee)
}

impl FileFunctions {
    /// The factories of the file, in the order of the first TVMScript function in each. O(functions). `context` is that
    /// of the file ([`FileFunctions::context`]), here and below.
    pub fn factories(&self, context: Context<'_>) -> Vec<Factory> {
        let mut factories = self.functions_around(context);
        factories.retain(|it| !it.parameters.is_empty());
        factories
    }

    /// The factories, and the functions without parameters that have a TVMScript function in them: each of these has
    /// one instance, without values. O(functions).
    pub fn functions_around(&self, context: Context<'_>) -> Vec<Factory> {
        let mut found: Vec<Factory> = Vec::new();
        for (number, item) in self.functions.iter().enumerate() {
            if item.source.kind != FunctionKind::PrimFunc {
                continue;
            }
            let mut at = Some(item.scope);
            let mut around = Vec::new();
            while let Some(id) = at {
                let Some(scope) = self.scopes.get(id) else { break };
                around.push(id);
                at = scope.parent;
            }
            for id in around.into_iter().rev() {
                let Some(scope) = self.scopes.get(id) else { continue };
                if found.iter().all(|it| *it.path != *scope.path) {
                    found.extend(self.factory(scope, number, context));
                }
            }
        }
        found
    }

    /// The function of Python that a scope is, as if it were a factory.
    pub(super) fn function_of_python(&self, id: ScopeId, context: Context<'_>) -> Option<Factory> {
        self.factory(self.scopes.get(id)?, usize::MAX, context)
    }

    /// The factory that a scope is, if it is a function.
    fn factory(&self, scope: &Scope, function: usize, context: Context<'_>) -> Option<Factory> {
        let list = scope.parameters.as_ref()?.syntax();
        let mut factory = Factory {
            path: Box::from(&*scope.path),
            parameters: Vec::new(),
            has_rest: false,
            has_named_rest: false,
            is_eager: self
                .functions
                .get(function)
                .is_some_and(|it| it.source.is_eager && *it.source.key.path == *scope.path),
            function,
            configurations: Configurations::of(scope, &self.scopes, context),
            cases: tested::cases(scope, &self.scopes, context),
        };
        let mut is_keyword_only = false;
        for it in list.children() {
            let name = name_of(&it);
            if is_starred(&it) {
                let is_double = it.children_with_tokens().any(|it| it.kind() == K::STAR2);
                factory.has_named_rest |= is_double;
                factory.has_rest |= !is_double && !name.is_empty();
                is_keyword_only = true;
            } else if !name.is_empty() {
                let default = self.default(scope.parent, &it, context);
                factory.parameters.push(Parameter { name: name.into(), default, is_keyword_only });
            }
        }
        for name in &scope.sizes {
            let (name, default) = (name.clone(), DefaultValue::Unknown);
            factory.parameters.push(Parameter { name, default, is_keyword_only: true });
        }
        Some(factory)
    }

    /// The default of a parameter, which is evaluated around the function.
    fn default(
        &self,
        around: Option<ScopeId>,
        parameter: &SyntaxNode,
        context: Context<'_>,
    ) -> DefaultValue {
        let mut behind = parameter.children_with_tokens().skip_while(|it| it.kind() != K::EQ);
        let Some(value) = behind.find_map(|it| it.into_node()) else {
            return DefaultValue::Required;
        };
        let green = Green::of(&value);
        let ast = ast::read(&green);
        let scope = around.unwrap_or(super::MODULE);
        let value = ast.root_exprs.first();
        let value = value.map(|&it| self.scopes.evaluate(scope, &green, it, context));
        let value = value.filter(Constant::is_plain);
        value.map_or(DefaultValue::Unknown, DefaultValue::Known)
    }

    /// The instances of the configurations of factories (`@autotune`) that no call makes one of: `found` are those
    /// that calls make. What else the factories take is not known in them.
    pub fn tuned_instances(&self, factories: &[Factory], found: &[Instance]) -> Vec<Instance> {
        let is_called = |of: &&Factory| found.iter().any(|it| *it.factory() == *of.path);
        let open = factories.iter().filter(|it| !is_called(it));
        open.flat_map(Factory::instances_without_call).collect()
    }

    /// The arguments of a call, if all are known in its scope.
    pub(super) fn arguments(
        &self,
        ast: &Ast<'_>,
        args: Run,
        call: &Call,
        context: Context<'_>,
    ) -> Option<Arguments> {
        let value = |ex| self.scopes.evaluate(call.scope, &call.green, ex, context);
        Arguments::read(ast.args(args), &value).ok()
    }

    /// The instances that calls in other files make of factories of this file, each once, in the order of the calls.
    pub fn instances_of_calls(&self, factories: &[Factory], calls: &[Request]) -> Vec<Instance> {
        let mut found = Vec::new();
        for call in calls {
            let factory = factories.iter().find(|it| it.path == call.function);
            let Some(factory) = factory else { continue };
            for it in factory.instances_of(&call.arguments, &self.scopes, self.context()) {
                if !found.contains(&it) {
                    found.push(it);
                }
            }
        }
        found
    }

    /// The instances that requests ask for of factories of this file, each once, in the order of the requests.
    pub fn requested_instances(
        &self,
        factories: &[Factory],
        requests: &[Request],
    ) -> Vec<Result<Instance, String>> {
        let mut found = Vec::new();
        for request in requests {
            for factory in factories.iter().filter(|it| request.means(&it.path)) {
                let instance = factory.instance(&request.arguments);
                if !found.contains(&instance) {
                    found.push(instance);
                }
            }
        }
        found
    }

    /// The name of a factory in the file.
    pub fn factory_range(&self, factory: &Factory) -> Option<TextRange> {
        let start = self.functions.get(factory.function)?.range.start();
        let root = self.root.syntax();
        let token = root.token_at_offset(start).right_biased()?;
        // The scopes around the function, the outermost first.
        let mut around: Vec<SyntaxNode> = token
            .parent()?
            .ancestors()
            .filter(|it| matches!(it.kind(), K::FUNCTION_DEF | K::CLASS_DEF))
            .collect();
        around.reverse();
        let depth = factory.path.split('.').count();
        let node = around.get(depth - 1).filter(|it| name_of(it) == factory.name())?;
        node.children().find(|it| it.kind() == K::NAME).map(|it| it.text_range())
    }
}

#[cfg(test)]
mod tests {
    use crate::tvmscript::{Context, Request, functions, lower};

    const TEXT: &str = r#"from tvm.script import tirx as T

SIZE = 64


def matmul(M, K=SIZE * 2, *, dtype="float16"):
    half = M // 2

    @T.prim_func
    def main(A: T.Buffer((M, K), dtype)):
        A[half, 0] = A[half, 0] + T.cast(1, dtype)

    return main


class Tests:
    def test(self, n):
        size = SIZE
        matmul(size)
        matmul(64, 128)
        matmul(n)
        matmul()
        matmul(1, 2, 3)

    def other(self, matmul):
        matmul(7)


small = run(matmul(2, dtype="float32"))
"#;

    fn shown(text: &str) -> Vec<String> {
        let functions = functions(&syntax::parse(text));
        let instances =
            functions.asked_instances(&functions.factories(Context::default()), Context::default());
        instances.called.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn calls_with_known_arguments_are_instances() {
        assert_eq!(
            shown(TEXT),
            [r#"matmul(M=64, K=128, dtype="float16")"#, r#"matmul(M=2, K=128, dtype="float32")"#]
        );
    }

    #[test]
    fn parameters_and_what_is_made_of_them_have_the_values_of_the_instance() {
        let functions = functions(&syntax::parse(TEXT));
        let [factory] = &functions.factories(Context::default())[..] else { panic!("one factory") };
        assert_eq!(&TEXT[functions.factory_range(factory).unwrap()], "matmul");
        let request = Request::parse(r#"matmul(8, dtype="int32")"#).unwrap();
        let asked = functions.requested_instances(std::slice::from_ref(factory), &[request]);
        let [Ok(instance)] = &asked[..] else { panic!("{asked:?}") };
        let item = &functions.functions[0];
        let lowered = lower(&item.source, &functions.environment_in(item, Some(instance)));
        assert_eq!(lowered.diagnostics, []);
        let text = ir::print::tvmscript(&lowered.body, 0);
        assert!(text.contains("A: T.Buffer((8, 128), \"int32\")"), "{text}");
        assert!(text.contains("A[4, 0] = A[4, 0] + 1"), "{text}");
    }

    #[test]
    fn arguments_that_python_refuses_are_told() {
        let functions = functions(&syntax::parse(TEXT));
        let refused = |text: &str| {
            let request = Request::parse(text).unwrap();
            let mut asked =
                functions.requested_instances(&functions.factories(Context::default()), &[request]);
            asked.pop().unwrap().unwrap_err()
        };
        assert_eq!(refused("matmul(N=1)"), "`matmul` has no parameter `N`");
        assert_eq!(refused("matmul(1, M=1)"), "`M` has two values");
        assert_eq!(refused("matmul(1, 2, 3)"), "`matmul` takes 2 positional arguments, not 3");
    }
}
