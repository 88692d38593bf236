//! The instances that calls ask for, also through functions between: `run(64)` calls `matmul(M)` with what it got.
//!
//! In: the calls of a file outside of its TVMScript functions, and the functions that they stand in. Out: the instances
//! of a factory, by calls with known arguments and by the cases of tests. An argument that is not known by itself is
//! evaluated in each instance of the function around the call.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
};

use rustc_hash::FxHashMap;

use super::{
    Context, FileFunctions, ScopeId,
    instances::{Call, Factory, compiled},
};
use crate::tvmscript::{
    ast::{self, Ast, ExKind, Run},
    instance::{Arguments, Instance},
};

/// Functions between a call and a factory.
const MAX_DEPTH: usize = 8;
/// Instances that are looked at of a function between.
const MOST_BETWEEN: usize = 16;

/// The instances of functions, each once.
#[derive(Clone, Default, Debug)]
pub struct Asked {
    /// By calls, in their order.
    pub called: Vec<Instance>,
    /// By cases of tests: a test may skip some.
    pub tested: Vec<Instance>,
}

impl Asked {
    fn is_empty(&self) -> bool {
        self.called.is_empty() && self.tested.is_empty()
    }

    fn add(&mut self, more: Asked) {
        for (all, more) in [(&mut self.called, more.called), (&mut self.tested, more.tested)] {
            more.into_iter().for_each(|it| {
                if !all.contains(&it) {
                    all.push(it);
                }
            });
        }
    }
}

/// The answers to a question about a call: in the scope where it stands, or in each instance of the function around it.
pub(super) enum Given<T> {
    Once(T),
    Each { called: Vec<T>, tested: Vec<T> },
}

/// The calls of a file, for as long as questions about them are asked.
pub(super) struct Callers<'a> {
    file: &'a FileFunctions,
    pub(super) context: Context<'a>,
    /// The instances of functions between; empty while they are looked for.
    known: RefCell<FxHashMap<ScopeId, Rc<Asked>>>,
    /// The calls by the last word of their callees.
    by_name: OnceCell<FxHashMap<String, Vec<usize>>>,
    depth: Cell<usize>,
    /// The number of calls that were read.
    n_read: Cell<usize>,
}

impl FileFunctions {
    /// The instances of factories of this file that it asks for itself. O(calls), each with the functions that lead to
    /// it.
    pub fn asked_instances(&self, factories: &[Factory], context: Context<'_>) -> Asked {
        Callers::new(self, context).asked(factories)
    }
}

