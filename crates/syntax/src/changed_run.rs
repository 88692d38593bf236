//! The changed run of a list: the children in which two trees differ after an edit inside a long block.
//!
//! In: a tree and the tree after an edit, which share all parts that were not read again. Out: a run of children of the
//! innermost list that holds all differences, with its replacement. O(children of the nodes on the way), one comparison
//! of addresses each.

use parser::SyntaxKind;
use rowan::{GreenNode, GreenNodeData, GreenTokenData, NodeOrToken, TextSize};

use crate::{
    Green, GreenStep,
    green::walk_node,
    syntax_node::kind_from_raw,
    unshared::{shared_ends, text_len},
};

/// Children of a list that took the place of others: outside of them two trees are equal.
#[derive(Debug, Clone)]
pub struct ChangedRun {
    /// The place where the children begin, in both.
    pub start: TextSize,
    /// The length of the old ones together.
    pub old_len: TextSize,
    /// The length of the new ones.
    pub new_len: TextSize,
    /// The nodes among those before.
    pub old_nodes: Vec<SyntaxKind>,
    /// The first node behind them in the list, and how far behind.
    pub next: Option<(SyntaxKind, TextSize)>,
    /// The list as it is now, and which of its children are meant.
    list: GreenNode,
    children: std::ops::Range<usize>,
}

impl ChangedRun {
    /// The nodes among the children as they are now.
    pub fn new_nodes(&self) -> impl Iterator<Item = SyntaxKind> + '_ {
        self.elements().filter_map(NodeOrToken::into_node).map(|it| kind_from_raw(it.kind()))
    }

    /// Visits the children as they are now, as [`Green::walk`] does.
    pub fn walk<'a>(&'a self, mut visit: impl FnMut(GreenStep<'a>)) {
        for element in self.elements() {
            match element {
                NodeOrToken::Node(node) => walk_node(node, &mut visit),
                NodeOrToken::Token(it) => {
                    visit(GreenStep::Token(kind_from_raw(it.kind()), it.text()));
                }
            }
        }
    }

    /// The text before, changed where the trees differ; none if it is not the text of that tree.
    pub fn edited_text(&self, old: &str) -> Option<String> {
        let start = usize::from(self.start);
        let (before, after) = (old.get(..start)?, old.get(start + usize::from(self.old_len)..)?);
        let len = before.len() + usize::from(self.new_len) + after.len();
        let mut text = String::with_capacity(len);
        text.push_str(before);
        self.walk(|step| {
            if let GreenStep::Token(_, token) = step {
                text.push_str(token);
            }
        });
        text.push_str(after);
        Some(text)
    }

    fn elements(&self) -> impl Iterator<Item = NodeOrToken<&GreenNodeData, &GreenTokenData>> {
        self.list.children().skip(self.children.start).take(self.children.len())
    }
}

/// The children in which two trees differ, of the innermost list that holds all differences; none if no list does.
/// Equal trees differ in no children of any list.
pub fn changed_run(
    old: &Green,
    new: &Green,
    is_list: impl Fn(SyntaxKind) -> bool,
) -> Option<ChangedRun> {
    let (mut at_old, mut at_new): (&GreenNodeData, &GreenNodeData) = (old.node(), new.node());
    let mut offset = TextSize::new(0);
    let mut found = None;
    while at_old.kind() == at_new.kind() && !std::ptr::eq(at_old, at_new) {
        let (n_old, n_new) = (at_old.children().len(), at_new.children().len());
        let (n_before, n_after) = shared_ends(at_old, at_new);
        offset += at_new.children().take(n_before).map(text_len).sum::<TextSize>();
        let (run_old, run_new) = (n_before..n_old - n_after, n_before..n_new - n_after);
        if is_list(kind_from_raw(at_new.kind())) {
            found = Some((at_old, at_new, run_old.clone(), run_new.clone(), offset));
        }
        if run_old.len() != 1 || run_new.len() != 1 {
            break;
        }
        let only = (at_old.children().nth(n_before), at_new.children().nth(n_before));
        let (Some(NodeOrToken::Node(a)), Some(NodeOrToken::Node(b))) = only else { break };
        (at_old, at_new) = (a, b);
    }
    let (at_old, at_new, run_old, run_new, start) = found?;
    let of_old = || at_old.children().skip(run_old.start).take(run_old.len());
    let mut behind = TextSize::new(0);
    let mut next = None;
    for element in at_old.children().skip(run_old.end) {
        if let NodeOrToken::Node(node) = element {
            next = Some((kind_from_raw(node.kind()), behind));
            break;
        }
        behind += text_len(element);
    }
    let nodes = of_old().filter_map(NodeOrToken::into_node);
    Some(ChangedRun {
        start,
        old_len: of_old().map(text_len).sum(),
        new_len: at_new.children().skip(run_new.start).take(run_new.len()).map(text_len).sum(),
        old_nodes: nodes.map(|it| kind_from_raw(it.kind())).collect(),
        next,
        list: at_new.to_owned(),
        children: run_new,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, Language, TextRange, parse_as};

    const TEXT: &str = "func.func @f(%a: i32) {\n  %0 = arith.addi %a, %a : i32\n  scf.execute_region {\n    \
                        %1 = arith.muli %0, %a : i32\n    scf.yield\n  }\n  return\n}\n";

    /// Checks the replacement of `old`, and the run that is found: before, now, and the text behind it.
    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<(&str, &str)>) {
        let before = parse_as(Language::Mlir, TEXT);
        let at = TEXT.find(old).unwrap() as u32;
        let edit = Edit::replace(TextRange::at(at.into(), TextSize::of(old)), new);
        let after = before.reparse(&edit).parse;
        let run = changed_run(before.green(), after.green(), |it| it == SyntaxKind::MLIR_BLOCK);
        let texts = run.as_ref().map(|it| {
            let start = usize::from(it.start);
            let text = after.text();
            assert_eq!(it.edited_text(TEXT), Some(text.clone()));
            let end = start + usize::from(it.old_len);
            let new_end = start + usize::from(it.new_len);
            (TEXT[start..end].to_owned(), text[start..new_end].to_owned())
        });
        let texts = texts.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        assert_eq!(texts, expected);
    }

    #[test]
    fn run_is_the_operation_that_changed() {
        check(
            "addi",
            "subi",
            Some(("%0 = arith.addi %a, %a : i32", "%0 = arith.subi %a, %a : i32")),
        );
    }

    #[test]
    fn run_is_in_the_innermost_block() {
        let (old, new) = ("%1 = arith.muli %0, %a : i32", "%1 = arith.muli %0, %0 : i32");
        check("%0, %a", "%0, %0", Some((old, new)));
    }

    #[test]
    fn operation_that_is_put_in_takes_the_place_of_nothing() {
        let new = "%2 = arith.addi %a, %a : i32\n    ";
        check("%1 = ", &format!("{new}%1 = "), Some(("", new)));
    }

    #[test]
    fn change_of_a_header_is_in_no_block() {
        check("@f", "@g", None);
    }
}
