//! Ctrl-C: the program ends at once with exit code 130, but not in the middle of writing a file.

use std::{
    io::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Exit code after an interrupt: 128 and the number of the signal.
pub(crate) const EXIT_CODE: i32 = 130;

static CRITICAL: Mutex<()> = Mutex::new(());

/// While the guard lives, an interrupt waits.
pub(crate) fn critical_section() -> MutexGuard<'static, ()> {
    CRITICAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program on an interrupt from now on. `is_terminal`: there may be a progress bar to wipe.
pub(crate) fn install(is_terminal: bool) {
    // A second handler is refused: then the first is in place, which is as well.
    let _ = ctrlc::set_handler(move || {
        let _section = critical_section();
        if is_terminal {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
        std::process::exit(EXIT_CODE);
    });
}
