//! The cost of mistakes of ours: a panic while one file is worked on is an error of that file, and the others go on; a
//! question about a place in what was not computed for it is refused, as an answer would be made of the rest. A panic
//! in the work on one function costs that function only, see [`ir::guard`].

use std::fmt::Display;

use ide::{Analysis, FileId};
use syntax::TextSize;

/// Runs `work` on the file that messages call `shown`.
pub(crate) fn guard<R>(shown: &str, work: impl FnOnce() -> anyhow::Result<R>) -> anyhow::Result<R> {
    ir::guard::catch(work).unwrap_or_else(|what| {
        Err(anyhow::anyhow!(ir::guard::report_on(shown, &what, "the file is left as it is")))
    })
}

/// Refuses to answer for a place in what was not computed: `place` names it.
///
/// # Errors
///
/// The panic that a part of the file around the place had.
pub(crate) fn none_broken(
    analysis: &Analysis,
    at: TextSize,
    place: impl Display,
) -> anyhow::Result<()> {
    // Nothing changes the host of a command, so nothing is cancelled.
    let broken = analysis.internal_errors(FileId(0), at).unwrap_or_default();
    let lost = analysis.take_lost().into_iter().map(|it| it.report());
    match broken.into_iter().chain(lost).next() {
        Some(what) => Err(anyhow::anyhow!("{place}: {what}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_is_an_error_that_names_the_file() {
        let error = guard("a.py", || -> anyhow::Result<()> { panic!("boom") }).unwrap_err();
        assert!(error.to_string().starts_with("internal error in a.py (all): "), "{error}");
        assert_eq!(guard("a.py", || Ok(3)).unwrap(), 3);
    }
}
