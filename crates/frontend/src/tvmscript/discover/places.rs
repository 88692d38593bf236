//! Where a name of Python is bound: the statement, parameter, definition or import that a person is led to from a use.
//!
//! Told from the trees alone, as the tables of scopes have no places: a body can be edited without touching them. Every
//! binding of the innermost scope that has the name is an answer, also where no value is read of it. Imports are
//! followed through the files of the workspace; one that leads out of it stands for itself. O(tokens of the files).

use std::{cell::Cell, sync::Arc};

use syntax::{SyntaxKind as K, SyntaxNode, SyntaxToken, TextRange, TextSize, WalkEvent};

use super::{Context, bindings::has_star, callees::words, from_module, import_paths, name_node};

/// Imports that are followed for one name.
const MAX_IMPORTS: usize = 32;

/// Further places of one name are left out.
const MAX_PLACES: usize = 16;

/// A place that binds a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamePlace {
    /// The number of its file; empty for the file itself.
    pub file: Arc<str>,
    /// The name there; empty at the start of a file that is what the name means.
    pub range: TextRange,
}

/// A binding of a name in one scope.
struct Bound {
    range: TextRange,
    how: How,
}

enum How {
    /// By an import of these words: `a.b.name`.
    Import(String),
    Class(SyntaxNode),
    /// As a parameter of the function.
    Parameter,
    /// As the name of a function that has decorators.
    Decorated,
    Other,
}

/// Returns the places that bind the name at an offset of a file, in the order of the text. `tree` gives the trees of
/// other files by their numbers.
pub fn name_places(
    root: &SyntaxNode,
    offset: TextSize,
    context: Context<'_>,
    tree: &dyn Fn(&str) -> Option<SyntaxNode>,
) -> Vec<NamePlace> {
    let token = root.token_at_offset(offset).find(|it| it.kind() == K::IDENT);
    let finder = Finder { root, context, tree, n_imports: Cell::new(0) };
    let mut places = token.map_or_else(Vec::new, |it| finder.of_token(&it));
    places.truncate(MAX_PLACES);
    places
}

struct Finder<'a> {
    root: &'a SyntaxNode,
    context: Context<'a>,
    tree: &'a dyn Fn(&str) -> Option<SyntaxNode>,
    n_imports: Cell<usize>,
}

