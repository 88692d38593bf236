//! The dialect of operations whose names are written without one.
//!
//! Inside of some operations (`pdl.pattern`, `spirv.module`, `handshake.func`) names without a dot belong to the
//! dialect of the operation around them. MLIR asks the operation; here all operations count as such but those of
//! dialects that are known to have none of them, whose functions and modules give none and whose others give what is
//! given around them. O(length of the list).

use super::Shapes;

/// Dialects of whose operations none gives its dialect to others. Those of `builtin` and `func` do, and the table lists
/// the names.
const WITHOUT: &[&str] = &[
    "acc",
    "affine",
    "amdgpu",
    "arith",
    "async",
    "bufferization",
    "builtin",
    "cf",
    "chlo",
    "complex",
    "flow",
    "func",
    "gpu",
    "hal",
    "linalg",
    "llvm",
    "math",
    "memref",
    "mhlo",
    "nvgpu",
    "nvvm",
    "omp",
    "onnx",
    "rocdl",
    "scf",
    "sdy",
    "sparse_tensor",
    "stablehlo",
    "stream",
    "tensor",
    "torch",
    "tosa",
    "tt",
    "ttg",
    "ttng",
    "util",
    "vector",
];

/// The dialect whose operations were written without it before 2022, inside of a function of its time.
const STANDARD: &str = "std";

/// The dialect of names without one in the regions of an operation whose pretty form begins with `op`; `around` is that
/// of the region in which the operation stands. Empty where there is none.
pub fn default_dialect<'t>(op: &'t str, around: &'t str) -> &'t str {
    match op.split_once('.') {
        _ if matches!(op, "func" | "builtin.func") => STANDARD,
        Some((dialect, "func" | "module")) if WITHOUT.contains(&dialect) => "",
        Some((dialect, _)) if WITHOUT.contains(&dialect) => around,
        Some((dialect, _)) => dialect,
        None => around,
    }
}

/// The full name of an operation that is written as `op` in a region with the default dialect `around`; none if the
/// region gives it no other name than the table.
pub fn name_in(op: &str, around: &str, shapes: &Shapes) -> Option<String> {
    let is_given = !around.is_empty() && !op.contains('.') && !is_of_table(op, around, shapes);
    is_given.then(|| format!("{around}.{op}"))
}

/// Functions and modules are written without their dialect in any region, and calls and returns as well where all were;
/// all other names of the table in functions only.
fn is_of_table(op: &str, around: &str, shapes: &Shapes) -> bool {
    let full = shapes.full_name(op);
    let is_kept = around == STANDARD && op != "constant";
    full != op && (is_kept || shapes.is_function(full) || shapes.is_module(full))
}
