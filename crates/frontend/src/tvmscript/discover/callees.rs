//! Who calls whom among the functions of a file: kernels, macros, factories and helpers.
//!
//! Names are resolved as Python does, through scopes, classes and imports; no value is evaluated. A name that is bound
//! in another way, or more than once, means no function. O(tokens of the file).

use std::sync::Arc;

use syntax::{Green, SyntaxKind as K, SyntaxNode, TextRange, TextSize, WalkEvent};

use super::{
    Context, Definition, FileFunctions, FunctionKind, MODULE, ScopeId, Scopes, name_node, name_of,
};

/// Files that a name may be imported through.
const MAX_IMPORTS: usize = 8;

/// Methods of a kernel or factory that compile it, as a call does.
const COMPILING: [&str; 3] = ["compile", "get_tir", "get_kernel_source"];

/// The function that a call means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callee {
    /// The number of its file; empty for the file itself.
    pub file: Arc<str>,
    /// Names of the classes and functions around it, and its own, joined by `.`.
    pub path: Box<str>,
    /// Its definition.
    pub green: Green,
}

/// The kind of function that calls, or is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallableKind {
    /// A TVMScript function.
    Kernel,
    /// A macro or inline function.
    Macro,
    /// A Python function with TVMScript functions inside.
    Factory,
    /// Any other function of Python.
    Helper,
}

/// A function of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callable {
    /// Names of the classes and functions around it, and its own, joined by `.`.
    pub path: Box<str>,
    /// The kind.
    pub kind: CallableKind,
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub name_range: TextRange,
}

impl Callable {
    /// Its name.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// A call of a name, or of a name behind dots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// The number of the function that it is in, if it is in one.
    pub caller: Option<usize>,
    /// The words of the name.
    pub words: Vec<Box<str>>,
    /// The last of the words.
    pub range: TextRange,
    /// The scope that the name is looked up in.
    pub scope: ScopeId,
}

/// The functions of a file and the calls in it, in text order.
#[derive(Clone, Default, Debug)]
pub struct FileCalls {
    /// The functions.
    pub callables: Vec<Callable>,
    /// The calls.
    pub sites: Vec<CallSite>,
}

impl FileCalls {
    /// The number of the function whose name is at an offset.
    pub fn named_at(&self, offset: TextSize) -> Option<usize> {
        self.callables.iter().position(|it| it.name_range.contains_inclusive(offset))
    }
}

/// The words of a callee: `a.b.c`; none if something else is called.
pub fn words(callee: &SyntaxNode) -> Option<(Vec<Box<str>>, TextRange)> {
    let mut at = callee.clone();
    let mut words = Vec::new();
    let mut range = None;
    while at.kind() == K::ATTRIBUTE_EXPR {
        let name = at.children().filter(|it| it.kind() == K::NAME_REF).last()?;
        range = range.or(Some(name.text_range()));
        words.push(name.text().into());
        at = at.first_child()?;
    }
    if at.kind() != K::NAME_EXPR {
        return None;
    }
    words.push(at.text().into());
    words.reverse();
    Some((words, range.unwrap_or_else(|| at.text_range())))
}

impl Scopes {
    /// Returns the function that a dotted name means in a scope.
    pub fn callee(&self, scope: ScopeId, words: &[&str], context: Context<'_>) -> Option<Callee> {
        let words = match words {
            [rest @ .., last] if !rest.is_empty() && COMPILING.contains(last) => rest,
            words => words,
        };
        self.callee_in("", scope, words, context, MAX_IMPORTS)
    }

    /// The function that a name means in a scope of a file.
    fn callee_in(
        &self,
        file: &str,
        scope: ScopeId,
        words: &[&str],
        context: Context<'_>,
        fuel: usize,
    ) -> Option<Callee> {
        let (&head, rest) = words.split_first()?;
        let mut at = Some(scope);
        while let Some(id) = at {
            if let ("cls", [name]) = (head, rest)
                && self.get(id)?.is_class
            {
                return self.function_in(file, id, name);
            }
            let Some(definition) = self.visible(id, head, id == scope) else {
                at = self.parent(id);
                continue;
            };
            return match (definition, rest) {
                (Definition::Class(_) | Definition::ModuleClass, [name]) => {
                    self.function_in(file, self.child(id, head)?, name)
                }
                (Definition::Import(path), rest) => {
                    let path: Vec<&str> =
                        [&**path].into_iter().chain(rest.iter().copied()).collect();
                    self.imported(file, &path.join("."), context, fuel)
                }
                (_, []) => self.function_in(file, id, head),
                _ => None,
            };
        }
        None
    }

    /// The function of a name that a scope itself defines.
    fn function_in(&self, file: &str, scope: ScopeId, name: &str) -> Option<Callee> {
        let (Definition::Macro(green) | Definition::Function { green } | Definition::Python(green)) =
            self.own(scope, name)?
        else {
            return None;
        };
        let path = match &*self.get(scope)?.path {
            "" => name.into(),
            path => format!("{path}.{name}").into(),
        };
        Some(Callee { file: file.into(), path, green: green.clone() })
    }

    /// The function that the words of an import in a file mean.
    fn imported(
        &self,
        from: &str,
        path: &str,
        context: Context<'_>,
        fuel: usize,
    ) -> Option<Callee> {
        let fuel = fuel.checked_sub(1)?;
        path.match_indices('.').rev().find_map(|(end, _)| {
            // In `.f`, the dots are the module.
            let is_dots = path[..end].bytes().all(|it| it == b'.');
            let module = if is_dots { &path[..=end] } else { &path[..end] };
            let number = context.modules.module(from, module)?;
            let words: Vec<&str> = path[end + 1..].split('.').collect();
            match &*number {
                "" if from.is_empty() => self.callee_in("", MODULE, &words, context, fuel),
                "" => None,
                number => {
                    let scopes = context.modules.file(number)?;
                    scopes.callee_in(number, MODULE, &words, context, fuel)
                }
            }
        })
    }

