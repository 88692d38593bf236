//! Ctrl-C: the program ends at once with exit code 130, but not in the middle of writing a file.

use std::{
    io::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Exit code after an interrupt: 128 and the number of the signal.
pub(crate) const EXIT_CODE: i32 = 130;

static CRITICAL: Mutex<()> = Mutex::new(());

/// The clean-up of an interrupt before the program ends.
static CLEANUPS: Mutex<Vec<(u64, Cleanup)>> = Mutex::new(Vec::new());

type Cleanup = Box<dyn FnOnce() + Send>;

/// Runs something when it goes, or before an interrupt ends the program: once.
pub(crate) struct OnExit(u64);

impl OnExit {
    pub(crate) fn new(cleanup: impl FnOnce() + Send + 'static) -> OnExit {
        let mut all = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        let id = all.last().map_or(0, |it| it.0 + 1);
        all.push((id, Box::new(cleanup)));
        OnExit(id)
    }
}

impl Drop for OnExit {
    fn drop(&mut self) {
        let mut all = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = all.iter().position(|it| it.0 == self.0) else { return };
        let (_, cleanup) = all.remove(at);
        drop(all);
        cleanup();
    }
}

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
        let mut all = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        all.drain(..).rev().for_each(|(_, cleanup)| cleanup());
        std::process::exit(EXIT_CODE);
    });
}
