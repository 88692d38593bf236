//! The output of `cargo test`, counted.

use std::collections::BTreeMap;

/// The counts of all test programs of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub(crate) passed: usize,
    /// Tests that failed.
    pub(crate) failed: usize,
    /// Tests that were left out, with the reason of each.
    pub(crate) ignored: BTreeMap<String, String>,
    /// Tests that ran, by name.
    pub(crate) ran: Vec<String>,
}

/// Reads the lines `test NAME ... RESULT` and `test result: …`.
pub(crate) fn count(output: &str) -> Counts {
    let mut counts = Counts::default();
    for line in output.lines().filter_map(|line| line.strip_prefix("test ")) {
        if let Some(result) = line.strip_prefix("result: ") {
            counts.passed += number_before(result, " passed");
            counts.failed += number_before(result, " failed");
        } else if let Some((name, result)) = line.split_once(" ... ") {
            match result.strip_prefix("ignored") {
                Some(reason) => {
                    let reason = reason.trim_start_matches([',', ' ']);
                    counts.ignored.insert(name.to_owned(), reason.to_owned());
                }
                None => counts.ran.push(name.to_owned()),
            }
        }
    }
    counts
}

fn number_before(text: &str, word: &str) -> usize {
    let Some(at) = text.find(word) else { return 0 };
    let digits = text[..at].rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn results_of_several_programs_are_added() {
        let output = "\
running 3 tests
test a::b ... ok
test hints_on_screen ... ignored, needs Neovim
test c - should panic ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

test d ... FAILED
test result: FAILED. 10 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        expect![[r#"
            Counts {
                passed: 12,
                failed: 1,
                ignored: {
                    "hints_on_screen": "needs Neovim",
                },
                ran: [
                    "a::b",
                    "c - should panic",
                    "d",
                ],
            }
        "#]]
        .assert_debug_eq(&count(output));
    }
}
