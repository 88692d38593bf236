//! Trees far deeper than a thread's stack: built, walked, compared, and freed by their last owner.

use rowan::WalkEvent;

use crate::{AstNode as _, Edit, Green, SyntaxKind, SyntaxNode, ast, dump, error_share, parse};

/// Runs a test on a thread with as little stack as threads of a pool have.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(run)
        .expect("a thread can be made");
    thread.join().expect("the test did not panic");
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + inner + &close.repeat(depth) + "\n"
}

fn nested_blocks(depth: usize) -> String {
    let mut res = String::new();
    for level in 0..depth {
        res.push_str(&" ".repeat(level));
        res.push_str("if a:\n");
    }
    res + &" ".repeat(depth) + "pass\n"
}

fn chain(first: &str, link: &str, terms: usize) -> String {
    format!("x = {first}{}\n", link.repeat(terms))
}

fn deep_texts() -> Vec<String> {
    let mut texts = vec![nested_blocks(1_000)];
    for link in [" + a", "+a", ".a", "(a)", "[0]", " < a", " and a"] {
        texts.push(chain("a", link, 100_000));
    }
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("a[", "]"), ("not ", ""), ("-", "")]
    {
        texts.push(nested(open, "a", close, 10_000));
        texts.push(nested(open, "a", close, 100_000));
    }
    texts.push(nested("a if b else ", "c", "", 10_000));
    texts.push(nested("a ** ", "c", "", 10_000));
    texts
}

/// Goes over a tree in every way that could recurse.
fn visit(root: &SyntaxNode) {
    assert!(root.first_token().is_some());
    assert!(root.last_token().is_some());
    let end = root.text_range().end();
    let middle = (u32::from(end) / 2).into();
    let token = root.token_at_offset(middle).right_biased().expect("there is text in the middle");
    token.next_token().and_then(|it| it.prev_token()).expect("there is text around the middle");
    assert!(token.ancestors().count() > 1);
    assert_eq!(
        root.preorder().filter(|it| matches!(it, WalkEvent::Enter(_))).count(),
        root.descendants().count()
    );
}

#[test]
fn deep_trees_do_not_overflow_the_stack() {
    on_small_stack(|| {
        for text in deep_texts() {
            let parse = parse(&text);
            visit(&parse.syntax());
            parse.errors();
            error_share(&parse);
            assert!(!dump(&parse.syntax()).is_empty());
            assert!(parse.text() == text);
        }
    });
}

#[test]
fn whoever_holds_a_deep_tree_last_can_free_it() {
    on_small_stack(|| {
        let text = chain("a", " + a", 100_000);
        // The cursor outlives the shared tree.
        let node = parse(&text).syntax();
        drop(node);
        let token = parse(&text).syntax().last_token();
        drop(token);
        let walk = parse(&text).syntax().preorder();
        drop(walk);
        let children = parse(&text).syntax().children();
        drop(children);
        // A part outlives the whole.
        let tree = parse(&text);
        let inner = tree.syntax().descendants().find(|it| it.kind() == SyntaxKind::BINARY_EXPR);
        let part = Green::of(&inner.expect("the text is a sum"));
        drop(tree);
        assert_eq!(part.text_len(), (text.len() as u32 - 5).into());
        drop(part);
        // Another thread is the last.
        let tree = parse(&text);
        on_small_stack(move || drop(tree));
    });
}

#[test]
fn deep_trees_are_compared_without_recursion() {
    on_small_stack(|| {
        let text = chain("a", " + a", 100_000);
        let (a, b) = (parse(&text), parse(&text));
        assert!(a == b);
        assert!(a != parse(&chain("b", " + a", 100_000)));
    });
}

#[test]
fn long_chains_unroll_without_recursion() {
    on_small_stack(|| {
        let tree = parse(&chain("a", " + b", 100_000));
        let sum =
            tree.syntax().descendants().find_map(ast::BinaryExpr::cast).expect("the text is a sum");
        let (first, links) = sum.unrolled();
        assert_eq!(first.map(|it| it.syntax().text()), Some("a".to_owned()));
        assert_eq!(links.len(), 100_000);
        assert_eq!(links[0].1.as_ref().map(|it| it.syntax().text()), Some("b".to_owned()));
        let path = parse(&chain("a", ".b", 100_000)).tree();
        let expr = path
            .syntax()
            .descendants()
            .find_map(ast::AttributeExpr::cast)
            .expect("the text is a path");
        let path = ast::Expr::from(expr).dotted_path().expect("it is a dotted name");
        assert_eq!(path.parts().len(), 100_001);
    });
}

#[test]
fn deep_trees_are_edited_and_both_versions_freed() {
    on_small_stack(|| {
        for text in
            [chain("a", " + a", 100_000), nested("(", "a", ")", 10_000), nested_blocks(1_000)]
        {
            let old = parse(&format!("y = 0\n{text}z = 1\n"));
            let middle = u32::from(old.text_len()) / 2;
            for offset in [0, middle, old.text_len().into()] {
                let edit = Edit::insert(offset.into(), "b");
                let new = old.reparse(&edit).parse;
                assert!(new.text_len() > old.text_len());
                let cursor = new.syntax().last_token();
                drop(new);
                drop(cursor);
            }
        }
    });
}
