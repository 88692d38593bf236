//! The form that a name of `T` stands for.
//!
//! Names that TileLang shares with TVM (`T.exp2`, `T.if_then_else`, `T.serial`) are TVM's forms; its own are called
//! `tl.NAME`, as the operators that TileLang registers.

use std::borrow::Cow;

use super::{arguments, forms, intrinsics, tile_parameters};
use crate::tvmscript::environment::Namespace;

/// The form of `T.NAME`, where `T` stands for `space`; none if such names are no forms of kernels.
pub(super) fn form(space: Namespace, name: &str) -> Option<Cow<'_, str>> {
    Some(match space {
        Namespace::Tir | Namespace::Tirx => Cow::Borrowed(name),
        Namespace::Tile => format!("tile.{name}").into(),
        Namespace::TileLang => tilelang_form(name),
        Namespace::Ir if name == "meta_var" => Cow::Borrowed(name),
        Namespace::Ir | Namespace::Relax => return None,
    })
}

/// TileLang's name for a form.
fn tilelang_form(name: &str) -> Cow<'_, str> {
    let name = match name {
        "Serial" => "serial",
        "Unroll" => "unroll",
        "Vectorized" => "vectorized",
        "WarpSpecialize" => "ws",
        "symbolic" => "dynamic",
        "cdiv" => "ceildiv",
        "sync_threads" | "sync_global" => "sync_threads",
        other => other,
    };
    let head = name.split('.').next().unwrap_or(name);
    let own = format!("tl.{name}");
    // Some names have another meaning in TVM, or other arguments.
    match head != "print" && tile_parameters::parameters(&own).is_none() && is_tvm_form(name) {
        true => Cow::Borrowed(name),
        false => own.into(),
    }
}

/// Returns true if TVM's scripts have a form or operator of this name.
fn is_tvm_form(name: &str) -> bool {
    arguments::is_form(name)
        || forms::is_operator(name)
        || intrinsics::is_known(name, ir::effects::EffectTable::builtin())
}