    /// The words of the import that a dotted name begins with, and the rest of it: `a.b.f`.
    pub fn imported_words(&self, scope: ScopeId, words: &[&str]) -> Option<String> {
        let (head, rest) = words.split_first()?;
        let path = [self.import(scope, head)?].into_iter().chain(rest.iter().copied());
        Some(path.collect::<Vec<_>>().join("."))
    }
}

impl FileFunctions {
    /// Returns the functions of the file and the calls in it. `root` is its tree.
    pub fn calls(&self, root: &SyntaxNode) -> FileCalls {
        let mut found = FileCalls::default();
        // Around a node: the scope, the function that calls belong to, and whether that is TVMScript.
        let mut around: Vec<(ScopeId, Option<usize>, bool)> = vec![(MODULE, None, false)];
        for event in root.preorder() {
            let &(scope, caller, is_script) = around.last().unwrap_or(&(MODULE, None, false));
            match event {
                WalkEvent::Enter(node) => match node.kind() {
                    K::FUNCTION_DEF if is_script => around.push((scope, caller, true)),
                    K::FUNCTION_DEF => {
                        let number = found.callables.len();
                        let (callable, inner, is_script) = self.callable(&node, scope);
                        found.callables.push(callable);
                        around.push((inner, Some(number), is_script));
                    }
                    K::CLASS_DEF => {
                        let inner = self.scopes.child(scope, &name_of(&node)).unwrap_or(scope);
                        around.push((inner, caller, is_script));
                    }
                    K::CALL_EXPR => {
                        if let Some((words, range)) =
                            node.first_child().and_then(|callee| words(&callee))
                        {
                            found.sites.push(CallSite { caller, words, range, scope });
                        }
                    }
                    _ => {}
                },
                WalkEvent::Leave(node) => {
                    if matches!(node.kind(), K::FUNCTION_DEF | K::CLASS_DEF) && around.len() > 1 {
                        around.pop();
                    }
                }
            }
        }
        found
    }

    /// The function that a node is, the scope of its calls, and whether it is TVMScript.
    fn callable(&self, node: &SyntaxNode, scope: ScopeId) -> (Callable, ScopeId, bool) {
        let (range, name) = (node.text_range(), name_of(node));
        let name_range =
            name_node(node).map_or(TextRange::empty(range.start()), |it| it.text_range());
        let outer = self.scopes.get(scope).map_or("", |it| &it.path);
        let path =
            if outer.is_empty() { name.as_str().into() } else { format!("{outer}.{name}").into() };
        let at = self.functions.partition_point(|it| it.range.start() < range.start());
        let script = self.functions.get(at).filter(|it| it.range == range);
        let (kind, inner) = match script {
            Some(it) if it.source.kind == FunctionKind::Macro => (CallableKind::Macro, it.scope),
            Some(it) => (CallableKind::Kernel, it.scope),
            None => {
                let mut inside =
                    self.functions[at..].iter().take_while(|it| range.contains_range(it.range));
                let is_factory = inside.any(|it| it.source.kind == FunctionKind::PrimFunc);
                let kind = if is_factory { CallableKind::Factory } else { CallableKind::Helper };
                (kind, self.scopes.child(scope, &name).unwrap_or(scope))
            }
        };
        (Callable { path, kind, range, name_range }, inner, script.is_some())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::tvmscript::functions;

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let parse = syntax::parse(text);
        let functions = functions(&parse);
        let calls = functions.calls(&parse.syntax());
        let mut shown = String::new();
        for it in &calls.callables {
            shown.push_str(&format!("{:?} {}\n", it.kind, it.path));
        }
        for site in &calls.sites {
            let words: Vec<&str> = site.words.iter().map(|it| &**it).collect();
            let caller = site.caller.map_or("", |it| &*calls.callables[it].path);
            if let Some(it) = functions.scopes().callee(site.scope, &words, functions.context()) {
                shown.push_str(&format!("{caller} -> {}\n", it.path));
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn calls_mean_what_python_says() {
        check(
            "from tvm.script import tirx as T, ir as I

def size(n):
    return n * 2

@T.macro
def add(A, i):
    A[i] = A[i] + 1

def make(n):
    m = size(n)
    @T.prim_func
    def kernel(A: T.Buffer((16,), 'int32')):
        for i in range(size(8)):
            add(A, i)
        T.evaluate(unknown(A))
    return kernel

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), 'int32')):
        add(A, 0)
    @T.prim_func
    def main(A: T.Buffer((16,), 'int32')):
        cls.f(A)
        Module.f(A)

make.compile(4)
print(make(3))
",
            expect![[r#"
                Helper size
                Macro add
                Factory make
                Kernel make.kernel
                Kernel Module.f
                Kernel Module.main
                make -> size
                make.kernel -> size
                make.kernel -> add
                Module.f -> add
                Module.main -> Module.f
                Module.main -> Module.f
                 -> make
                 -> make
            "#]],
        );
    }

    #[test]
    fn a_name_that_is_bound_twice_means_no_function() {
        check(
            "def f():\n    pass\n\nf = 3\n\ndef g():\n    f()\n",
            expect![[r#"
                Helper f
                Helper g
            "#]],
        );
    }
}
