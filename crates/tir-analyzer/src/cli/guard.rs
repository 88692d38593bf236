//! A panic while one file is worked on is an error of that file; the others go on.

use std::{
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe, PanicHookInfo},
};

thread_local! {
    /// Whether this thread is inside [`guard`].
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    /// What the last panic of this thread said, and where it came from.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps what panics inside [`guard`] say for it instead of writing it to standard error.
pub(crate) fn install_panic_hook() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if IS_GUARDED.get() {
            LAST_PANIC.with(|it| *it.borrow_mut() = Some(describe(info)));
        } else {
            default(info);
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    match info.location() {
        Some(at) => format!("{message} ({}:{})", at.file(), at.line()),
        None => message.to_owned(),
    }
}

/// Runs `work` on the file that messages call `shown`.
pub(crate) fn guard<R>(shown: &str, work: impl FnOnce() -> anyhow::Result<R>) -> anyhow::Result<R> {
    let was_guarded = IS_GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    outcome.unwrap_or_else(|_| {
        let what = LAST_PANIC.with(|it| it.borrow_mut().take());
        let what = what.unwrap_or_else(|| "a panic".to_owned());
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
