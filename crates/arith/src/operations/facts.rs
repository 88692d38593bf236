//! Facts that a user states about arguments: `M = "1 <= M <= 65536"`.
//!
//! In: names and conditions, of the settings. Out: constraints on entry. A condition is a chain of comparisons of
//! integers, names of arguments, and remainders (`n % 16 == 0`); several are joined by `and`. `program_id_x` (`_y`,
//! `_z`) is the number of the program of Triton or of the block. Linear in the text.

use ir::{BinaryOp, DataType, ExprId, ExprKind, ValueId};

use super::{Decider, OperationFacts, text};

/// A fact: of which function, about which name, what.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StatedFact {
    /// The function; none for all that have an argument of the name.
    pub function: Option<String>,
    /// The name of an argument.
    pub name: String,
    /// As it is written.
    pub text: String,
    comparisons: Vec<Comparison>,
}

/// The facts that a user states.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct StatedFacts(Vec<StatedFact>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Comparison {
    left: Side,
    op: BinaryOp,
    right: Side,
}

/// A number, or a name, optionally the remainder by a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Side {
    Number(i64),
    Name(String, Option<i64>),
}

impl StatedFacts {
    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &StatedFact> {
        self.0.iter()
    }

    /// Adds a fact that was read.
    pub fn push(&mut self, fact: StatedFact) {
        self.0.push(fact);
    }

    /// Adds the fact of a name, `function.name` or `name`.
    ///
    /// # Errors
    /// The part of the condition that is not understood.
    pub fn add(&mut self, key: &str, condition: &str) -> Result<(), String> {
        let (function, name) = match key.rsplit_once('.') {
            Some((function, name)) => (Some(function.to_owned()), name),
            None => (None, key),
        };
        let mut comparisons = Vec::new();
        for part in condition.split(" and ") {
            chain(part, &mut comparisons)?;
        }
        let mentions = |it: &Side| matches!(it, Side::Name(it, _) if it == name);
        if !comparisons.iter().any(|it| mentions(&it.left) || mentions(&it.right)) {
            return Err(format!("the condition does not mention `{name}`"));
        }
        let (name, text) = (name.to_owned(), condition.to_owned());
        self.0.push(StatedFact { function, name, text, comparisons });
        Ok(())
    }
}

const OPERATORS: [(&str, BinaryOp); 5] = [
    ("<=", BinaryOp::Le),
    (">=", BinaryOp::Ge),
    ("==", BinaryOp::Eq),
    ("<", BinaryOp::Lt),
    (">", BinaryOp::Gt),
];

/// `1 <= M < 8`
fn chain(text: &str, out: &mut Vec<Comparison>) -> Result<(), String> {
    let mut rest = text;
    let mut pending: Option<(Side, BinaryOp)> = None;
    let n_before = out.len();
    loop {
        let (here, tail) = rest.split_at(rest.find(['<', '>', '=', '!']).unwrap_or(rest.len()));
        let here = side(here.trim())?;
        if let Some((left, op)) = pending.take() {
            out.push(Comparison { left, op, right: here.clone() });
        }
        if tail.is_empty() {
            break;
        }
        let (word, op) = OPERATORS
            .iter()
            .find(|(word, _)| tail.starts_with(word))
            .ok_or_else(|| format!("`{}` is no comparison", text.trim()))?;
        pending = Some((here, *op));
        rest = &tail[word.len()..];
    }
    match out.len() > n_before {
        true => Ok(()),
        false => Err(format!("`{}` is no comparison", text.trim())),
    }
}

fn side(text: &str) -> Result<Side, String> {
    if let Ok(number) = text.replace('_', "").parse() {
        return Ok(Side::Number(number));
    }
    let (name, divisor) = match text.split_once('%') {
        Some((name, divisor)) => {
            let divisor: i64 = divisor.trim().parse().map_err(|_| no_side(text))?;
            (name.trim(), Some(divisor).filter(|it| *it > 0))
        }
        None => (text, None),
    };
    let is_name = !name.is_empty()
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$'));
    if !is_name || (text.contains('%') && divisor.is_none()) {
        return Err(no_side(text));
    }
    Ok(Side::Name(name.to_owned(), divisor))
}

fn no_side(text: &str) -> String {
    format!("`{text}` is neither a number, a name, nor the remainder of one (`n % 16`)")
}