impl<'a> Callers<'a> {
    pub(super) fn new(file: &'a FileFunctions, context: Context<'a>) -> Callers<'a> {
        Callers {
            file,
            context,
            known: RefCell::default(),
            by_name: OnceCell::new(),
            depth: Cell::new(0),
            n_read: Cell::new(0),
        }
    }

    /// The instances of some functions.
    fn asked(&self, factories: &[Factory]) -> Asked {
        let tested = factories.iter().flat_map(Factory::cases).collect();
        let mut asked = Asked { called: Vec::new(), tested };
        let mut names: Vec<&str> = factories.iter().map(Factory::name).collect();
        names.sort_unstable();
        names.dedup();
        let mut calls: Vec<usize> =
            names.iter().flat_map(|it| self.calls_of(it)).copied().collect();
        calls.sort_unstable();
        for call in calls {
            let call = &self.file.calls[call];
            asked.add(self.instances_of_call(factories, call).unwrap_or_default());
        }
        asked.tested.retain(|it| !asked.called.contains(it));
        asked
    }

    /// The calls of something of this name, in their order: most calls are of something else.
    fn calls_of(&self, name: &str) -> &[usize] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
            for (at, call) in self.file.calls.iter().enumerate() {
                let callee = call.green.syntax().first_child().map(|it| it.text());
                let callee = callee.unwrap_or_default();
                let last = compiled(&callee).rsplit('.').next().unwrap_or_default().trim();
                by_name.entry(last.to_owned()).or_default().push(at);
            }
            by_name
        });
        by_name.get(name).map_or(&[], |it| it)
    }

    /// Answers a question about a call: as it stands, or if that gives none, in the instances around it. Where the
    /// function that is called stands in the one around (`is_local`), it is made anew in each of these.
    pub(super) fn given<T>(
        &self,
        call: &Call,
        is_local: bool,
        question: impl Fn(Context<'_>) -> Option<T>,
    ) -> Given<T> {
        let alone = question(self.context);
        let around = match alone {
            Some(_) if !is_local => Rc::default(),
            _ => self.around(call.scope),
        };
        if let Some(it) = alone.filter(|_| around.is_empty()) {
            return Given::Once(it);
        }
        let in_each = |all: &[Instance]| {
            let one = |it: &Instance| question(Context { instance: Some(it), ..self.context });
            all.iter().take(MOST_BETWEEN).filter_map(one).collect()
        };
        Given::Each { called: in_each(&around.called), tested: in_each(&around.tested) }
    }

    /// Returns true if the function around a call has instances.
    pub(super) fn has_instances(&self, call: &Call) -> bool {
        !self.around(call.scope).is_empty()
    }

    /// Returns true if a factory stands in a function that takes anything.
    fn is_local(&self, factory: &Factory) -> bool {
        let scopes = self.file.scopes();
        let around = scopes.find(&factory.path, 0).and_then(|it| scopes.parent(it));
        self.function_around(around).is_some()
    }

    /// The innermost function with parameters that a scope is or is in.
    fn function_around(&self, mut scope: Option<ScopeId>) -> Option<ScopeId> {
        let scopes = self.file.scopes();
        while !scopes.get(scope?)?.takes_arguments() {
            scope = scopes.parent(scope?);
        }
        scope
    }

    /// The instances of the function that a scope is or is in.
    fn around(&self, scope: ScopeId) -> Rc<Asked> {
        let Some(function) = self.function_around(Some(scope)) else { return Rc::default() };
        if let Some(known) = self.known.borrow().get(&function) {
            return known.clone();
        }
        self.known.borrow_mut().insert(function, Rc::default());
        let factory = self.file.function_of_python(function, self.context);
        let depth = self.depth.get();
        let mut asked = Asked::default();
        if let Some(factory) = factory.filter(|_| depth < MAX_DEPTH) {
            self.depth.set(depth + 1);
            asked = self.asked(&[factory]);
            self.depth.set(depth);
        }
        let asked = Rc::new(asked);
        self.known.borrow_mut().insert(function, asked.clone());
        asked
    }

    /// The instances that a call makes of one of these: one for each call of the function around it, and where a tuner
    /// decorates the factory one a configuration.
    fn instances_of_call(&self, factories: &[Factory], call: &Call) -> Option<Asked> {
        self.n_read.set(self.n_read.get() + 1);
        let ast = ast::read(&call.green);
        let &ExKind::Call { callee, args } = ast.kind(*ast.root_exprs.first()?) else {
            return None;
        };
        let (head, rest) = ast.dotted(callee)?;
        let name = [head].into_iter().chain(rest).collect::<Vec<_>>().join(".");
        let name = compiled(&name).to_owned();
        let scopes = self.file.scopes();
        let mut at = Some(call.scope);
        let factory = loop {
            let id = at?;
            let scope = scopes.get(id)?;
            let path = match &*scope.path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            if let Some(factory) = factories.iter().find(|it| *it.path == *path) {
                break factory;
            }
            // The name means something else here.
            if scopes.visible(id, head, id == call.scope).is_some() && !name.contains('.') {
                return None;
            }
            at = scope.parent;
        };
        let given = self.given(call, self.is_local(factory), |context| {
            let arguments = match factory.is_eager {
                true => self.eager_arguments(factory, &ast, args, call, context)?,
                false => self.file.arguments(&ast, args, call, context)?,
            };
            Some(factory.instances_of(&arguments, scopes, context))
        });
        Some(match given {
            Given::Once(called) => Asked { called, tested: Vec::new() },
            Given::Each { called, tested } => {
                Asked { called: called.concat(), tested: tested.concat() }
            }
        })
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
        let mut positions = factory.positions();
        for arg in ast.args(args) {
            if arg.is_splat {
                return None;
            }
            let name = match arg.keyword {
                Some((name, _)) => Some(Box::from(name)),
                None => positions.next(),
            };
            let value = self.file.scopes().evaluate(call.scope, &call.green, arg.value, context);
            match name {
                Some(name) if value.is_plain() => arguments.named.push((name, value)),
                Some(name) => arguments.unknown.push(name),
                None => {}
            }
        }
        (factory.has_tuner() || !arguments.named.is_empty()).then_some(arguments)
    }
}

#[cfg(test)]
mod tests {
    use crate::tvmscript::{Context, functions};

    fn shown(text: &str) -> (Vec<String>, Vec<String>) {
        let text = format!(
            "import pytest\n\ndef matmul(M, K=4):\n    @T.prim_func\n    def main():\n        pass\n\n{text}"
        );
        let file = functions(&syntax::parse(&text));
        let asked = file.asked_instances(&file.factories(Context::default()), Context::default());
        let shown =
            |all: Vec<crate::tvmscript::Instance>| all.iter().map(ToString::to_string).collect();
        (shown(asked.called), shown(asked.tested))
    }

    fn called(text: &str) -> Vec<String> {
        shown(text).0
    }

