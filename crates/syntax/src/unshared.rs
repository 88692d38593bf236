//! The parts of a tree that an earlier version of it does not have: after an edit, all others are the same nodes in
//! memory.
//!
//! In: a tree, and perhaps the tree before. Out: its nodes and tokens in text order, without what both have at the same
//! place. O(children of the nodes on the way to the difference, and all that is new), without recursion.

use rowan::{Children, GreenNodeData, GreenTokenData, NodeOrToken, TextSize};

/// A node or token, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Unshared<'a> {
    pub(crate) element: NodeOrToken<&'a GreenNodeData, &'a GreenTokenData>,
    pub(crate) start: TextSize,
    /// The node around it, and where that begins; none of the root.
    pub(crate) parent: Option<(&'a GreenNodeData, TextSize)>,
}

/// A node whose children are visited.
struct Level<'a, 'b> {
    node: &'a GreenNodeData,
    start: TextSize,
    children: Children<'a>,
    /// The place where the next child begins.
    offset: TextSize,
    /// Children that come next and are passed over.
    n_shared: usize,
    /// Children that come then and are visited; those behind them are shared.
    n_own: usize,
    /// The node before, in the place of the only child that is visited.
    before: Option<&'b GreenNodeData>,
}

impl<'a, 'b> Level<'a, 'b> {
    fn new(
        node: &'a GreenNodeData,
        start: TextSize,
        before: Option<&'b GreenNodeData>,
    ) -> Level<'a, 'b> {
        let children = node.children();
        let all = Level {
            node,
            start,
            n_shared: 0,
            n_own: children.len(),
            children,
            offset: start,
            before: None,
        };
        let Some(before) = before.filter(|it| it.kind() == node.kind()) else { return all };
        let (first, last) = shared_ends(before, node);
        let n_own = all.n_own - first - last;
        let is_one = n_own == 1 && before.children().len() == first + last + 1;
        let only = before.children().nth(first).filter(|_| is_one);
        Level { n_shared: first, n_own, before: only.and_then(NodeOrToken::into_node), ..all }
    }
}

/// Visits the root of a tree, and the rest of it without what `before` has too; nothing in a node for which `visit`
/// returns false.
pub(crate) fn each_unshared<'a>(
    root: &'a GreenNodeData,
    before: Option<&GreenNodeData>,
    mut visit: impl FnMut(Unshared<'a>) -> bool,
) {
    if !visit(Unshared { element: NodeOrToken::Node(root), start: 0.into(), parent: None }) {
        return;
    }
    let mut stack = vec![Level::new(root, 0.into(), before)];
    while let Some(level) = stack.last_mut() {
        interrupt::check();
        let next = if level.n_shared + level.n_own > 0 { level.children.next() } else { None };
        let Some(element) = next else {
            stack.pop();
            continue;
        };
        let start = level.offset;
        level.offset += text_len(element);
        if level.n_shared > 0 {
            level.n_shared -= 1;
            continue;
        }
        level.n_own -= 1;
        let is_entered =
            visit(Unshared { element, start, parent: Some((level.node, level.start)) });
        if let NodeOrToken::Node(node) = element
            && is_entered
        {
            let before = level.before;
            stack.push(Level::new(node, start, before));
        }
    }
}

/// How many children two nodes have in common at their beginning, and how many of the others at their end.
pub(crate) fn shared_ends(a: &GreenNodeData, b: &GreenNodeData) -> (usize, usize) {
    let fewer = a.children().len().min(b.children().len());
    let is_shared = |it: &(Element<'_>, Element<'_>)| is_same(it.0, it.1);
    let first = a.children().zip(b.children()).take_while(is_shared).count();
    let backwards = a.children().rev().zip(b.children().rev()).take(fewer - first);
    (first, backwards.take_while(is_shared).count())
}

type Element<'a> = NodeOrToken<&'a GreenNodeData, &'a GreenTokenData>;

