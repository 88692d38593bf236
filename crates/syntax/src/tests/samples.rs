//! The printed programs: every byte kept, everything read.

use test_utils::sample_files;

use crate::{SyntaxKind, dump, error_share, parse};

#[test]
fn every_sample_is_kept_and_read() {
    for sample in sample_files() {
        let parse = parse(&sample.text);
        assert_eq!(parse.text(), sample.text, "{}", sample.name);
        // TVM cannot read the end of its own pipeline; we can keep it.
        if !sample.name.starts_with("final_cuda/") {
            assert_eq!(parse.errors(), [], "{}", sample.name);
            assert_eq!(error_share(&parse), 0.0, "{}", sample.name);
        }
    }
}

#[test]
fn every_prefix_of_a_sample_is_kept() {
    for sample in sample_files().iter().step_by(9) {
        let step = sample.text.len() / 60 + 1;
        for end in
            (0..sample.text.len()).step_by(step).filter(|it| sample.text.is_char_boundary(*it))
        {
            let parse = parse(&sample.text[..end]);
            assert_eq!(parse.text(), sample.text[..end]);
            parse.errors();
        }
    }
}

#[test]
fn odd_bytes_are_kept() {
    let texts = [
        "",
        "\u{feff}a = 1",
        "a\0b\n\0",
        "\r\r\n\n\x0c\tx",
        "if a:\n\t  b\n        c\n",
        "'''open",
        "\"open\nb",
        "\\",
        "é = 'ü' # ß\r",
        "((((]]",
        "\u{2028}\u{a0}x",
        "f'{a!r:>{w}}' f\"{",
    ];
    for text in texts {
        let parse = parse(text);
        assert_eq!(parse.text(), text);
        parse.errors();
    }
}

#[test]
fn the_share_of_unread_text_is_counted() {
    assert_eq!(error_share(&parse("")), 0.0);
    assert_eq!(error_share(&parse("a = 1\n")), 0.0);
    let share = error_share(&parse("a = 1 $$$$\n"));
    assert!(share > 0.3 && share < 0.6, "{share}");
}

#[test]
fn equal_texts_share_their_parts() {
    let parse = parse("a = T.int64(1)\nb = T.int64(1)\n");
    let calls: Vec<_> =
        parse.syntax().descendants().filter(|it| it.kind() == SyntaxKind::CALL_EXPR).collect();
    let [a, b] = [&calls[0], &calls[1]].map(crate::Green::of);
    assert!(a.ptr_eq(&b), "{}", dump(&parse.syntax()));
    assert_ne!(calls[0], calls[1]);
    let parse = crate::parse("A[i * 4 + j] = B[i * 4 + j]\nA[i * 4 + j] = B[i * 4 + j]\n");
    let of = |kind| parse.syntax().descendants().filter(move |it| it.kind() == kind);
    for kind in [SyntaxKind::BINARY_EXPR, SyntaxKind::SUBSCRIPT_EXPR, SyntaxKind::ASSIGN_STMT] {
        let half = of(kind).count() / 2;
        let pairs = of(kind)
            .zip(of(kind).skip(half))
            .map(|(a, b)| (crate::Green::of(&a), crate::Green::of(&b)));
        assert!(half > 0 && pairs.into_iter().all(|(a, b)| a.ptr_eq(&b)), "{kind:?}");
    }
}

#[test]
fn a_piece_is_equal_wherever_it_stands() {
    let function = "def f(x):\n    return x +\n";
    let first = |text: &str| {
        let root = parse(text).syntax();
        root.descendants()
            .find(|it| it.kind() == SyntaxKind::FUNCTION_DEF)
            .expect("it is in the text")
    };
    let (a, b) = (first(function), first(&format!("y = 1\n\n{function}")));
    assert_eq!(crate::Green::of(&a), crate::Green::of(&b));
    assert_eq!(crate::syntax_errors(&a), crate::syntax_errors(&b));
    assert_ne!(crate::Green::of(&a), crate::Green::of(&first("def f(x):\n    return y +\n")));
}
