//! The handlers of the protocol's methods.

pub(crate) mod actions;
pub(crate) mod calls;
pub(crate) mod choose;
pub(crate) mod completion;
mod declare;
mod expected;
pub(crate) mod hints;
mod instances;
pub(crate) mod layout;
mod linked;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod notification;
pub(crate) mod request;
pub(crate) mod symbols;
pub(crate) mod tilelang;
