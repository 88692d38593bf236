//! Regions of named structured operations: the generic form shows them, the pretty form leaves them out, as they follow
//! from name and types.
//!
//! In: an operation whose row has a `body`, in postfix notation, and its operands. Out: the region that the reference
//! compiler makes of it: its block has an argument for each operand, of the type of its elements; each word of the body
//! becomes its operation for the actual types, or none (a cast to the same type). An operation that the notation cannot
//! express (`fill_rng_2d`), or types without such an operation, get no region: their pretty form alone does not
//! determine the computation, so they are equal to nothing in the generic form. O(words of the body).

use ir::{Attr, BlockId, OpId, OpKind, ValueId, arena::Id};
use smallvec::SmallVec;

use super::{
    aliases::Aliases,
    canonical, forms,
    names::NONE,
    number::Element,
    operation::Made,
    reader::{Frame, Operand, Reader},
    types,
};

/// A word of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The element of an input.
    Input(usize),
    /// The element of the output so far.
    Output,
    /// To the type of the output; an attribute gives the signedness: signed by default.
    Cast(Option<Sign>),
    /// The operation that has this name for the types of its operands.
    Compute(Function),
    /// The operation that the attribute `fun` names, of so many operands.
    Named(usize),
}

/// The signedness of integers in a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

/// A function of elements, by its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    word: &'static str,
    arity: usize,
    /// Of floats, integers, `i1`, complex numbers; empty where there is none.
    names: [&'static str; 4],
}

const fn function(word: &'static str, arity: usize, names: [&'static str; 4]) -> Function {
    Function { word, arity, names }
}

/// As the peer's builder of regions chooses them.
#[rustfmt::skip]
const FUNCTIONS: &[Function] = &[
    function("add", 2, ["arith.addf", "arith.addi", "arith.ori", "complex.add"]),
    function("sub", 2, ["arith.subf", "arith.subi", "arith.subi", "complex.sub"]),
    function("mul", 2, ["arith.mulf", "arith.muli", "arith.andi", "complex.mul"]),
    function("div", 2, ["arith.divf", "arith.divsi", "arith.divsi", "complex.div"]),
    function("div_unsigned", 2, ["", "arith.divui", "arith.divui", ""]),
    function("max", 2, ["arith.maximumf", "arith.maxsi", "arith.maxsi", ""]),
    function("min", 2, ["arith.minimumf", "arith.minsi", "arith.minsi", ""]),
    function("max_unsigned", 2, ["arith.maximumf", "arith.maxui", "arith.maxui", ""]),
    function("min_unsigned", 2, ["arith.minimumf", "arith.minui", "arith.minui", ""]),
    function("powf", 2, ["math.powf", "", "", ""]),
    function("select", 3, ["arith.select", "arith.select", "arith.select", "arith.select"]),
    function("abs", 1, ["math.absf", "", "", ""]),
    function("ceil", 1, ["math.ceil", "", "", ""]),
    function("erf", 1, ["math.erf", "", "", ""]),
    function("exp", 1, ["math.exp", "", "", ""]),
    function("floor", 1, ["math.floor", "", "", ""]),
    function("log", 1, ["math.log", "", "", ""]),
    function("negf", 1, ["arith.negf", "", "", ""]),
    function("reciprocal", 1, ["arith.divf", "", "", ""]),
    function("round", 1, ["math.round", "", "", ""]),
    function("rsqrt", 1, ["math.rsqrt", "", "", ""]),
    function("sqrt", 1, ["math.sqrt", "", "", ""]),
    function("square", 1, ["arith.mulf", "", "", ""]),
    function("tanh", 1, ["math.tanh", "", "", ""]),
];

fn find(word: &str) -> Option<Function> {
    // As the attribute says it.
    let word = word.strip_suffix("_signed").unwrap_or(word);
    FUNCTIONS.iter().find(|it| it.word == word).copied()
}

