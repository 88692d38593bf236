//! Versions against all paths of small random programs.
