//! Paddle's operator registry: side effects, operands written in place, declared attributes.
//!
//! In: the name of an operation as a program prints it (`pd_op.add`). Out: the [`PaddleOp`] that Paddle 3.3.1
//! registers. The data is `paddle_ops.txt`, which documents its own form, parsed on first use; a lookup is one hash.
//! These are Paddle's own labels, which decide in its pass; the effects table decides about soundness.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

const TEXT: &str = include_str!("../../paddle_ops.txt");

/// Attributes that Paddle's tools put on operations of every kind and no operation declares.
const ANNOTATIONS: &[&str] = &[
    "chunk_id",
    "comp_op_name",
    "is_persistable",
    "op_callstack",
    "op_dist_attr",
    "op_namescope",
    "op_role",
    "persistable",
    "stop_gradient",
    "struct_name",
];

/// An operation as Paddle registers it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaddleOp {
    /// True if the operation has the side-effect trait.
    pub has_side_effect: bool,
    /// The operands that it overwrites, or gives views of, in place; in order.
    pub overwrites: Box<[u32]>,
    /// Declared attributes, with whether their numbers are floating point, which are printed with six digits.
    attributes: Box<[(&'static str, bool)]>,
}

impl PaddleOp {
    /// Returns `None` if an attribute of this name takes no part in equality; otherwise, whether its floating-point
    /// numbers are rounded in the text.
    pub fn attribute(&self, name: &str) -> Option<bool> {
        self.attributes.iter().find(|(it, _)| *it == name).map(|&(_, rounded)| rounded)
    }
}

/// The operation of a name, if Paddle registers it.
pub fn paddle_op(name: &str) -> Option<&'static PaddleOp> {
    static OPS: OnceLock<FxHashMap<&'static str, PaddleOp>> = OnceLock::new();
    OPS.get_or_init(|| TEXT.lines().filter_map(parse).collect()).get(name)
}

/// Returns true if no operation declares an attribute of this name: it tells where an operation comes from, not what it
/// computes.
pub fn is_paddle_annotation(name: &str) -> bool {
    ANNOTATIONS.binary_search(&name).is_ok()
}

fn parse(line: &'static str) -> Option<(&'static str, PaddleOp)> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next().filter(|it| !it.starts_with('#'))?;
    let mut op = PaddleOp::default();
    let mut overwrites = Vec::new();
    let mut attributes = Vec::new();
    for word in words {
        if word == "!" {
            op.has_side_effect = true;
        } else if let Some(index) = word.strip_prefix('@') {
            overwrites.extend(index.parse::<u32>());
        } else {
            let rounded = word.strip_suffix('~');
            attributes.push((rounded.unwrap_or(word), rounded.is_some()));
        }
    }
    op.overwrites = overwrites.into();
    op.attributes = attributes.into();
    Some((name, op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_unique_and_whole() {
        let rows: Vec<&str> = TEXT.lines().filter(|it| !it.starts_with('#')).collect();
        let names: Vec<&str> = rows.iter().filter_map(|it| it.split(' ').next()).collect();
        assert!(names.len() > 1_600);
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
        for row in rows {
            let words = row.split(' ').skip(1);
            assert!(words.clone().all(|it| !it.is_empty()), "{row}");
            for index in words.filter_map(|it| it.strip_prefix('@')) {
                assert!(index.parse::<u32>().is_ok(), "{row}");
            }
        }
        assert!(ANNOTATIONS.is_sorted());
    }

    #[test]
    fn facts_of_an_operation_are_read() {
        let op = |name| paddle_op(name).expect("it is registered");
        assert!(op("pd_op.dropout").has_side_effect && op("cf.yield").has_side_effect);
        assert!(!op("pd_op.bernoulli").has_side_effect);
        assert_eq!(*op("pd_op.assign_out_").overwrites, [1]);
        assert_eq!(*op("pd_op.batch_norm_").overwrites, [1, 2]);
        assert_eq!(op("pd_op.full").attribute("value"), Some(true));
        assert_eq!(op("pd_op.full").attribute("shape"), Some(false));
        assert_eq!(op("pd_op.full").attribute("stop_gradient"), None);
        assert_eq!(paddle_op("custom_op.mine"), None);
        assert!(is_paddle_annotation("stop_gradient") && !is_paddle_annotation("value"));
    }
}