/// Returns true if both are one node, or tokens of one kind and text.
fn is_same(a: Element<'_>, b: Element<'_>) -> bool {
    match (a, b) {
        (NodeOrToken::Node(a), NodeOrToken::Node(b)) => std::ptr::eq(a, b),
        (NodeOrToken::Token(a), NodeOrToken::Token(b)) => {
            std::ptr::eq(a, b) || (a.kind() == b.kind() && a.text() == b.text())
        }
        _ => false,
    }
}

pub(crate) fn text_len(element: Element<'_>) -> TextSize {
    match element {
        NodeOrToken::Node(node) => node.text_len(),
        NodeOrToken::Token(token) => token.text_len(),
    }
}

#[cfg(test)]
mod tests {
    use super::each_unshared;
    use crate::{
        Edit, Green, Language, TextRange, parse, parse_as, syntax_errors, syntax_errors_after,
    };

    fn n_visited(green: &Green, before: Option<&Green>) -> usize {
        let mut n = 0;
        each_unshared(green.node(), before.map(|it| &**it.node()), |_| {
            n += 1;
            true
        });
        n
    }

    #[test]
    fn only_the_edited_statement_is_visited() {
        let mut text = "@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\")):\n".to_owned();
        text.push_str(&"    A[0] = A[1] + 2\n".repeat(1_000));
        let old = parse(&text);
        let half = text.len() / 2;
        let at = half + text[half..].find("+ 2").unwrap() + 2;
        let edit = Edit::replace(TextRange::at((at as u32).into(), 1.into()), "x y");
        let new = old.reparse(&edit).parse;
        let (old, new) = (old.green(), new.green());
        assert!(n_visited(new, None) > 10_000, "{}", n_visited(new, None));
        assert!(n_visited(new, Some(old)) < 100, "{}", n_visited(new, Some(old)));
        assert_eq!(n_visited(new, Some(new)), 1);
        let after = syntax_errors_after(&new.syntax(), old);
        assert!(!after.is_empty());
        assert_eq!(after, syntax_errors(&new.syntax()));
    }
    /// Puts texts at every place of one without errors, and takes a few bytes out: the errors are those of all of it.
    #[track_caller]
    fn check_edits(language: Language, text: &str, pieces: &[&str]) {
        let old = parse_as(language, text);
        assert_eq!(syntax_errors(&old.green().syntax()), []);
        let mut n_with_errors = 0;
        for at in 0..text.len() {
            for (piece, removed) in pieces.iter().flat_map(|it| [(it, 0), (it, 1), (it, 3)]) {
                let end = (at + removed).min(text.len());
                let range = TextRange::new((at as u32).into(), (end as u32).into());
                let new = old.reparse(&Edit::replace(range, *piece)).parse;
                let all = syntax_errors(&new.green().syntax());
                n_with_errors += usize::from(!all.is_empty());
                let after = syntax_errors_after(&new.green().syntax(), old.green());
                assert_eq!(after, all, "{piece:?} for {removed} at {at} of {text}");
            }
        }
        assert!(n_with_errors > text.len());
    }

    #[test]
    fn errors_after_an_edit_are_those_of_the_whole_tree() {
        let script = "@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\")):\n    for i in range(4):\n        \
                      A[i] = T.max(A[i + 1], 2) # c\n    if A[0] == 1:\n        A[3] = 0x10\n    else:\n        \
                      A[2] = (1)\n";
        let pieces = ["", "(", ")", "]", "\"", "'''", "\n", "    ", ",", "x y", "$", "00", "="];
        check_edits(Language::default(), script, &pieces);
        let operations = "module {\n  func.func @f(%a: i32) -> i32 {\n    %0 = arith.addi %a, %a : i32\n    \
                          scf.execute_region {\n      scf.yield\n    }\n    return %0 : i32\n  }\n}\n";
        let pieces = ["", "(", ")", "{", "}", "%", "\"", "\n", ":", "x y", "->", "$"];
        check_edits(Language::Mlir, operations, &pieces);
    }
}
