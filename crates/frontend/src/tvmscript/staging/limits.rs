//! The limits of the evaluator. What passes one is unknown, with the limit as the reason.

/// Steps (expressions, statements, items) that the answer to one question may take.
pub const MAX_STEPS: u32 = 200_000;

/// Expressions and statements around one another, calls included.
pub const MAX_NESTING: u32 = 400;

/// Calls around one another.
pub const MAX_CALLS: u32 = 48;

/// Definitions that the value of a name depends on, one through the other.
pub const MAX_DEFINITIONS: u32 = 64;

/// Items and characters of a value, all levels of it.
pub const MAX_SIZE: usize = 20_000;

/// Levels of a value.
pub const MAX_DEPTH: u32 = 64;