impl OperationFacts<'_> {
    /// Adds what is stated about the arguments of the function: by the user, and by their attributes.
    pub(super) fn state(&mut self, facts: &StatedFacts) {
        if let Some(&block) = self.body.regions[self.body.root].blocks.first() {
            let args = self.body.blocks[block].args.to_vec();
            self.divisibilities(&args);
        }
        for (number, fact) in facts.0.iter().enumerate() {
            if fact.function.as_ref().is_some_and(|it| **it != *self.body.name) {
                continue;
            }
            for comparison in &fact.comparisons {
                let sides = (self.side(&comparison.left), self.side(&comparison.right));
                if let (Some((a, ty)), Some((b, other))) = sides {
                    let dtype = ty.or(other).unwrap_or(DataType::INT64);
                    if ty.is_some_and(|it| it != dtype) || other.is_some_and(|it| it != dtype) {
                        continue;
                    }
                    let (a, b) = (self.of_type(a, dtype), self.of_type(b, dtype));
                    let condition = self.analyzer.grow(|body| body.binary(comparison.op, a, b));
                    self.stated =
                        self.assume(self.stated, condition, true, Some(Decider::Stated(number)));
                }
            }
        }
    }

    /// `{tt.divisibility = 16 : i32}` of the arguments that are integers.
    fn divisibilities(&mut self, args: &[ValueId]) {
        let Some(list) = self.body.func_attr("arg_attrs") else { return };
        let ir::Attr::Text(list) = list else { return };
        let items = ir::text::cursor::items(list);
        for (&arg, item) in args.iter().zip(items) {
            let Some((_, number)) = item.split_once("tt.divisibility") else { continue };
            let number = number.trim_start_matches(['"', ' ', '=']);
            let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            let Ok(divisor) = number[..end].parse::<i64>() else { continue };
            let dtype = text::integer(text::type_text(self.body, arg));
            let (Some(term), Some(dtype)) = (self.term(arg), dtype) else { continue };
            if divisor < 2 || dtype.is_bool() {
                continue;
            }
            let condition = self.analyzer.grow(|body| {
                let divisor = body.int(divisor.into(), dtype);
                let zero = body.int(0, dtype);
                let rest = body.binary(BinaryOp::FloorMod, term, divisor);
                body.binary(BinaryOp::Eq, rest, zero)
            });
            self.stated = self.assume(self.stated, condition, true, Some(Decider::Attribute));
        }
    }

    /// The term of a side, and its type if it is not a number; none if no argument has the name.
    fn side(&mut self, side: &Side) -> Option<(ExprId, Option<DataType>)> {
        match side {
            Side::Number(value) => Some((self.int((*value).into(), DataType::INT64), None)),
            Side::Name(name, divisor) => {
                let term = self.named(name)?;
                let dtype = self.analyzer.body().dtype(term)?;
                let term = match *divisor {
                    Some(divisor) => self.analyzer.grow(|body| {
                        let divisor = body.int(divisor.into(), dtype);
                        body.binary(BinaryOp::FloorMod, term, divisor)
                    }),
                    None => term,
                };
                Some((term, Some(dtype)))
            }
        }
    }

    fn named(&mut self, name: &str) -> Option<ExprId> {
        if let Some(axis) = name.strip_prefix("program_id_") {
            let axis = ["x", "y", "z"].iter().position(|it| *it == axis)?;
            return Some(self.program_id(axis as u32));
        }
        let body = self.body;
        let block = *body.regions[body.root].blocks.first()?;
        let arg = body.blocks[block].args.iter().copied().find(|it| self.name(*it) == name)?;
        let term = self.term(arg)?;
        self.analyzer.body().dtype(term).filter(|it| it.is_int()).map(|_| term)
    }

    /// A number in another type.
    fn of_type(&mut self, term: ExprId, dtype: DataType) -> ExprId {
        match self.analyzer.body().expr(term).kind {
            ExprKind::Int(value) => self.int(value.into(), dtype),
            _ => term,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let mut facts = StatedFacts::default();
        facts.add("M", "1 <= M <= 65_536 and M % 16 == 0").unwrap();
        facts.add("f.K", "K < M").unwrap();
        let n = facts.iter().map(|it| (it.function.is_some(), it.comparisons.len()));
        assert_eq!(n.collect::<Vec<_>>(), [(false, 3), (true, 1)]);
        for (key, condition) in
            [("M", "M"), ("M", "N < 4"), ("M", "M < f(x)"), ("M", "M != 4"), ("M", "M % 0 == 1")]
        {
            assert!(facts.add(key, condition).is_err(), "{condition}");
        }
    }
}
