//! The operators that generated functions call with pointers: all that the table of effects has a row for.
//!
//! A pattern stands for one of its names. Left out are expression nodes, tile operators, jumps, and calls that are
//! executed: these have operands of certain types. So are texts that the reader does not take for a call of that name.

use std::sync::OnceLock;

use ir::{
    Callee, ExprKind, Occurrences, Type,
    effects::{self, EffectTable, Flags, Namespace},
};
use test_utils::Operator;

use super::check::is_understood;
use crate::functions::functions_of;

/// All of them, by name.
pub(super) fn all() -> &'static [Operator] {
    static OPERATORS: OnceLock<Vec<Operator>> = OnceLock::new();
    OPERATORS.get_or_init(|| {
        let executed: Vec<String> = interp::known_calls().map(normal).collect();
        let names = EffectTable::builtin().entries(Namespace::Tir);
        let is_left_out = |name: &str| {
            name.starts_with("tile.")
                || name.starts_with(|c: char| c.is_ascii_uppercase())
                || effects::tir(name).flags.contains(Flags::TERMINATOR)
                || executed.iter().any(|it| it == name) && name != "cuda.ldg"
        };
        names.into_iter().filter(|it| !is_left_out(it)).filter_map(operator).collect()
    })
}

/// The operator of a name in normal form, if it can be called with pointers.
fn operator(name: &str) -> Option<Operator> {
    let name = format!("T.{}", name.replace('.', "_").replace('*', "x"));
    let as_statement = format!(
        "T.evaluate({name}(b0.ptr_to([0]), 1, (b0.data, b0[1])))\n    T.evaluate({name}(v0 + 1, dst=b0.data))"
    );
    called(&name, &as_statement)?;
    let as_value = format!("v1: T.let[T.int32] = T.Cast(\"int32\", {name}(b0.ptr_to([0]), 1))");
    let is_number = |ty: Type| match ty {
        Type::Unknown => true,
        ty => ty.prim().is_some_and(|it| it.is_integer() || it.is_float() || it.is_bool()),
    };
    let is_value = called(&name, &as_value).is_some_and(is_number);
    let takes_keywords =
        called(&name, &format!("T.evaluate({name}(v0 + 1, dst=b0.data))")).is_some();
    Some(Operator { name, is_value, takes_keywords })
}

/// The type of the operator's call in a function of these statements, if that is right and has one.
fn called(name: &str, statements: &str) -> Option<Type> {
    let text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f(v0: T.int32, b0: T.Buffer((16,), \"int32\")):\n    {statements}\n"
    );
    let functions = functions_of("operator", &text);
    let [function] = &functions[..] else { return None };
    let body = &function.lowered.body;
    let is_it = |expr: ir::ExprId| match body.expr(expr).kind {
        ExprKind::Call { callee: Callee::Intrinsic(it, _), .. } => {
            normal(body.name(it)) == normal(name)
        }
        _ => false,
    };
    let occurrences = Occurrences::collect(body);
    let mut calls = occurrences.iter().map(|(_, it)| it.expr).filter(|it| is_it(*it));
    is_understood(function).then(|| calls.next().map(|it| body.ty(it)))?
}

/// A name with one spelling: as the table does it.
fn normal(name: &str) -> String {
    let name = name.strip_prefix("T.").unwrap_or(name);
    let parts: Vec<&str> = name.split(['.', '_']).filter(|it| !it.is_empty()).collect();
    parts.join(".")
}

#[test]
fn rows_of_every_kind_are_called() {
    let names: Vec<&str> = all().iter().map(|it| &*it.name).collect();
    for name in ["T.ptx_ld_x", "T.cuda_ldg", "T.cuda_float22half2", "T.nvshmem_x", "T.x"] {
        assert!(names.contains(&name), "{name} is none of {names:?}");
    }
}
