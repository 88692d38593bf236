//! Bindings of the Python around the functions: every statement and expression that gives a name a value.
//!
//! Values are read of plain assignments, imports, functions and classes only. A name that is bound in any other way (a
//! loop, a parameter, `with … as`, `except … as`, `:=`, `del`, `global`, a pattern, `from m import *`) exists and has
//! an unknown value.

use syntax::{Green, SyntaxKind as K, SyntaxNode, TextSize};

use super::{Definition, Finder, MODULE, NOT_READ, ScopeId, name_of, scopes::Change};
use crate::tvmscript::staging::{Kind, only_reads};

/// Methods that leave a list or dictionary as it is.
const READING_METHODS: [&str; 10] = [
    "copy",
    "count",
    "index",
    "get",
    "keys",
    "values",
    "items",
    "union",
    "intersection",
    "difference",
];

/// The arms of an `if` that bind a name.
pub(super) struct BoundInArms {
    /// Where the `if` begins.
    start: TextSize,
    /// The assignment in each, by its number.
    arms: Vec<(u32, Green)>,
}

/// The bytes of an `if` whose arms are told apart.
const MOST_CHOSEN: usize = 4096;

/// A name that has no value that is read.
const UNREAD: Definition = Definition::Other(NOT_READ);

impl Finder<'_> {
    /// Adds the bindings of `node` itself; the statements below it add theirs.
    pub(super) fn bindings(&mut self, node: &SyntaxNode, scope: ScopeId) {
        match node.kind() {
            K::ASSIGN_STMT | K::ANN_ASSIGN_STMT => {
                for target in targets(node) {
                    self.assigned(node, &target, scope);
                }
            }
            K::AUG_ASSIGN_STMT | K::FOR_STMT => {
                for target in targets(node) {
                    self.unknown_targets(&target, scope, Definition::Stepped);
                }
            }
            K::CASE_CLAUSE | K::DEL_STMT | K::WITH_ITEM => {
                for target in targets(node) {
                    self.unknown_targets(&target, scope, UNREAD);
                }
            }
            K::EXCEPT_CLAUSE | K::TYPE_ALIAS_STMT => self.unknown_names(node, scope, UNREAD),
            K::GLOBAL_STMT => {
                self.unknown_names(node, scope, Definition::Elsewhere);
                self.unknown_names(node, MODULE, Definition::Elsewhere);
            }
            K::NONLOCAL_STMT => {
                let mut at = Some(scope);
                while let Some(id) = at.filter(|&it| it != MODULE) {
                    self.unknown_names(node, id, Definition::Elsewhere);
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
                K::WALRUS_EXPR => self.unknown_names(&node, scope, UNREAD),
                K::CALL_EXPR => {
                    self.called(&node, scope);
                    let callee = node.first_child().filter(|it| it.kind() == K::ATTRIBUTE_EXPR);
                    let method = callee.as_ref().and_then(SyntaxNode::last_child);
                    let reads = |it: SyntaxNode| READING_METHODS.contains(&it.text().as_str());
                    if let Some(callee) = callee
                        && !method.is_some_and(reads)
                    {
                        self.changed(&callee, scope, Change::Method);
                    }
                    self.passed(&node, scope);
                }
                K::ASSIGN_STMT | K::ANN_ASSIGN_STMT => {
                    let (target, value) = (node.first_child(), node.last_child());
                    match (target, value) {
                        (Some(target), Some(value))
                            if target.kind() == K::NAME_EXPR
                                && value.kind() == K::NAME_EXPR
                                && node.children().nth(2).is_none() =>
                        {
                            let names = (value.text().into(), target.text().into());
                            self.aliases.push((scope, names));
                        }
                        (_, Some(value)) => self.escapes(&value, scope),
                        _ => {}
                    }
                }
                K::TUPLE_EXPR | K::LIST_EXPR | K::SET_EXPR | K::DICT_ITEM
                    if !is_target_or_result(&node) =>
                {
                    for item in node.children() {
                        self.escapes(&item, scope);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes the names that a call passes on: a function that is not known may change what they stand for.
    fn passed(&mut self, call: &SyntaxNode, scope: ScopeId) {
        let Some(args) = call.children().find(|it| it.kind() == K::ARG_LIST) else { return };
        let names = args.children().filter_map(|it| it.last_child());
        let mut names = names.filter(|it| it.kind() == K::NAME_EXPR).peekable();
        if names.peek().is_none() || call.first_child().is_some_and(|it| self.reads(&it, scope)) {
            return;
        }
        for name in names {
            self.changes.push((scope, name.text().into(), Change::Escape));
        }
    }

    /// Returns true if a function is one of those that leave what they are given as it is.
    fn reads(&self, callee: &SyntaxNode, scope: ScopeId) -> bool {
        let mut head = callee.clone();
        while head.kind() == K::ATTRIBUTE_EXPR {
            let Some(base) = head.first_child() else { return false };
            head = base;
        }
        if head.kind() != K::NAME_EXPR {
            return false;
        }
        let name = head.text();
        let is_builtin = match crate::tvmscript::environment::predefined(&name) {
            Some(crate::tvmscript::Capture::Path(path)) => only_reads(&path),
            _ => false,
        };
        is_builtin || only_reads(&self.module_path(scope, &name))
    }

    /// Notes that another object or name has what a name stands for.
    fn escapes(&mut self, value: &SyntaxNode, scope: ScopeId) {
        if value.kind() == K::NAME_EXPR {
            self.changes.push((scope, value.text().into(), Change::Escape));
        }
    }

    fn assigned(&mut self, statement: &SyntaxNode, target: &SyntaxNode, scope: ScopeId) {
        match target.kind() {
            K::NAME_EXPR => {
                let (green, in_loop) = (Green::of(statement), is_in_loop(statement));
                let name = target.text();
                if is_default(statement, &name) && self.default(scope, &name, &green) {
                    return;
                }
                if !in_loop && self.bound_in_arms(statement, &name, scope, &green) {
                    return;
                }
                self.define(scope, &name, Definition::Statement { green, in_loop });
            }
            K::TUPLE_EXPR | K::LIST_EXPR | K::PAREN_EXPR | K::STAR_EXPR => {
                for part in target.children() {
                    self.assigned(statement, &part, scope);
                }
            }
            _ => self.unknown_targets(target, scope, UNREAD),
        }
    }

    /// Makes a name known that arms of one `if` bind, each once; false if this is the first of them, or if it is bound
    /// in another way as well.
    fn bound_in_arms(
        &mut self,
        statement: &SyntaxNode,
        name: &str,
        scope: ScopeId,
        green: &Green,
    ) -> bool {
        let Some((chosen, arm)) = arm_of(statement) else { return false };
        let start = chosen.text_range().start();
        let names = &mut self.scopes[scope.0 as usize].names;
        let key = (scope, Box::from(name));
        let Some(old) = names.get_mut(name) else {
            self.arms.insert(key, BoundInArms { start, arms: vec![(arm, green.clone())] });
            return false;
        };
        let Some(known) = self.arms.get_mut(&key).filter(|it| it.start == start) else {
            return false;
        };
        let is_of_arms = matches!(old, Definition::Statement { .. } | Definition::Arms { .. });
        let is_new = known.arms.iter().all(|it| it.0 != arm);
        if !is_of_arms || !is_new || usize::from(chosen.text_range().len()) > MOST_CHOSEN {
            return false;
        }
        known.arms.push((arm, green.clone()));
        *old = Definition::Arms { tree: Green::of(&chosen), arms: known.arms.clone() };
        true
    }

    /// Makes the value known that a parameter gets in place of `None`; false if more than a call binds the name.
    fn default(&mut self, scope: ScopeId, name: &str, assignment: &Green) -> bool {
        let known = self.scopes[scope.0 as usize].names.get_mut(name);
        let Some(known @ Definition::Parameter { .. }) = known else { return false };
        let parameter = std::mem::replace(known, Definition::ModuleClass);
        *known = Definition::Default(Box::new(parameter), assignment.clone());
        true
    }

    /// The names in a target, and the object of which a part is assigned.
    fn unknown_targets(&mut self, target: &SyntaxNode, scope: ScopeId, how: Definition) {
        match target.kind() {
            K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR => self.changed(target, scope, Change::Part),
            K::NAME_EXPR => self.define(scope, &target.text(), how),
            _ => {
                for node in target.descendants() {
                    match node.kind() {
                        K::NAME_EXPR | K::NAME => {
                            self.define(scope, &node.text(), how.clone());
                        }
                        K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR => {
                            self.changed(&node, scope, Change::Part)
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn unknown_names(&mut self, node: &SyntaxNode, scope: ScopeId, how: Definition) {
        for name in node.children().filter(|it| it.kind() == K::NAME) {
            self.define(scope, &name.text(), how.clone());
        }
    }

    /// Notes that the object is changed that the name at the head of `a.b[c]` stands for.
    fn changed(&mut self, part: &SyntaxNode, scope: ScopeId, change: Change) {
        let mut at = part.clone();
        while matches!(at.kind(), K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR) {
            let Some(base) = at.first_child() else { return };
            at = base;
        }
        if at.kind() == K::NAME_EXPR {
            self.changes.push((scope, at.text().into(), change));
        }
    }

    /// Tells each scope which of its names are changed: also through another name for the same object.
    pub(super) fn changes(&mut self) {
        /// A longer chain of names for one object is one that may be changed.
        const MAX_PASSES: usize = 8;
        self.direct_changes();
        let aliases = std::mem::take(&mut self.aliases);
        for pass in 0..=MAX_PASSES {
            let mut is_done = true;
            for (scope, (object, alias)) in aliases.iter().rev() {
                let names = &self.scopes[scope.0 as usize];
                // Of an object of another scope, or by a name that has other values as well, nothing is known.
                let is_single = matches!(
                    names.names.get(alias),
                    Some(Definition::Statement { in_loop: false, .. })
                );
                let change = match names.changed.get(alias) {
                    Some(&change) => change,
                    None if is_single && pass < MAX_PASSES => continue,
                    None => Change::Escape,
                };
                if names.changed.get(object).is_none_or(|it| *it < change) {
                    self.changes.push((*scope, object.clone(), change));
                    is_done = false;
                }
            }
            self.direct_changes();
            if is_done || pass == MAX_PASSES {
                break;
            }
        }
    }

    fn direct_changes(&mut self) {
        for (scope, name, change) in std::mem::take(&mut self.changes) {
            let mut at = Some(scope);
            while let Some(id) = at {
                let scope = &mut self.scopes[id.0 as usize];
                if scope.names.contains_key(&name) {
                    let known = scope.changed.entry(name).or_default();
                    *known = (*known).max(change);
                    break;
                }
                at = scope.parent;
            }
        }
    }

    /// `from m import *` may bind every name anew.
    pub(super) fn star_import(&mut self, scope: ScopeId, module: &str) {
        let scope = &mut self.scopes[scope.0 as usize];
        scope.stars.push(module.into());
        // Each alone, so in any order.
        scope.names.values_mut().for_each(|it| {
            if let Definition::Statement { .. }
            | Definition::Arms { .. }
            | Definition::Python(_)
            | Definition::Class(_) = it
            {
                let before = std::mem::replace(it, Definition::ModuleClass);
                *it = Definition::BeforeStar(Box::new(before));
            }
        });
    }
}

/// Returns true if an assignment stands alone in `if NAME is None:`, which a function has at its top level, without an
/// `else`, and its value does not read the name.
fn is_default(statement: &SyntaxNode, name: &str) -> bool {
    let Some(block) = statement.parent().filter(|it| it.kind() == K::BLOCK) else { return false };
    let Some(branch) = block.parent().filter(|it| it.kind() == K::IF_STMT) else { return false };
    let body = branch.parent().filter(|it| it.kind() == K::BLOCK);
    let is_top = body.and_then(|it| it.parent()).is_some_and(|it| it.kind() == K::FUNCTION_DEF);
    let parts: Vec<SyntaxNode> = branch.children().collect();
    let [condition, only] = &parts[..] else { return false };
    let condition = condition.text();
    let words: Vec<&str> = condition.split_whitespace().collect();
    let reads = statement.descendants().filter(|it| it.kind() == K::NAME_EXPR && it.text() == name);
    is_top && *only == block && words == [name, "is", "None"] && reads.count() == 1
}

/// The targets of a statement or clause that gives something a value, or takes it away, in their order.
pub(crate) fn targets(node: &SyntaxNode) -> Vec<SyntaxNode> {
    let mut children: Vec<SyntaxNode> = node.children().collect();
    match node.kind() {
        // The last is the value.
        K::ASSIGN_STMT => children.truncate(children.len().saturating_sub(1)),
        K::ANN_ASSIGN_STMT | K::AUG_ASSIGN_STMT | K::FOR_STMT | K::CASE_CLAUSE => {
            children.truncate(1);
        }
        K::WITH_ITEM => children = children.into_iter().skip(1).take(1).collect(),
        K::DEL_STMT => {}
        _ => children.clear(),
    }
    children
}

/// Returns true if an import is `from m import *`.
pub(super) fn has_star(node: &SyntaxNode) -> bool {
    node.children_with_tokens().any(|it| it.kind() == K::STAR)
}

/// Returns true if a tuple takes a value apart, or is what a function returns.
fn is_target_or_result(tuple: &SyntaxNode) -> bool {
    tuple.parent().is_some_and(|it| match it.kind() {
        K::ASSIGN_STMT => it.last_child().is_some_and(|it| it.text_range() != tuple.text_range()),
        K::FOR_STMT | K::COMP_FOR => {
            it.first_child().is_some_and(|it| it.text_range() == tuple.text_range())
        }
        K::RETURN_STMT => true,
        _ => false,
    })
}

/// Returns true if a statement may be executed more than once in one execution of what it is a part of.
/// The `if` of which a statement stands in an arm, and the number of the arm.
fn arm_of(statement: &SyntaxNode) -> Option<(SyntaxNode, u32)> {
    let block = statement.parent().filter(|it| it.kind() == K::BLOCK)?;
    let around = block.parent()?;
    match around.kind() {
        K::IF_STMT => Some((around, 0)),
        K::ELIF_CLAUSE | K::ELSE_CLAUSE => {
            let chosen = around.parent().filter(|it| it.kind() == K::IF_STMT)?;
            let is_clause = |it: &SyntaxNode| matches!(it.kind(), K::ELIF_CLAUSE | K::ELSE_CLAUSE);
            let number = chosen.children().filter(is_clause).position(|it| it == around)?;
            Some((chosen, u32::try_from(number + 1).ok()?))
        }
        _ => None,
    }
}

fn is_in_loop(statement: &SyntaxNode) -> bool {
    let around = statement
        .ancestors()
        .take_while(|it| !matches!(it.kind(), K::FUNCTION_DEF | K::CLASS_DEF | K::SOURCE_FILE));
    around.into_iter().any(|it| matches!(it.kind(), K::FOR_STMT | K::WHILE_STMT))
}

/// The parameters of a function, types included. Those that collect the remaining arguments have no value of their own.
pub(super) fn parameters(node: &SyntaxNode) -> Vec<(String, Definition)> {
    let lists =
        node.children().filter(|it| matches!(it.kind(), K::PARAM_LIST | K::TYPE_PARAM_LIST));
    let all = lists.flat_map(|list| list.children().collect::<Vec<_>>());
    let mut found: Vec<_> = all.map(|it| (name_of(&it), parameter(&it))).collect();
    found.retain(|it| !it.0.is_empty());
    found
}

fn parameter(node: &SyntaxNode) -> Definition {
    /// No longer annotation is shown.
    const LONGEST: usize = 40;
    let mut after_colon = false;
    let annotation = node.children_with_tokens().find_map(|it| match it.kind() {
        K::COLON => {
            after_colon = true;
            None
        }
        K::EQ => {
            after_colon = false;
            None
        }
        _ => it.as_node().filter(|_| after_colon).map(|it| it.text()),
    });
    let annotation = annotation.unwrap_or_default();
    let kind = match annotation.as_str() {
        _ if is_starred(node) => Kind::Any,
        "int" => Kind::Int,
        "float" => Kind::Float,
        "bool" => Kind::Bool,
        "str" => Kind::Str,
        _ => Kind::Any,
    };
    let is_short = annotation.len() <= LONGEST && !annotation.contains('\n');
    let annotation = if is_short { annotation } else { String::new() };
    Definition::Parameter { kind, annotation: annotation.into() }
}

/// Returns true if a parameter collects the remaining arguments.
pub(super) fn is_starred(parameter: &SyntaxNode) -> bool {
    parameter.children_with_tokens().any(|it| matches!(it.kind(), K::STAR | K::STAR2))
}
