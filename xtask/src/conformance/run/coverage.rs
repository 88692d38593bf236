//! Which constructs were executed by whom: a construct that TVM never ran is checked against our own reading only.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Body, Callee, ExprKind, ForKind, OpKind};
use rustc_hash::FxHashSet;

/// Constructs and the data types each was met with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Coverage {
    types: BTreeMap<String, BTreeSet<String>>,
}

impl Coverage {
    /// Adds the constructs of a function that was executed. O(n) in the body.
    pub(super) fn add(&mut self, body: &Body) {
        let mut seen = FxHashSet::default();
        for op in body.ops_preorder() {
            let operation = &body.ops[op];
            self.note(statement(body, operation.kind), "");
            let mut stack = operation.operands.to_vec();
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                let node = body.expr(expr);
                let dtype = node.ty.prim().map(|it| it.to_string()).unwrap_or_default();
                self.note(expression(body, node.kind), &dtype);
                body.each_child(node.kind, &mut |child| stack.push(child));
            }
        }
    }

    fn note(&mut self, construct: String, dtype: &str) {
        self.types.entry(construct).or_default().insert(dtype.to_owned());
    }

    /// What is in this and not in `other`.
    pub(super) fn without(&self, other: &Coverage) -> Coverage {
        let mut rest = Coverage::default();
        for (construct, types) in &self.types {
            let known = other.types.get(construct);
            for dtype in types {
                if known.is_none_or(|known| !known.contains(dtype)) {
                    rest.note(construct.clone(), dtype);
                }
            }
        }
        rest
    }

    /// One line a construct, with its types.
    pub(super) fn lines(&self) -> Vec<String> {
        self.types
            .iter()
            .map(|(construct, types)| {
                let types: Vec<&str> = types.iter().map(String::as_str).collect();
                format!("{construct}: {}", types.join(" ")).trim_end_matches([':', ' ']).to_owned()
            })
            .collect()
    }
}

fn statement(body: &Body, kind: OpKind) -> String {
    match kind {
        OpKind::For(ForKind::Serial) => "for".to_owned(),
        OpKind::For(ForKind::ThreadBinding(_)) => "for, threads".to_owned(),
        OpKind::For(kind) => format!("for, {}", format!("{kind:?}").to_lowercase()),
        OpKind::LaunchThread { tag, .. } => format!("launch {}", body.name(tag)),
        OpKind::Attr(key) => format!("attribute {}", body.name(key)),
        OpKind::Named(name) => format!("operation {}", body.name(name)),
        // The payload is numbers of this body: the name alone says what it is.
        other => {
            let debug = format!("{other:?}");
            let end = debug.find([' ', '(', '{']).unwrap_or(debug.len());
            debug[..end].to_lowercase()
        }
    }
}

fn expression(body: &Body, kind: ExprKind) -> String {
    match kind {
        ExprKind::Binary(op, ..) => format!("{op:?}").to_lowercase(),
        ExprKind::Unary(op, _) => format!("{op:?}").to_lowercase(),
        ExprKind::Cast(from) => {
            let from = body.dtype(from).map(|it| it.to_string()).unwrap_or_default();
            format!("cast from {from}")
        }
        ExprKind::Call { callee: Callee::Intrinsic(name), .. } => format!("T.{}", body.name(name)),
        other => {
            let debug = format!("{other:?}");
            let end = debug.find([' ', '(', '{']).unwrap_or(debug.len());
            debug[..end].to_lowercase()
        }
    }
}
