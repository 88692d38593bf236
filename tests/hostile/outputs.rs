//! Places that are written to: links, devices, folders with the work of others.