impl Finder<'_> {
    fn of_token(&self, token: &SyntaxToken) -> Vec<NamePlace> {
        let mut around = token.ancestors();
        let (Some(name), Some(expr)) = (around.next(), around.next()) else { return Vec::new() };
        match (name.kind(), expr.kind()) {
            (K::NAME, K::FUNCTION_DEF) => vec![place("", name.text_range())],
            (K::NAME_REF, K::NAME_EXPR | K::ATTRIBUTE_EXPR) => {
                let Some((words, _)) = words(&expr) else { return Vec::new() };
                let words: Vec<&str> = words.iter().map(|it| &**it).collect();
                match words.split_first() {
                    Some((head, rest)) => self.used(&expr, head, rest),
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// The places of a name that is used in an expression, and of what is read of it.
    fn used(&self, expr: &SyntaxNode, head: &str, rest: &[&str]) -> Vec<NamePlace> {
        let mut n_functions = 0;
        let mut inner = expr.clone();
        while let Some(scope) = inner.parent() {
            let is_inside = match scope.kind() {
                // Decorators, types and defaults are read outside.
                K::FUNCTION_DEF | K::CLASS_DEF => inner.kind() == K::BLOCK,
                K::LAMBDA_EXPR => inner.kind() != K::LAMBDA_PARAMS,
                K::LIST_COMP | K::SET_COMP | K::DICT_COMP | K::GENERATOR_EXPR | K::SOURCE_FILE => {
                    true
                }
                _ => false,
            };
            let is_class = scope.kind() == K::CLASS_DEF;
            if is_inside && is_class && head == "cls" && n_functions > 0 {
                return match rest {
                    [] => name_node(&scope).map(|it| place("", it.text_range())).into_iter(),
                    [name] => return places("", bound_in(&scope, name)),
                    _ => None.into_iter(),
                }
                .collect();
            }
            if is_inside {
                let mut bound = bound_in(&scope, head);
                if is_class && n_functions > 0 {
                    // Only what TVM makes of a class has a name in its functions, and only there.
                    bound.retain(|it| n_functions == 1 && matches!(it.how, How::Decorated));
                }
                if n_functions == 0 && !matches!(scope.kind(), K::SOURCE_FILE | K::CLASS_DEF) {
                    // The statements of a kernel stand in the order of their execution.
                    let start = expr.text_range().start();
                    if let Some(last) = bound.iter().rposition(|it| it.range.start() < start) {
                        bound = bound.into_iter().skip(last).take(1).collect();
                    }
                }
                if !bound.is_empty() {
                    return self.resolved("", bound, rest);
                }
                n_functions += usize::from(matches!(scope.kind(), K::FUNCTION_DEF));
            }
            inner = scope;
        }
        self.through_stars("", self.root, head, rest)
    }

    /// The places of what is read of a name with some bindings.
    fn resolved(&self, file: &str, bound: Vec<Bound>, rest: &[&str]) -> Vec<NamePlace> {
        let mut found = Vec::new();
        for it in bound {
            match (it.how, rest) {
                (How::Import(path), _) => {
                    let path: Vec<&str> =
                        [&*path].into_iter().chain(rest.iter().copied()).collect();
                    let there = self.imported(file, &path.join("."));
                    if there.is_empty() && rest.is_empty() {
                        found.push(place(file, it.range));
                    }
                    found.extend(there);
                }
                (How::Class(class), [name]) => found.extend(places(file, bound_in(&class, name))),
                (_, []) => found.push(place(file, it.range)),
                _ => {}
            }
        }
        found.dedup();
        found
    }

    /// The places of what the words of an import in a file mean.
    fn imported(&self, from: &str, path: &str) -> Vec<NamePlace> {
        for (end, _) in path.match_indices('.').rev() {
            // In `.f`, the dots are the module.
            let is_dots = path[..end].bytes().all(|it| it == b'.');
            let module = if is_dots { &path[..=end] } else { &path[..end] };
            let words: Vec<&str> = path[end + 1..].split('.').collect();
            let found = self.in_module(from, module, &words);
            if !found.is_empty() {
                return found;
            }
        }
        // A module itself.
        match self.context.modules.module(from, path) {
            Some(number) if !number.is_empty() && !number.ends_with('/') => {
                vec![place(&number, TextRange::empty(0.into()))]
            }
            _ => Vec::new(),
        }
    }

    /// The places of a dotted name in a module that a file imports.
    fn in_module(&self, from: &str, module: &str, words: &[&str]) -> Vec<NamePlace> {
        let Some((head, rest)) = words.split_first() else { return Vec::new() };
        let Some(number) = self.context.modules.module(from, module) else { return Vec::new() };
        if self.n_imports.replace(self.n_imports.get() + 1) >= MAX_IMPORTS {
            return Vec::new();
        }
        let root = match &*number {
            "" => Some(self.root.clone()),
            number => (self.tree)(number),
        };
        let Some(root) = root else { return Vec::new() };
        let bound = bound_in(&root, head);
        match bound.is_empty() {
            true => self.through_stars(&number, &root, head, rest),
            false => self.resolved(&number, bound, rest),
        }
    }

    /// The places of a name that only `from m import *` of a file can bind: the last one that does.
    fn through_stars(
        &self,
        file: &str,
        root: &SyntaxNode,
        head: &str,
        rest: &[&str],
    ) -> Vec<NamePlace> {
        let words: Vec<&str> = [head].into_iter().chain(rest.iter().copied()).collect();
        let stars: Vec<String> = own_nodes(root)
            .filter(|it| it.kind() == K::FROM_IMPORT_STMT && has_star(it))
            .map(|it| from_module(&it))
            .collect();
        let places = |module: &String| Some(self.in_module(file, module, &words));
        stars.iter().rev().filter_map(places).find(|it| !it.is_empty()).unwrap_or_default()
    }
}

fn place(file: &str, range: TextRange) -> NamePlace {
    NamePlace { file: file.into(), range }
}

fn places(file: &str, bound: Vec<Bound>) -> Vec<NamePlace> {
    bound.into_iter().map(|it| place(file, it.range)).collect()
}

/// The nodes of a scope, without those of scopes inside; a function or class inside is a node of it.
fn own_nodes(scope: &SyntaxNode) -> impl Iterator<Item = SyntaxNode> {
    let mut walk = scope.preorder();
    let scope = scope.clone();
    std::iter::from_fn(move || {
        loop {
            let WalkEvent::Enter(node) = walk.next()? else { continue };
            let has_scope = matches!(
                node.kind(),
                K::FUNCTION_DEF
                    | K::CLASS_DEF
                    | K::LAMBDA_EXPR
                    | K::LIST_COMP
                    | K::SET_COMP
                    | K::DICT_COMP
                    | K::GENERATOR_EXPR
            );
            if has_scope && node != scope {
                walk.skip_subtree();
            }
            return Some(node);
        }
    })
}

/// The bindings of a name in a scope itself, in the order of the text.
fn bound_in(scope: &SyntaxNode, name: &str) -> Vec<Bound> {
    let mut found = Vec::new();
    for node in own_nodes(scope).filter(|it| it != scope) {
        let mut add = |range, how| found.push(Bound { range, how });
        match node.kind() {
            K::FUNCTION_DEF | K::CLASS_DEF => {
                if let Some(it) = name_node(&node).filter(|it| it.text() == name) {
                    let is_decorated = node.children().any(|it| it.kind() == K::DECORATOR);
                    let how = match node.kind() {
                        K::CLASS_DEF => How::Class(node.clone()),
                        _ if is_decorated => How::Decorated,
                        _ => How::Other,
                    };
                    add(it.text_range(), how);
                }
            }
            K::PARAM => {
                let its = name_node(&node).filter(|it| it.text() == name);
                its.into_iter().for_each(|it| add(it.text_range(), How::Parameter));
            }
            K::IMPORT_STMT | K::FROM_IMPORT_STMT => {
                for it in import_paths(&node).into_iter().filter(|it| it.name == name) {
                    add(it.range, How::Import(it.path));
                }
            }
            K::EXCEPT_CLAUSE | K::TYPE_ALIAS_STMT | K::WALRUS_EXPR => {
                let mut names = node.children().filter(|it| it.kind() == K::NAME);
                let its = names.find(|it| it.text() == name);
                its.into_iter().for_each(|it| add(it.text_range(), How::Other));
            }
            kind => {
                let n_targets = match kind {
                    // The last is the value.
                    K::ASSIGN_STMT => node.children().count().saturating_sub(1),
                    K::ANN_ASSIGN_STMT | K::FOR_STMT | K::COMP_FOR | K::CASE_CLAUSE => 1,
                    K::WITH_ITEM => 2,
                    _ => 0,
                };
                let targets =
                    node.children().take(n_targets).skip(usize::from(kind == K::WITH_ITEM));
                for it in targets.flat_map(|it| targets_of(&it, name)) {
                    add(it, How::Other);
                }
            }
        }
    }
    // What a parameter is set to where it was not given is no other definition.
    match found.iter().position(|it| matches!(it.how, How::Parameter)) {
        Some(at) => vec![found.swap_remove(at)],
        None => found,
    }
}

/// The mentions of a name in a target that give it a value.
fn targets_of(target: &SyntaxNode, name: &str) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut walk = target.preorder();
    while let Some(event) = walk.next() {
        let WalkEvent::Enter(node) = event else { continue };
        match node.kind() {
            // A part of an object is assigned.
            K::SUBSCRIPT_EXPR | K::ATTRIBUTE_EXPR => walk.skip_subtree(),
            K::NAME_EXPR | K::NAME if node.text() == name => {
                found.push(node.text_range());
                walk.skip_subtree();
            }
            _ => {}
        }
    }
    found
}
