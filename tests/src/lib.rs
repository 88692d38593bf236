//! What the integration tests share: the real binary, a client that speaks LSP to it, documents as an editor
//! keeps them, and the committed samples. `README.md` of this folder says which tests there are.

pub mod binary;
pub mod document;
pub mod figures;
pub mod kernels;
pub mod lsp;
pub mod peak;
#[cfg(unix)]
pub mod pretend;
pub mod samples;
