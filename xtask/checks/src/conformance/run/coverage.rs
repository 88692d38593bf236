//! Coverage: the constructs that each side executed. A construct that TVM never ran is checked against our own reading
//! only.

use std::collections::{BTreeMap, BTreeSet};

use interp::known_calls;
use ir::{Body, Callee, ExprKind, ForKind, OpKind};
use rustc_hash::FxHashSet;

/// Expressions that are no calls, as this module names them.
const OPERATORS: &[&str] = &[
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "floordiv",
    "floormod",
    "min",
    "max",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "and",
    "or",
    "bitand",
    "bitor",
    "bitxor",
    "shl",
    "shr",
    "not",
    "bitnot",
    "select",
    "load",
    "ramp",
    "broadcast",
    "shuffle",
    "let",
    "value",
    "int",
    "float",
    "bufferfield",
];
/// Statements, as this module names them.
const STATEMENTS: &[&str] = &[
    "for",
    "for, parallel",
    "for, vectorized",
    "for, unrolled",
    "if",
    "while",
    "sblock",
    "launch blockIdx.x",
    "launch threadIdx.x",
    "attribute reduce_scope",
    "store",
    "bind",
    "alloc",
    "declbuffer",
    "evaluate",
    "assert",
    "return",
    "break",
    "continue",
];
/// Element types.
const TYPES: &[&str] = &[
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int1",
    "int2",
    "int4",
    "uint1",
    "uint2",
    "uint4",
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
];

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

    /// Returns the entries in this and not in `other`.
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

    /// Calls, operators and element types that the interpreter knows, and that were not met.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for name in known_calls() {
            if !self.types.contains_key(&format!("T.{name}")) {
                missing.push(format!("call T.{name}"));
            }
        }
        for name in OPERATORS.iter().chain(STATEMENTS) {
            if !self.types.contains_key(*name) {
                missing.push(format!("construct {name}"));
            }
        }
        let met: BTreeSet<&str> = self.types.values().flatten().map(String::as_str).collect();
        let casts: BTreeSet<&str> =
            self.types.keys().filter_map(|it| it.strip_prefix("cast from ")).collect();
        let new = |it: &&&str| !met.contains(**it) && !casts.contains(**it);
        missing.extend(TYPES.iter().filter(new).map(|it| format!("type {it}")));
        missing
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
        OpKind::LaunchThread { tag, .. } => format!("launch {}", body.tag_name(tag)),
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
        ExprKind::IfThenElse(..) => "T.if_then_else".to_owned(),
        ExprKind::Call { callee: Callee::Intrinsic(name, _), .. } => {
            format!("T.{}", body.name(name))
        }
        other => {
            let debug = format!("{other:?}");
            let end = debug.find([' ', '(', '{']).unwrap_or(debug.len());
            debug[..end].to_lowercase()
        }
    }
}