/// Reads a body: `o a cast b cast mul add` is `o + cast(a) * cast(b)`.
pub(super) fn parse(text: &str) -> Result<Vec<Word>, String> {
    let mut depth = 0usize;
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let (word, n_taken) = match word {
            "a" | "b" | "c" | "d" => (Word::Input(usize::from(word.as_bytes()[0] - b'a')), 0),
            "o" => (Word::Output, 0),
            "cast" => (Word::Cast(None), 1),
            "scast" => (Word::Cast(Some(Sign::Signed)), 1),
            "ucast" => (Word::Cast(Some(Sign::Unsigned)), 1),
            "fun1" => (Word::Named(1), 1),
            "fun2" => (Word::Named(2), 2),
            _ => {
                let found = find(word).ok_or_else(|| format!("`{word}` is no word of a body"))?;
                (Word::Compute(found), found.arity)
            }
        };
        depth = depth.checked_sub(n_taken).ok_or("a body with too few operands")? + 1;
        words.push(word);
    }
    if depth == 1 { Ok(words) } else { Err(format!("a body of {depth} values")) }
}

/// The operation to build: name, operands, type, and the dictionary in canonical text.
struct Planned {
    name: &'static str,
    operands: SmallVec<[Place; 3]>,
    ty: String,
    attribute: Option<(&'static str, String)>,
}

/// A value while a body is planned: an argument of the block or the result of an operation, by number.
#[derive(Clone, Copy, Debug)]
enum Place {
    Argument(usize),
    Result(usize),
}

/// The operations of a body; none if there is none for these types.
struct Planner {
    arguments: Vec<String>,
    stack: Vec<(Place, String)>,
    ops: Vec<Planned>,
}

impl Planner {
    fn run(&mut self, words: &[Word], is_unsigned: bool, fun: Option<&str>) -> Option<Place> {
        let last = self.arguments.len().checked_sub(1)?;
        for word in words {
            match *word {
                Word::Input(at) if at < last => self.argument(at),
                Word::Input(_) => return None,
                Word::Output => self.argument(last),
                Word::Cast(sign) => {
                    let is_unsigned = sign.map_or(is_unsigned, |it| it == Sign::Unsigned);
                    let to = self.arguments[last].clone();
                    self.cast(to, is_unsigned)?;
                }
                Word::Compute(function) => self.compute(function)?,
                Word::Named(arity) => {
                    let default = if arity == 1 { "exp" } else { "add" };
                    let function = find(fun.unwrap_or(default)).filter(|it| it.arity == arity)?;
                    self.compute(function)?;
                }
            }
        }
        let (place, ty) = self.stack.pop()?;
        (ty == self.arguments[last]).then_some(place)
    }

    fn argument(&mut self, at: usize) {
        self.stack.push((Place::Argument(at), self.arguments[at].clone()));
    }

    fn push(&mut self, op: Planned) {
        self.stack.push((Place::Result(self.ops.len()), op.ty.clone()));
        self.ops.push(op);
    }

    fn cast(&mut self, to: String, is_unsigned: bool) -> Option<()> {
        let (place, from) = self.stack.pop()?;
        if from == to {
            self.stack.push((place, to));
            return Some(());
        }
        let parts = match (complex_of(&from), complex_of(&to)) {
            (None, None) => {
                let cast = self.converted(place, &from, &to, is_unsigned)?;
                self.stack.push((cast, to));
                return Some(());
            }
            (None, Some(part)) => {
                let real = self.converted(place, &from, part, is_unsigned)?;
                let attribute = Some(("value", format!("0.000000e+00 : {part}")));
                [real, self.plan("arith.constant", &[], part, attribute)]
            }
            (Some(old), Some(new)) => {
                let parts = ["complex.re", "complex.im"];
                let [real, imaginary] = parts.map(|it| self.plan(it, &[place], old, None));
                let real = self.converted(real, old, new, is_unsigned)?;
                [real, self.converted(imaginary, old, new, is_unsigned)?]
            }
            (Some(_), None) => return None,
        };
        let made = self.plan("complex.create", &parts, &to, None);
        self.stack.push((made, to));
        Some(())
    }

