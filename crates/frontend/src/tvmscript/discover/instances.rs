//! The factories of a file, the calls of them, and the instances that these make.

use std::sync::Arc;

use syntax::{Green, SyntaxKind as K, SyntaxNode, TextRange};

use super::{
    Context, Definition, FileFunctions, Finder, FunctionKind, Scope, ScopeId, Scopes,
    bindings::is_starred,
    name_of,
    tuned::{Configuration, Configurations},
};
use crate::tvmscript::{
    ast::{self, Ast, ExKind, Run},
    environment::Constant,
    instance::{Arguments, Instance},
    request::Request,
};

/// A call outside of TVMScript functions.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The scope that it stands in.
    scope: ScopeId,
    green: Green,
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
    is_eager: bool,
    /// A function inside it, by its number.
    function: usize,
    /// The configurations that a tuner compiles it with.
    configurations: Configurations,
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
    pub fn is_tuned(&self) -> bool {
        self.configurations != Configurations::None
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
    fn instances_of(
        &self,
        arguments: &Arguments,
        scopes: &Scopes,
        context: Context<'_>,
    ) -> Vec<Instance> {
        let configurations = self.configurations.of_call(arguments, scopes, context);
        let one = |arguments: &Arguments| {
            self.is_complete(arguments).then(|| self.instance(arguments).ok()).flatten()
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

/// A call of a function that is imported from another file, with known arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignCall {
    /// The dotted path of the function, from the module that is named in the import.
    path: Box<str>,
    /// The number of the file of the function, and the path of the function in it; none if the workspace has no such
    /// file.
    target: Option<(Arc<str>, Box<str>)>,
    arguments: Arguments,
}

/// Calls that are listed of a file: others than those of factories are among them.
const MAX_FOREIGN: usize = 64;

impl ForeignCall {
    /// Returns the first word of what is imported: a package, or nothing for one beside the file.
    pub fn package(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }

    /// Returns the number of the file that the call means, and the instance that it asks for of it; none if it is not
    /// known which file that is.
    pub fn target(&self) -> Option<(&Arc<str>, Request)> {
        let (file, function) = self.target.as_ref()?;
        let arguments = self.arguments.clone();
        Some((file, Request { function: function.clone(), arguments }))
    }

    /// Returns the instance that the call asks for of a file, by the number of the file, or where it is not known which
    /// file is meant by its dotted path; none if it means another file.
    pub fn request(&self, number: Option<&str>, module: &str) -> Option<Request> {
        if let Some((file, request)) = self.target() {
            return (number == Some(&**file)).then_some(request);
        }
        let path = self.path.trim_start_matches('.');
        let is_module = |it: &str| {
            module.strip_suffix(it).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let mut ends = path.match_indices('.').map(|it| it.0).rev();
        let end = ends.find(|end| is_module(&path[..*end]))?;
        let (function, arguments) = (path[end + 1..].into(), self.arguments.clone());
        Some(Request { function, arguments })
    }
}

/// The file of a function, by the longest part of its path that is a module of the workspace, and the rest of the path.
fn function_of_module(path: &str, context: Context<'_>) -> Option<(Arc<str>, Box<str>)> {
    path.match_indices('.').rev().find_map(|(end, _)| {
        // In `.f`, the dots are the module.
        let is_dots = path[..end].bytes().all(|it| it == b'.');
        let module = if is_dots { &path[..=end] } else { &path[..end] };
        let file = context.modules.module("", module)?;
        Some((file, path[end + 1..].into()))
    })
}

/// The function of which a method is called that compiles it, as calling it does (`matmul.compile(M=1024)`).
fn compiled(callee: &str) -> &str {
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

    /// The instances of factories of this file that calls in it make, each once, in the order of the calls. O(calls).
    pub fn called_instances(&self, factories: &[Factory], context: Context<'_>) -> Vec<Instance> {
        let mut found: Vec<Instance> = Vec::new();
        for call in self.calls.iter() {
            for instance in self.instances_of_call(factories, call, context).unwrap_or_default() {
                if !found.contains(&instance) {
                    found.push(instance);
                }
            }
        }
        found
    }

    /// The instances of the configurations of factories (`@autotune`) that no call makes one of: `found` are those
    /// that calls make. What else the factories take is not known in them.
    pub fn tuned_instances(&self, factories: &[Factory], found: &[Instance]) -> Vec<Instance> {
        let is_called = |of: &&Factory| found.iter().any(|it| *it.factory() == *of.path);
        let open = factories.iter().filter(|it| !is_called(it));
        open.flat_map(Factory::instances_without_call).collect()
    }

    /// The instances that a call makes: one, or where a tuner decorates the factory one a configuration.
    fn instances_of_call(
        &self,
        factories: &[Factory],
        call: &Call,
        context: Context<'_>,
    ) -> Option<Vec<Instance>> {
        let callee = call.green.syntax().first_child()?.text();
        let callee = compiled(&callee);
        let last = callee.rsplit('.').next().unwrap_or_default().trim();
        // Most calls are of something else.
        factories.iter().find(|it| it.name() == last)?;
        let ast = ast::read(&call.green);
        let &ExKind::Call { callee, args } = ast.kind(*ast.root_exprs.first()?) else {
            return None;
        };
        let (head, rest) = ast.dotted(callee)?;
        let name = [head].into_iter().chain(rest).collect::<Vec<_>>().join(".");
        let name = compiled(&name).to_owned();
        let mut at = Some(call.scope);
        let factory = loop {
            let id = at?;
            let scope = self.scopes.get(id)?;
            let path = match &*scope.path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            if let Some(factory) = factories.iter().find(|it| *it.path == *path) {
                break factory;
            }
            // The name means something else here.
            if self.scopes.visible(id, head, id == call.scope).is_some() && !name.contains('.') {
                return None;
            }
            at = scope.parent;
        };
        let arguments = match factory.is_eager {
            true => self.eager_arguments(factory, &ast, args, call, context)?,
            false => self.arguments(&ast, args, call, context)?,
        };
        Some(factory.instances_of(&arguments, &self.scopes, context))
    }

    /// The arguments of a call of an eager kernel, if it gives a parameter or a size a known value: most of those
    /// without one are tensors.
    fn eager_arguments(
        &self,
        factory: &Factory,
        ast: &Ast<'_>,
        args: Run,
        call: &Call,
        context: Context<'_>,
    ) -> Option<Arguments> {
        let mut arguments = Arguments::default();
        let positions = factory.parameters.iter().filter(|it| !it.is_keyword_only);
        let mut positions = positions.map(|it| it.name.clone());
        for arg in ast.args(args) {
            if arg.is_splat {
                return None;
            }
            let name = match arg.keyword {
                Some((name, _)) => Some(Box::from(name)),
                None => positions.next(),
            };
            let value = self.scopes.evaluate(call.scope, &call.green, arg.value, context);
            match name {
                Some(name) if value.is_plain() => arguments.named.push((name, value)),
                Some(name) => arguments.unknown.push(name),
                None => {}
            }
        }
        let is_tuned = factory.configurations != Configurations::None;
        (is_tuned || !arguments.named.is_empty()).then_some(arguments)
    }

    /// The arguments of a call, if all are known in its scope.
    fn arguments(
        &self,
        ast: &Ast<'_>,
        args: Run,
        call: &Call,
        context: Context<'_>,
    ) -> Option<Arguments> {
        let value = |ex| self.scopes.evaluate(call.scope, &call.green, ex, context);
        Arguments::read(ast.args(args), &value).ok()
    }

    /// The calls of functions of other files, in their order. O(calls).
    pub fn foreign_calls(&self, context: Context<'_>) -> Vec<ForeignCall> {
        let mut found: Vec<ForeignCall> = Vec::new();
        for call in self.calls.iter() {
            if let Some(it) = self.foreign_call(call, context)
                && !found.contains(&it)
            {
                found.push(it);
                if found.len() == MAX_FOREIGN {
                    break;
                }
            }
        }
        found
    }

    fn foreign_call(&self, call: &Call, context: Context<'_>) -> Option<ForeignCall> {
        let ast = ast::read(&call.green);
        let &ExKind::Call { callee, args } = ast.kind(*ast.root_exprs.first()?) else {
            return None;
        };
        let (head, rest) = ast.dotted(callee)?;
        let mut at = Some(call.scope);
        let module = loop {
            let id = at?;
            match self.scopes.visible(id, head, id == call.scope) {
                Some(Definition::Import(path)) => break path,
                Some(_) => return None,
                None => at = self.scopes.parent(id),
            }
        };
        // A factory without arguments has one instance, and TVM has no factories of ours.
        if args.is_empty() || module.split('.').next() == Some("tvm") {
            return None;
        }
        let path = [&**module].into_iter().chain(rest).collect::<Vec<_>>().join(".");
        let arguments = self.arguments(&ast, args, call, context)?;
        // The function itself, wherever it is imported from; or one of the module, which a decorator may hide.
        let target = match self.scopes.evaluate(call.scope, &call.green, callee, context) {
            Constant::Function(it) => Some((it.home.file.clone(), Box::from(&*it.home.path))),
            _ => function_of_module(&path, context),
        };
        let target = target.filter(|it| !it.0.is_empty());
        Some(ForeignCall { path: path.into(), target, arguments })
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
        let instances = functions
            .called_instances(&functions.factories(Context::default()), Context::default());
        instances.iter().map(ToString::to_string).collect()
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
    fn calls_of_other_files_mean_a_module_by_the_end_of_its_path() {
        let text = "import kernels.gemm as g\nfrom kernels.gemm import matmul as mm\nfrom .scan import scan\n\
                    import numpy as np\n\n\ndef test(x):\n    mm(1, K=2)\n    g.matmul(3)\n    scan(4)\n    np.zeros(x)\n";
        let calls = functions(&syntax::parse(text)).foreign_calls(Context::default());
        let of = |module: &str| -> Vec<String> {
            let asked = calls.iter().filter_map(|it| it.request(None, module));
            asked.map(|it| format!("{} {:?}", it.function, it.arguments.positional)).collect()
        };
        assert_eq!(of("home.kernels.gemm"), ["matmul [Int(1)]", "matmul [Int(3)]"]);
        assert_eq!(of("kernels.scan"), ["scan [Int(4)]"]);
        assert!(of("gemm").is_empty() && of("home.mykernels.gemm").is_empty());
        let own = functions(&syntax::parse(TEXT));
        let requests =
            [Request::parse("matmul(1, 2)").unwrap(), Request::parse("matmul(K=1)").unwrap()];
        let made = own.instances_of_calls(&own.factories(Context::default()), &requests);
        let shown: Vec<String> = made.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [r#"matmul(M=1, K=2, dtype="float16")"#]);
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
