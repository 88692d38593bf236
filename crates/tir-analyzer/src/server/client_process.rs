//! The end of the client: the server ends with it, whatever it is doing.
//!
//! The main loop ends when its input does. It may not come to that: it waits for a client that does not read, or
//! computes. So two threads, which do nothing else, wait for the other signs: that our input can no longer be written
//! to, and that the process which the client named is gone, though another one holds its end of the streams.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// The time that the main loop has for ending by itself.
const GRACE: Duration = Duration::from_secs(2);

/// The number of messages that the main loop has taken.
#[derive(Clone, Default)]
pub(crate) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// A message was taken.
    pub(crate) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends the process when its input is closed by the other side, and no message is taken any more.
pub(crate) fn watch_input(pulse: Pulse) -> std::io::Result<()> {
    start("input-watch", move || {
        if !wait::for_hang_up() {
            return;
        }
        loop {
            let before = pulse.now();
            thread::sleep(GRACE);
            if pulse.now() == before {
                end();
            }
        }
    })
}

/// Ends the process when that of the client is gone.
pub(crate) fn watch_process(number: i32) -> std::io::Result<()> {
    start("client-watch", move || {
        if wait::for_process(number) {
            thread::sleep(GRACE);
            end();
        }
    })
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(64 * 1024).spawn(run)?;
    Ok(())
}

/// There is no client left that could be notified.
fn end() -> ! {
    std::process::exit(1)
}

#[cfg(unix)]
mod wait {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };

    /// Waits until standard input can no longer be written to; false if that is unknown.
    pub(super) fn for_hang_up() -> bool {
        let input = std::io::stdin();
        for_events(&input, PollFlags::empty())
    }

    /// Waits for one of these events, or that the other side hangs up.
    fn for_events(fd: &impl std::os::fd::AsFd, events: PollFlags) -> bool {
        let ends = events | PollFlags::HUP | PollFlags::ERR;
        loop {
            let mut fds = [PollFd::new(fd, events)];
            match poll(&mut fds, None) {
                Err(Errno::INTR) => {}
                Err(_) => return false,
                Ok(_) => return fds[0].revents().intersects(ends),
            }
        }
    }

    /// Waits until a process is gone; one that waits to be buried is. False if that is unknown.
    #[cfg(target_os = "linux")]
    pub(super) fn for_process(number: i32) -> bool {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        let Some(process) = Pid::from_raw(number) else { return false };
        match pidfd_open(process, PidfdFlags::empty()) {
            Ok(fd) => for_events(&fd, PollFlags::IN),
            Err(error) => error == Errno::SRCH,
        }
    }

    /// Waits until a process is gone; false if that is unknown.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn for_process(number: i32) -> bool {
        use rustix::process::{Pid, test_kill_process};
        let Some(process) = Pid::from_raw(number) else { return false };
        while !matches!(test_kill_process(process), Err(Errno::SRCH)) {
            std::thread::sleep(super::GRACE);
        }
        true
    }
}

#[cfg(not(unix))]
mod wait {
    /// The reader of the input sees its end.
    pub(super) fn for_hang_up() -> bool {
        false
    }

    /// The end of the input is the sign that there is.
    pub(super) fn for_process(_: i32) -> bool {
        false
    }
}
