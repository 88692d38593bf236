//! A server that lives long: what it holds after many edits, documents and folders is what it held after a few.
