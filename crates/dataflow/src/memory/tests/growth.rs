//! Work of building and asking, counted.
