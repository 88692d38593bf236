//! Eager kernels of TileLang: functions under `@tilelang.jit` whose body launches threads itself.
//!
//! Such a function is its own factory: what its parameters are is told by its body and by the calls of it. Its scope is
//! that of its parameters, so that instances give them values; the sizes that `T.const("M, N")` declares are parameters
//! too, which a call gives by name.

use syntax::{SyntaxKind as K, SyntaxNode, WalkEvent};

use super::{Definition, Finder, FunctionKind, ScopeId};
use crate::tvmscript::{
    environment::Namespace,
    staging::Kind,
    vocabulary::{self, Decorated},
};

impl Finder<'_> {
    /// Returns true if a function is a kernel that `@tilelang.jit` compiles: it launches threads, and defines no
    /// kernel.
    pub(super) fn is_eager(&self, node: &SyntaxNode, inner: ScopeId, paths: &[String]) -> bool {
        paths.iter().any(|it| vocabulary::is_jit(it))
            && own_calls(node).any(|call| {
                matches!(
                    self.member_called(&call, inner).as_deref(),
                    Some("Kernel" | "ClusterKernel")
                )
            })
    }

    /// Adds an eager kernel.
    pub(super) fn eager(&mut self, node: &SyntaxNode, inner: ScopeId) {
        for call in own_calls(node) {
            if self.member_called(&call, inner).as_deref() != Some("const") {
                continue;
            }
            for name in names_of_const(&call) {
                let definition =
                    Definition::Parameter { kind: Kind::default(), annotation: "a size".into() };
                self.scopes[inner.0 as usize].sizes.push(name.clone());
                self.define(inner, &name, definition);
            }
        }
        let namespace = Some(Namespace::TileLang);
        self.add(node, inner, Decorated { kind: FunctionKind::PrimFunc, namespace }, true);
    }

    /// The member of TileLang's language that a call is of.
    fn member_called(&self, call: &SyntaxNode, scope: ScopeId) -> Option<String> {
        let path = self.dotted_path(&call.first_child()?, scope)?;
        let (module, name) = path.rsplit_once('.')?;
        vocabulary::is_tilelang(module).then(|| name.to_owned())
    }
}

/// The calls in the body of a function, outside of the functions in it, in text order.
fn own_calls(node: &SyntaxNode) -> impl Iterator<Item = SyntaxNode> {
    let body = node.children().find(|it| it.kind() == K::BLOCK);
    let mut found = Vec::new();
    if let Some(body) = body {
        let mut walk = body.preorder();
        while let Some(event) = walk.next() {
            let WalkEvent::Enter(at) = event else { continue };
            match at.kind() {
                K::FUNCTION_DEF | K::CLASS_DEF => walk.skip_subtree(),
                K::CALL_EXPR => found.push(at),
                _ => {}
            }
        }
    }
    found.into_iter()
}

/// The names in `T.const("M, N K")`.
fn names_of_const(call: &SyntaxNode) -> Vec<Box<str>> {
    let text = call.text();
    let mut quoted = text.split(['"', '\'']);
    let names = quoted.nth(1).unwrap_or_default();
    let is_name = |it: &&str| !it.is_empty();
    names.split([',', ' ']).map(str::trim).filter(is_name).map(Into::into).collect()
}
