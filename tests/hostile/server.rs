//! Workspaces and clients that ask too much of a server.
