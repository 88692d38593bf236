//! What each method of the protocol does.

pub(crate) mod actions;
mod declare;
pub(crate) mod layout;
pub(crate) mod names;
pub(crate) mod notification;
pub(crate) mod request;
