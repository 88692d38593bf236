//! Integration tests that drive the real binary; see `README.md` of this folder.
