//! A few threads with large stacks that run jobs in the order given.
//!
//! Requests and background work have threads of their own: warming caches never stands before an answer.

use std::thread;

use crossbeam_channel::{Sender, unbounded};

/// Deeply nested input is walked with growing stacks; a large first stack keeps that rare.
const STACK_SIZE: usize = 16 * 1024 * 1024;

/// Answers are computed by this many threads: enough that a long one does not hold up the others.
const N_REQUEST_THREADS: usize = 3;

type Job = Box<dyn FnOnce() + Send>;

/// The threads of the server.
pub(crate) struct ThreadPool {
    requests: Sender<Job>,
    background: Sender<Job>,
}

impl ThreadPool {
    /// Starts the threads. They end when the pool is dropped and their jobs are done.
    pub(crate) fn new() -> std::io::Result<ThreadPool> {
        Ok(ThreadPool {
            requests: start("request", N_REQUEST_THREADS)?,
            background: start("background", 1)?,
        })
    }

    /// Runs a job that somebody waits for. Jobs catch their own panics.
    pub(crate) fn request(&self, job: impl FnOnce() + Send + 'static) {
        // The threads live as long as the sender, so sending cannot fail.
        let _ = self.requests.send(Box::new(job));
    }

    /// Runs a job that nobody waits for.
    pub(crate) fn background(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.background.send(Box::new(job));
    }
}

fn start(name: &str, n_threads: usize) -> std::io::Result<Sender<Job>> {
    let (sender, receiver) = unbounded::<Job>();
    for i in 0..n_threads {
        let receiver = receiver.clone();
        thread::Builder::new().name(format!("{name}-{i}")).stack_size(STACK_SIZE).spawn(
            move || {
                for job in receiver {
                    job();
                }
            },
        )?;
    }
    Ok(sender)
}