    /// Plans a cast, if the types differ.
    fn converted(
        &mut self,
        place: Place,
        from: &str,
        to: &str,
        is_unsigned: bool,
    ) -> Option<Place> {
        match from == to {
            true => Some(place),
            false => Some(self.plan(cast_name(from, to, is_unsigned)?, &[place], to, None)),
        }
    }

    /// Plans an operation that is not on the stack.
    fn plan(
        &mut self,
        name: &'static str,
        operands: &[Place],
        ty: &str,
        attribute: Option<(&'static str, String)>,
    ) -> Place {
        let operands = SmallVec::from_slice(operands);
        self.ops.push(Planned { name, operands, ty: ty.to_owned(), attribute });
        Place::Result(self.ops.len() - 1)
    }

    fn compute(&mut self, function: Function) -> Option<()> {
        let at = self.stack.len().checked_sub(function.arity)?;
        let mut operands: SmallVec<[Place; 3]> = self.stack[at..].iter().map(|it| it.0).collect();
        let types: SmallVec<[String; 3]> = self.stack.drain(at..).map(|it| it.1).collect();
        // The condition of a choice apart, all are of one type.
        let ty = types.last()?.clone();
        let n_free = usize::from(function.word == "select");
        if types[n_free..].iter().any(|it| *it != ty) || (n_free == 1 && types[0] != "i1") {
            return None;
        }
        let name = function.names[kind(&ty)?];
        match function.word {
            "square" => operands.push(operands[0]),
            "reciprocal" => {
                let one = ("value", format!("1.000000e+00 : {ty}"));
                operands.insert(0, Place::Result(self.ops.len()));
                let (name, ty) = ("arith.constant", ty.clone());
                self.ops.push(Planned {
                    name,
                    operands: SmallVec::new(),
                    ty,
                    attribute: Some(one),
                });
            }
            _ => {}
        }
        if name.is_empty() {
            return None;
        }
        self.push(Planned { name, operands, ty, attribute: None });
        Some(())
    }
}

/// Returns the index of a type among the names of a function.
fn kind(ty: &str) -> Option<usize> {
    match Element::of(ty) {
        Element::Float(..) => Some(0),
        Element::Index => Some(1),
        Element::Integer(1, false) if ty.starts_with('i') => Some(2),
        Element::Integer(_, false) if ty.starts_with('i') => Some(1),
        Element::Other if ty.starts_with("f8") => Some(0),
        Element::Other if ty.starts_with("complex<") => Some(3),
        _ => None,
    }
}

/// The type of the parts of a complex number.
fn complex_of(ty: &str) -> Option<&str> {
    ty.strip_prefix("complex<")?.strip_suffix('>')
}

fn cast_name(from: &str, to: &str, is_unsigned: bool) -> Option<&'static str> {
    let bits = |ty: &str| match Element::of(ty) {
        Element::Float(bits, _) => Some(bits),
        _ if ty.starts_with("f8") => Some(8),
        _ => None,
    };
    let is_integer =
        |ty: &str| ty.starts_with('i') && matches!(Element::of(ty), Element::Integer(..));
    let width = |ty: &str| match Element::of(ty) {
        Element::Integer(bits, _) => bits,
        _ => 0,
    };
    match (bits(from), bits(to)) {
        (Some(from), Some(to)) if from < to => Some("arith.extf"),
        (Some(from), Some(to)) if from > to => Some("arith.truncf"),
        (Some(_), None) if is_integer(to) && is_unsigned => Some("arith.fptoui"),
        (Some(_), None) if is_integer(to) => Some("arith.fptosi"),
        (None, Some(_)) if is_integer(from) && is_unsigned => Some("arith.uitofp"),
        (None, Some(_)) if is_integer(from) => Some("arith.sitofp"),
        (None, None) if from == "index" && is_integer(to) => Some("arith.index_cast"),
        (None, None) if is_integer(from) && is_integer(to) => Some(match () {
            () if width(from) > width(to) => "arith.trunci",
            () if is_unsigned => "arith.extui",
            () => "arith.extsi",
        }),
        _ => None,
    }
}

impl Reader<'_> {
    /// Gives an operation in its pretty form the region of its row.
    pub(super) fn implied_region(
        &mut self,
        op: OpId,
        frame: &Frame,
        made: &Made,
        aliases: &Aliases,
    ) {
        let rule = forms::rule(self.heads[frame.head as usize].rule);
        let Some(words) = &rule.body else { return };
        if !self.body.ops[op].regions.is_empty() {
            return;
        }
        let Some(arguments) = self.element_types(frame, made.n_operands) else { return };
        let dict = self.body.dict(self.body.ops[op].attrs);
        let text = |key: &str| match dict.iter().find(|it| &*it.0 == key) {
            Some((_, Attr::Text(text))) => Some(text.to_string()),
            _ => None,
        };
        let is_unsigned = text("cast").is_some_and(|it| it.contains("unsigned"));
        let fun = text("fun");
        let fun =
            fun.as_deref().and_then(|it| it.split_once('<')).map(|it| it.1.trim_end_matches('>'));
        let mut planner = Planner { arguments, stack: Vec::new(), ops: Vec::new() };
        let Some(result) = planner.run(words, is_unsigned, fun) else { return };
        self.put_region(op, &planner, result, aliases);
    }

