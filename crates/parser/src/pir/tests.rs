//! Tests of the grammar of PIR.
