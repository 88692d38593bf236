//! A panic while one file is worked on is an error of that file; the others go on. One in what is done to a function costs that
//! function only, see [`ir::guard`].

/// Runs `work` on the file that messages call `shown`.
pub(crate) fn guard<R>(shown: &str, work: impl FnOnce() -> anyhow::Result<R>) -> anyhow::Result<R> {
    ir::guard::catch(work).unwrap_or_else(|what| {
        Err(anyhow::anyhow!(
            "internal error on {shown}: {what}; the file is left as it is, please report this with the file"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_is_an_error_that_names_the_file() {
        let error = guard("a.py", || -> anyhow::Result<()> { panic!("boom") }).unwrap_err();
        assert!(error.to_string().starts_with("internal error on a.py: "), "{error}");
        assert_eq!(guard("a.py", || Ok(3)).unwrap(), 3);
    }
}
