//! Bindings of the Python around the functions: every statement and expression that gives a name a value.
//!
//! Values are read of plain assignments, imports, functions and classes only. A name that is bound in any other way (a
//! loop, a parameter, `with … as`, `except … as`, `:=`, `del`, `global`, a pattern, `from m import *`) exists and has
//! an unknown value.

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{Definition, Finder, MODULE, ScopeId, name_of};

/// Methods that leave a list as it is.
const READING_METHODS: [&str; 3] = ["copy", "count", "index"];

impl Finder<'_> {
    /// Adds the bindings of `node` itself; the statements below it add theirs.
    pub(super) fn bindings(&mut self, node: &SyntaxNode, scope: ScopeId) {
        match node.kind() {
            K::ASSIGN_STMT => {
                let children: Vec<SyntaxNode> = node.children().collect();
                // The last is the value.
                for target in children.iter().rev().skip(1).rev() {
                    self.assigned(node, target, scope);
                }
            }
            K::ANN_ASSIGN_STMT => {
                if let Some(target) = node.first_child() {
                    self.assigned(node, &target, scope);
                }
            }
            K::AUG_ASSIGN_STMT | K::FOR_STMT | K::CASE_CLAUSE => {
                if let Some(target) = node.first_child() {
                    self.unknown_targets(&target, scope);
                }
            }
            K::DEL_STMT => {
                for target in node.children() {
                    self.unknown_targets(&target, scope);
                }
            }
            K::WITH_ITEM => {
                if let Some(target) = node.children().nth(1) {
                    self.unknown_targets(&target, scope);
                }
            }
            K::EXCEPT_CLAUSE | K::TYPE_ALIAS_STMT => self.unknown_names(node, scope),
            K::GLOBAL_STMT => {
                self.unknown_names(node, scope);
                self.unknown_names(node, MODULE);
            }
            K::NONLOCAL_STMT => {
                let mut at = Some(scope);
                while let Some(id) = at.filter(|&it| it != MODULE) {
                    self.unknown_names(node, id);
                    at = self.scopes[id.0 as usize].parent;
                }
            }
            _ => {}
        }
    }

    /// Collects the names that expressions bind and change, wherever in a statement they stand.
    pub(super) fn in_expressions(&mut self, node: &SyntaxNode, scope: ScopeId) {
        for node in node.descendants() {
            match node.kind() {
                K::WALRUS_EXPR => self.unknown_names(&node, scope),
                K::CALL_EXPR => {
                    self.called(&node, scope);
                    let callee = node.first_child().filter(|it| it.kind() == K::ATTRIBUTE_EXPR);
                    let method = callee.as_ref().and_then(SyntaxNode::last_child);
                    let reads = |it: SyntaxNode| READING_METHODS.contains(&it.text().as_str());
                    if let Some(callee) = callee
                        && !method.is_some_and(reads)
                    {
                        self.changed(&callee, scope);
                    }
                }
                _ => {}
            }
        }
    }

    fn assigned(&mut self, statement: &SyntaxNode, target: &SyntaxNode, scope: ScopeId) {
        match target.kind() {
            K::NAME_EXPR => {
                let green = Green::of(statement);
                self.define(scope, &target.text(), Definition::Statement(green));
            }
            _ => self.unknown_targets(target, scope),
        }
    }

    /// The names in a target, and the object of which a part is assigned.
    fn unknown_targets(&mut self, target: &SyntaxNode, scope: ScopeId) {
        match target.kind() {
            K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR => self.changed(target, scope),
            K::NAME_EXPR => self.define(scope, &target.text(), Definition::Other),
            _ => {
                for node in target.descendants() {
                    match node.kind() {
                        K::NAME_EXPR | K::NAME => {
                            self.define(scope, &node.text(), Definition::Other);
                        }
                        K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR => self.changed(&node, scope),
                        _ => {}
                    }
                }
            }
        }
    }

    fn unknown_names(&mut self, node: &SyntaxNode, scope: ScopeId) {
        for name in node.children().filter(|it| it.kind() == K::NAME) {
            self.define(scope, &name.text(), Definition::Other);
        }
    }

    /// Notes that the object is changed that the name at the head of `a.b[c]` stands for.
    fn changed(&mut self, part: &SyntaxNode, scope: ScopeId) {
        let mut at = part.clone();
        while matches!(at.kind(), K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR) {
            let Some(base) = at.first_child() else { return };
            at = base;
        }
        if at.kind() == K::NAME_EXPR {
            self.changes.push((scope, at.text().into()));
        }
    }

    /// Tells each scope which of its names are changed.
    pub(super) fn changes(&mut self) {
        for (scope, name) in std::mem::take(&mut self.changes) {
            let mut at = Some(scope);
            while let Some(id) = at {
                let scope = &mut self.scopes[id.0 as usize];
                if scope.names.contains_key(&name) {
                    scope.changed.insert(name);
                    break;
                }
                at = scope.parent;
            }
        }
    }

    /// `from m import *` may bind every name anew.
    pub(super) fn star_import(&mut self, scope: ScopeId) {
        let scope = &mut self.scopes[scope.0 as usize];
        scope.has_star = true;
        // Each alone, so in any order.
        scope.names.values_mut().for_each(|it| {
            if let Definition::Statement(_) = it {
                *it = Definition::Other;
            }
        });
    }
}

/// Returns true if an import is `from m import *`.
pub(super) fn has_star(node: &SyntaxNode) -> bool {
    node.children_with_tokens().any(|it| it.kind() == K::STAR)
}

/// The parameters of a function, types included. Those that collect the remaining arguments have no value of their own.
pub(super) fn parameters(node: &SyntaxNode) -> Vec<(String, Definition)> {
    let lists =
        node.children().filter(|it| matches!(it.kind(), K::PARAM_LIST | K::TYPE_PARAM_LIST));
    let mut found = Vec::new();
    for list in lists {
        for it in list.children() {
            let is_plain = list.kind() == K::PARAM_LIST && !is_starred(&it);
            let definition = if is_plain { Definition::Parameter } else { Definition::Other };
            found.push((name_of(&it), definition));
        }
    }
    found.retain(|it| !it.0.is_empty());
    found
}

/// Returns true if a parameter collects the remaining arguments.
pub(super) fn is_starred(parameter: &SyntaxNode) -> bool {
    parameter.children_with_tokens().any(|it| matches!(it.kind(), K::STAR | K::STAR2))
}