    fn tested(text: &str) -> Vec<String> {
        shown(text).1
    }

    #[test]
    fn arguments_are_those_of_the_calls_around() {
        let run = "def run(M, N, K=8):\n    check(matmul(M * 2, K))\n\n";
        assert_eq!(called(run), [""; 0]);
        assert_eq!(
            called(&format!("{run}run(1, 2)\nrun(3, x, K=5)\nrun(4, 5, K=6)\nrun(1, 9)")),
            ["matmul(M=2, K=8)", "matmul(M=8, K=6)"]
        );
        let between = "def test_all():\n    each(16)\n\ndef each(n):\n    for k in (1, 2):\n        run(n, k)\n    run(n, 0)\n";
        assert_eq!(called(&format!("{run}{between}")), ["matmul(M=32, K=8)"]);
    }

    #[test]
    fn factory_in_a_factory_is_made_in_each_instance_of_that() {
        let text = "def outer(n, dtype='int8'):\n    def inner(block, k):\n        @T.prim_func\n        def f():\n            \
                    pass\n    def kernel(block=32):\n        return inner(block, k=1)\n    inner(128, 2)\n    kernel()\n    \
                    kernel(n)\n";
        let alone = ["outer.inner(block=32, k=1)", "outer.inner(block=128, k=2)"];
        assert_eq!(called(text), alone);
        assert_eq!(
            called(&format!("{text}outer(4)\n")),
            [
                "outer.inner(n=4, dtype=\"int8\", block=32, k=1)",
                "outer.inner(n=4, dtype=\"int8\", block=4, k=1)",
                "outer.inner(n=4, dtype=\"int8\", block=128, k=2)",
                "outer(n=4, dtype=\"int8\")"
            ]
        );
    }

    #[test]
    fn functions_that_call_themselves_end() {
        assert_eq!(
            called("def run(n):\n    run(n + 1)\n    matmul(n)\n\nrun(1)"),
            ["matmul(M=1, K=4)"]
        );
        let chain: String =
            (0..64).map(|it| format!("def f{it}(n):\n    f{}(n)\n\n", it + 1)).collect();
        assert_eq!(
            called(&format!("{chain}def f64(n):\n    matmul(n)\n\nf0(1)\nf60(2)")),
            ["matmul(M=2, K=4)"]
        );
    }

    /// The calls that are read in a file of `n` functions between, each called once, and `n` other calls.
    fn n_read(n: usize) -> usize {
        let each = |it: usize| {
            format!("def run{it}(n):\n    matmul(n)\n    other(n)\n\nrun{it}({it})\n\n")
        };
        let text: String = (0..n).map(each).collect();
        let text =
            format!("def matmul(M):\n    @T.prim_func\n    def main():\n        pass\n\n{text}");
        let file = functions(&syntax::parse(&text));
        let callers = super::Callers::new(&file, Context::default());
        assert_eq!(callers.asked(&file.factories(Context::default())).called.len(), n);
        callers.n_read.get()
    }

    #[test]
    fn each_call_is_read_once() {
        assert_eq!([n_read(10), n_read(40)], [20, 80]);
    }

    #[test]
    fn tests_call_with_each_of_their_cases() {
        let of = |decorators: &str| {
            tested(&format!("{decorators}\ndef test(M, K):\n    matmul(M, K)\n"))
        };
        assert_eq!(
            of("@pytest.mark.parametrize('M', [1, 2])\n@pytest.mark.parametrize('K', [3, 4])"),
            ["matmul(M=1, K=3)", "matmul(M=2, K=3)", "matmul(M=1, K=4)", "matmul(M=2, K=4)"]
        );
        assert_eq!(
            of(
                "@pytest.mark.parametrize('M, K', [(1, 2), pytest.param(3, 4, id='x'), unknown, (5, y)])"
            ),
            ["matmul(M=1, K=2)", "matmul(M=3, K=4)"]
        );
        assert_eq!(
            of("@pytest.mark.parametrize(argvalues=[[1, 2]], argnames=('M', 'K'), ids=str)"),
            ["matmul(M=1, K=2)"]
        );
        assert_eq!(of("@pytest.mark.parametrize('M', sizes())\n@other"), [""; 0]);
        assert_eq!(of("@pytest.mark.parametrize('N', [1])"), [""; 0]);
    }

    #[test]
    fn test_around_a_kernel_is_its_factory() {
        let text = "@pytest.mark.parametrize('dtype', ['int8', 'int32'])\ndef test(target, dtype):\n    \
                    @T.prim_func\n    def f():\n        pass\n";
        assert_eq!(tested(text), ["test(dtype=\"int8\")", "test(dtype=\"int32\")"]);
        assert_eq!(called(text), [""; 0]);
    }
}
