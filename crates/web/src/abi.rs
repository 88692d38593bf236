//! The functions that the page calls: a text in, a text out, in the memory of the module.
//!
//! `web_buffer(n)` makes room for a request of `n` bytes and returns its place. `web_call()` answers what stands
//! there; the answer is `web_len()` bytes at the place that it returns, until the next call. After a trap, the memory
//! can still be read: `web_len()` bytes at `web_last_words()` say what happened. One caller, one thread.

#![expect(
    unsafe_code,
    reason = "names that the page finds are made with an attribute that counts as unsafe"
)]

use std::cell::RefCell;

use crate::Session;

#[derive(Default)]
struct State {
    session: Session,
    /// The request, then the answer.
    text: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
    static LAST_WORDS: RefCell<String> = const { RefCell::new(String::new()) };
    static LEN: RefCell<usize> = const { RefCell::new(0) };
}

/// Makes room for a request, and returns its place.
#[unsafe(no_mangle)]
extern "C" fn web_buffer(len: usize) -> *mut u8 {
    STATE.with_borrow_mut(|it| {
        it.text.clear();
        it.text.resize(len, 0);
        it.text.as_mut_ptr()
    })
}

/// Answers the request, and returns the place of the answer.
#[unsafe(no_mangle)]
extern "C" fn web_call() -> *const u8 {
    std::panic::set_hook(Box::new(|info| LAST_WORDS.set(info.to_string())));
    STATE.with_borrow_mut(|it| {
        it.text = it.session.call(&it.text);
        LEN.set(it.text.len());
        it.text.as_ptr()
    })
}

/// The length of the last answer, or of the last words.
#[unsafe(no_mangle)]
extern "C" fn web_len() -> usize {
    LEN.with_borrow(|it| *it)
}

/// The place of what was said before a trap: nothing, unless it was a panic.
#[unsafe(no_mangle)]
extern "C" fn web_last_words() -> *const u8 {
    LAST_WORDS.with_borrow(|it| {
        LEN.set(it.len());
        it.as_ptr()
    })
}
