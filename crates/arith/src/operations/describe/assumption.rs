//! A fact as operations of `arith`: how a program states it itself.
//!
//! In: a condition over scalars of the program. Out: the text of operations that compute it, one a line, and the name
//! of the last result, which `llvm.intr.assume` or `cf.assert` takes. None for what is no scalar of the program (an
//! element, the number of a program), and for a division that may trap: what states a fact must not fail itself.

use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, UnaryOp, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{super::text::type_text, Written};

/// Operations that state a fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The operations that compute the condition, without indentation.
    pub ops: Vec<String>,
    /// The name of the condition.
    pub condition: String,
    /// The values of the program that it is about.
    pub values: Vec<ValueId>,
}

/// The operations written so far.
struct Writer<'w, 'o> {
    written: &'w Written<'o>,
    ops: Vec<String>,
    values: Vec<ValueId>,
    /// Names that the program has.
    taken: FxHashSet<&'w str>,
    known: FxHashMap<(ExprId, String), String>,
    n_named: usize,
}

impl Written<'_> {
    /// The operations that state a fact; none where they cannot.
    pub(super) fn assumption(&self, fact: ExprId) -> Option<Assumption> {
        let body = self.ops;
        let names = body.values.iter().map(|(_, it)| body.name(it.name).trim_start_matches('%'));
        let mut writer = Writer {
            written: self,
            ops: Vec::new(),
            values: Vec::new(),
            taken: names.collect(),
            known: FxHashMap::default(),
            n_named: 0,
        };
        let condition = writer.value(fact, "i1")?;
        let Writer { ops, values, .. } = writer;
        (!ops.is_empty()).then_some(Assumption { ops, condition, values })
    }
}

impl Writer<'_, '_> {
    fn terms(&self) -> &Body {
        self.written.simplifier.body()
    }

    /// Writes an operation, and gives the name of its result.
    fn op(&mut self, text: &str) -> String {
        let name = loop {
            let name = match self.n_named {
                0 => "fact".to_owned(),
                n => format!("fact_{n}"),
            };
            self.n_named += 1;
            if !self.taken.contains(name.as_str()) {
                break name;
            }
        };
        self.ops.push(format!("%{name} = {text}"));
        format!("%{name}")
    }

    /// The type that a term has in the program; none if any of its width would do.
    fn type_of(&self, term: ExprId) -> Option<String> {
        let body = self.terms();
        let dtype = body.dtype(term)?;
        match body.expr(term).kind {
            ExprKind::Value(leaf) => {
                let value = self.written.leaves.get(&leaf)?.value?;
                Some(type_text(self.written.ops, value).to_owned())
            }
            ExprKind::Cast(inner) if body.dtype(inner)?.bits == dtype.bits => self.type_of(inner),
            ExprKind::Cast(_) => (dtype.bits < 64).then(|| format!("i{}", dtype.bits)),
            _ if dtype.is_bool() => Some("i1".to_owned()),
            ExprKind::Binary(_, a, b) => self.type_of(a).or_else(|| self.type_of(b)),
            _ => None,
        }
    }

    /// The type of both operands.
    fn type_of_both(&self, a: ExprId, b: ExprId) -> Option<String> {
        let bits = self.terms().dtype(a)?.bits;
        let found = self.type_of(a).or_else(|| self.type_of(b));
        Some(found.unwrap_or_else(|| format!("i{bits}")))
    }

    /// The name of a term as a value of a type.
    fn value(&mut self, term: ExprId, ty: &str) -> Option<String> {
        let key = (term, ty.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let name = ir::stack::with_room(|| self.new_value(term, ty))?;
        self.known.insert(key, name.clone());
        Some(name)
    }

    fn new_value(&mut self, term: ExprId, ty: &str) -> Option<String> {
        let dtype = self.terms().dtype(term)?;
        match self.terms().expr(term).kind {
            ExprKind::Value(leaf) => {
                let value = self.written.leaves.get(&leaf)?.value?;
                if type_text(self.written.ops, value) != ty {
                    return None;
                }
                self.values.push(value);
                Some(self.written.text(term))
            }
            ExprKind::Int(value) if dtype.is_bool() => {
                Some(self.op(&format!("arith.constant {}", value != 0)))
            }
            ExprKind::Int(value) => Some(self.op(&format!("arith.constant {value} : {ty}"))),
            ExprKind::Cast(inner) => self.cast(inner, dtype, ty),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.value(inner, "i1")?;
                let one = self.op("arith.constant true");
                Some(self.op(&format!("arith.xori {inner}, {one} : i1")))
            }
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, ty),
            _ => None,
        }
    }

    fn cast(&mut self, inner: ExprId, to: DataType, ty: &str) -> Option<String> {
        let from = self.terms().dtype(inner)?;
        if from.bits == to.bits {
            return self.value(inner, ty);
        }
        let of = self.type_of(inner).unwrap_or_else(|| format!("i{}", from.bits));
        let name = self.value(inner, &of)?;
        let word = match (from.is_uint() || from.is_bool(), of == "index" || ty == "index") {
            (false, true) => "index_cast",
            (true, true) => "index_castui",
            _ if to.bits < from.bits => "trunci",
            (false, false) => "extsi",
            (true, false) => "extui",
        };
        Some(self.op(&format!("arith.{word} {name} : {of} to {ty}")))
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: &str) -> Option<String> {
        let dtype = self.terms().dtype(a)?;
        let sign = if dtype.is_uint() { 'u' } else { 's' };
        if op.is_comparison() {
            if dtype.is_bool() {
                return None;
            }
            let word = match op {
                BinaryOp::Eq => "eq".to_owned(),
                BinaryOp::Ne => "ne".to_owned(),
                BinaryOp::Lt => format!("{sign}lt"),
                BinaryOp::Le => format!("{sign}le"),
                BinaryOp::Gt => format!("{sign}gt"),
                _ => format!("{sign}ge"),
            };
            let of = self.type_of_both(a, b)?;
            let (a, b) = (self.value(a, &of)?, self.value(b, &of)?);
            return Some(self.op(&format!("arith.cmpi {word}, {a}, {b} : {of}")));
        }
        let divisor = match self.terms().expr(b).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        };
        if let (BinaryOp::FloorMod, Some(divisor @ 1..)) = (op, divisor) {
            // The rest of a division by a power of two, also of negative numbers.
            if divisor & (divisor - 1) == 0 {
                let a = self.value(a, ty)?;
                let mask = self.op(&format!("arith.constant {} : {ty}", divisor - 1));
                return Some(self.op(&format!("arith.andi {a}, {mask} : {ty}")));
            }
        }
        if op.is_division() && divisor.is_none_or(|it| it <= 0) {
            return None;
        }
        let word = match op {
            BinaryOp::Add => "addi".to_owned(),
            BinaryOp::Sub => "subi".to_owned(),
            BinaryOp::Mul => "muli".to_owned(),
            BinaryOp::And if dtype.is_bool() => "andi".to_owned(),
            BinaryOp::Or if dtype.is_bool() => "ori".to_owned(),
            BinaryOp::Min => format!("min{sign}i"),
            BinaryOp::Max => format!("max{sign}i"),
            BinaryOp::Div => format!("div{sign}i"),
            BinaryOp::Mod => format!("rem{sign}i"),
            BinaryOp::FloorDiv if !dtype.is_uint() => "floordivsi".to_owned(),
            _ => return None,
        };
        let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
        Some(self.op(&format!("arith.{word} {a}, {b} : {ty}")))
    }
}
