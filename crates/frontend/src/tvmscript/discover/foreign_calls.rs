//! The calls of functions of other files: what a file asks of the factories that it imports.
//!
//! In: the calls of a file outside of its TVMScript functions, and its imports. Out: those with known arguments, each
//! as a request of the file that the function is in.

use std::sync::Arc;

use super::{
    Context, Definition, FileFunctions,
    callers::{Callers, Given},
    instances::Call,
};
use crate::tvmscript::{
    ast::{self, Ast, Ex, ExKind, Run},
    environment::Constant,
    instance::Arguments,
    request::Request,
};

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

impl FileFunctions {
    /// The calls of functions of other files, in their order. O(calls).
    pub fn foreign_calls(&self, context: Context<'_>) -> Vec<ForeignCall> {
        let callers = Callers::new(self, context);
        let mut found: Vec<ForeignCall> = Vec::new();
        for call in self.calls.iter() {
            for it in self.foreign_call(call, &callers) {
                if found.len() == MAX_FOREIGN {
                    return found;
                }
                if !found.contains(&it) {
                    found.push(it);
                }
            }
        }
        found
    }

    /// The calls of a function of another file that a call is: one, or where its arguments are known by those of the
    /// function around it, and the file of the function is known, one a call of that.
    fn foreign_call(&self, call: &Call, callers: &Callers<'_>) -> Vec<ForeignCall> {
        let ast = ast::read(&call.green);
        let Some((path, callee, args)) = self.imported_callee(call, &ast) else {
            return Vec::new();
        };
        let context = callers.context;
        // The function itself, wherever it is imported from; or one of the module, which a decorator may hide.
        let target = || {
            let target = match self.scopes.evaluate(call.scope, &call.green, callee, context) {
                Constant::Function(it) => Some((it.home.file.clone(), Box::from(&*it.home.path))),
                _ => function_of_module(&path, context),
            };
            target.filter(|it| !it.0.is_empty())
        };
        let with = |target: Option<(Arc<str>, Box<str>)>, arguments: Arguments| ForeignCall {
            path: path.clone().into(),
            target,
            arguments,
        };
        if let Some(arguments) = self.arguments(&ast, args, call, context) {
            return vec![with(target(), arguments)];
        }
        // Where nothing is known of the call, the file of the function is not looked for.
        let Some(target) = callers.has_instances(call).then(target).flatten() else {
            return Vec::new();
        };
        match callers.given(call, false, |context| self.arguments(&ast, args, call, context)) {
            Given::Once(it) => vec![with(Some(target), it)],
            Given::Each { called, tested } => {
                called.into_iter().chain(tested).map(|it| with(Some(target.clone()), it)).collect()
            }
        }
    }

    /// The dotted path of the imported function that a call is of, the callee, and the arguments; none without
    /// arguments, as such a factory has one instance, and none of TVM, which has no factories of ours.
    fn imported_callee(&self, call: &Call, ast: &Ast<'_>) -> Option<(String, Ex, Run)> {
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
        if args.is_empty() || module.split('.').next() == Some("tvm") {
            return None;
        }
        let path = [&**module].into_iter().chain(rest).collect::<Vec<_>>().join(".");
        Some((path, callee, args))
    }
}

#[cfg(test)]
mod tests {
    use crate::tvmscript::{Context, Request, functions};

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
        let text = "def matmul(M, K=2, *, dtype=\"float16\"):\n    @T.prim_func\n    def main():\n        pass\n";
        let own = functions(&syntax::parse(text));
        let requests =
            [Request::parse("matmul(1, 2)").unwrap(), Request::parse("matmul(K=1)").unwrap()];
        let made = own.instances_of_calls(&own.factories(Context::default()), &requests);
        let shown: Vec<String> = made.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [r#"matmul(M=1, K=2, dtype="float16")"#]);
    }
}