    /// The types of the elements of the operands, where all are known.
    fn element_types(&self, frame: &Frame, n_operands: usize) -> Option<Vec<String>> {
        let operands = self.operands[frame.operands..].iter().take(n_operands);
        let element = |it: &Operand| {
            // One that is defined further on has no type yet.
            let value = (it.value != NONE).then(|| ValueId::new(it.value as usize))?;
            let text = self.type_text(self.body.values[value].ty);
            if text.is_empty() {
                return None;
            }
            let is_shaped = ["tensor<", "memref<"].iter().any(|it| text.starts_with(it));
            Some(if is_shaped { types::element_of(text)?.to_owned() } else { text.to_owned() })
        };
        operands.map(element).collect()
    }

    fn put_region(&mut self, op: OpId, planner: &Planner, result: Place, aliases: &Aliases) {
        let here = self.relative((self.pos(), self.pos()));
        let region = self.body.push_region(op);
        self.map.set_region(region, here);
        let block = self.body.entry(region);
        self.map.set_block(block, here);
        for ty in &planner.arguments {
            let ty = self.named_type(ty);
            let value = self.body.new_block_arg(block, "", ty);
            self.map.set_value(value, here);
        }
        let mut results: Vec<ValueId> = Vec::new();
        for planned in &planner.ops {
            let inner = self.put_op(block, planned.name, &planned.operands, &results);
            if let Some((key, text)) = &planned.attribute {
                let text = canonical::attribute(text, aliases);
                self.body.ops[inner].attrs =
                    self.body.attr_dict(vec![(Box::from(*key), Attr::Text(text.into_boxed_str()))]);
            }
            let ty = self.named_type(&planned.ty);
            let value = self.body.push_result(inner, "", ty);
            self.map.set_value(value, here);
            results.push(value);
        }
        self.put_op(block, "linalg.yield", &[result], &results);
    }

    fn put_op(
        &mut self,
        block: BlockId,
        name: &str,
        operands: &[Place],
        results: &[ValueId],
    ) -> OpId {
        let here = self.relative((self.pos(), self.pos()));
        let name = self.body.intern(name);
        let op = self.body.push_op(block, OpKind::Named(name), &[]);
        self.map.set_op(op, here, here);
        for place in operands {
            let value = match *place {
                Place::Argument(at) => self.body.blocks[block].args[at],
                Place::Result(at) => results[at],
            };
            let operand = self.body.value_expr(value);
            self.body.ops[op].operands.push(operand);
            self.map.push_use(op, here);
        }
        op
    }
}
