//! The input of commands: files, their settings, their texts, and their differences from a revision.

pub(crate) mod files;
pub(crate) mod functions;
pub(crate) mod jobs;
pub(crate) mod place;
pub(crate) mod settings;
pub(crate) mod since;
pub(crate) mod source;
pub(crate) mod workspaces;
