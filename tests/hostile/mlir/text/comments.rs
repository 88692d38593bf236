//! Comments: every fix keeps each of them, wherever it stands, also inside of an operation that goes, once.

use super::{asking_the_peer, names::programs, peer, run, through_peer};

/// A text with a comment at the end of each line, and behind commas and braces; and how many there are.
fn commented(text: &str) -> (String, usize) {
    let mut res = String::new();
    let (mut n, mut is_in_string) = (0, false);
    for it in text.chars() {
        is_in_string ^= it == '"';
        if it != '\n' {
            res.push(it);
        }
        if matches!(it, '\n' | ',' | '{' | '}') && !is_in_string {
            res.push_str(&format!(" // note {n}.\n"));
            n += 1;
        }
    }
    (res, n)
}

#[test]
fn all_are_kept_by_every_fix() {
    let mut n_fixed = 0;
    for text in programs() {
        let (text, n) = commented(&text);
        for preset in ["default", "mlir"] {
            let (output, _) = run(&["opt", "--preset", preset], "it.mlir", &text);
            let after = String::from_utf8_lossy(&output.stdout);
            n_fixed += usize::from(*after != *text);
            for at in 0..n {
                let note = format!("// note {at}.");
                assert_eq!(after.matches(&note).count(), 1, "{note} of\n{text}\nin\n{after}");
            }
            if let Some(peer) = peer() {
                through_peer(&peer, &after, &[]).unwrap_or_else(|it| panic!("{it}\n{after}"));
            }
        }
    }
    assert!(n_fixed >= 15, "only {n_fixed} were fixed at all");
}

#[test]
#[ignore = "needs mlir-opt"]
fn mlir_opt_reads_what_became_of_commented_texts() {
    asking_the_peer(&[all_are_kept_by_every_fix]);
}
