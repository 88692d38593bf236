//! Rules that a function allows by an attribute: `T.func_attr({"tir.allow": "common-subexpression"})`, or a list of
//! rules.
//!
//! The attribute stays with the function where its text is gone: in printed modules, in `build`. Comments with
//! allowances are read by the frontend (`# tir: allow(…)`), which knows this attribute too.

use crate::{Attr, Body};

/// The attribute.
pub const ATTRIBUTE: &str = "tir.allow";

/// The rules that the attributes of a function allow.
pub fn in_attributes(body: &Body) -> impl Iterator<Item = &str> {
    let value = body.func_attr(ATTRIBUTE);
    let items = match value {
        Some(Attr::List(items)) => items.as_slice(),
        Some(it) => std::slice::from_ref(it),
        None => &[],
    };
    let texts = items.iter().filter_map(|it| match it {
        Attr::Str(text) => Some(&**text),
        _ => None,
    });
    texts.flat_map(|it| it.split(',')).map(str::trim).filter(|it| !it.is_empty())
}

/// Returns true if the attributes of a function allow a rule.
pub fn by_attribute(body: &Body, rule: &str) -> bool {
    in_attributes(body).any(|it| it == rule)
}
