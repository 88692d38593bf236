//! The arguments of a run: from files, from the command line, or made up.
//!
//! In: a function, the entries of `--inputs` and `--set`. Out: an argument a parameter, and the values of symbols.
//! First come the files, whose shapes determine symbols; then the remaining inputs are made with these. Made-up floats
//! are between −1 and 1, integers in arrays from 0 to 3 (they are often indices), integer parameters from 1 to 8. Equal
//! seeds give equal values everywhere.

use anyhow::{Context as _, anyhow, bail};
use interp::{Argument, ArgumentNeed, Array, Symbols, buffer_of, free_symbols, needs, solve};
use ir::{Body, DataType, Lanes, TypeCode, ValueId};

use crate::{
    cli::{args::RunArgs, commands::run::npy, io::Io},
    suggest::{did_you_mean, near},
};

/// The most memory that made-up arrays may take.
const MAX_BYTES: i64 = 4 << 30;

/// The inputs of a run.
pub(super) struct Inputs {
    pub(super) arguments: Vec<Argument>,
    pub(super) symbols: Symbols,
}

/// An entry of `--inputs`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Entry<'a> {
    Random,
    Zeros,
    Int(i64),
    Float(f64),
    File(&'a str),
}

/// Reads an entry.
pub(super) fn entry(text: &str) -> Entry<'_> {
    match text {
        "random" => Entry::Random,
        "zeros" => Entry::Zeros,
        _ => match (text.parse(), text.parse()) {
            (Ok(value), _) => Entry::Int(value),
            (_, Ok(value)) => Entry::Float(value),
            _ => Entry::File(text),
        },
    }
}

/// The name of a parameter: of its buffer, if it is one.
pub(super) fn parameter_name(body: &Body, index: usize) -> &str {
    match buffer_of(body, index) {
        Some(buffer) => body.name(body.buffers[buffer].name),
        None => body.name(body.values[body.params[index].value].name),
    }
}

/// Makes all arguments.
pub(super) fn make(body: &Body, args: &RunArgs, io: &Io<'_>) -> anyhow::Result<Inputs> {
    let entries = entries(body, &args.inputs)?;
    let mut arguments = vec![None; entries.len()];
    let mut symbols = given(body, &args.set)?;
    for (index, entry) in entries.iter().enumerate() {
        arguments[index] = from_user(body, index, entry, io)?;
        if let Some(Argument::Int(value)) = arguments[index] {
            symbols.insert(body.params[index].value, value);
        }
    }
    let shape = |argument: &Option<Argument>| match argument {
        Some(Argument::Array(array)) => Some(array.shape.clone()),
        _ => None,
    };
    let shapes: Vec<_> = arguments.iter().map(shape).collect();
    symbols = solve(body, &shapes, &symbols);
    let mut random = Random(args.seed);
    make_scalars(body, &entries, &mut arguments, &mut symbols, &mut random);
    make_arrays(body, &entries, &mut arguments, &symbols, &mut random)?;
    Ok(Inputs { arguments: arguments.into_iter().flatten().collect(), symbols })
}

/// One entry a parameter.
fn entries<'a>(body: &Body, texts: &'a [String]) -> anyhow::Result<Vec<Entry<'a>>> {
    let n = body.params.len();
    let entries: Vec<Entry<'_>> = texts.iter().map(|it| entry(it)).collect();
    if let [one @ (Entry::Random | Entry::Zeros)] = &entries[..] {
        return Ok(vec![one.clone(); n]);
    }
    if entries.len() == n {
        return Ok(entries);
    }
    let names: Vec<&str> = (0..n).map(|it| parameter_name(body, it)).collect();
    bail!(
        "`{}` has {n} parameters ({}), and --inputs has {} entries; write `random` or `zeros` for what you do not have",
        body.name,
        names.join(", "),
        entries.len()
    )
}

/// The symbols of `--set`.
fn given(body: &Body, assignments: &[String]) -> anyhow::Result<Symbols> {
    let free = free_symbols(body);
    let name = |it: &ValueId| body.name(body.values[*it].name);
    let mut symbols = Symbols::new();
    for assignment in assignments {
        let (wanted, value) = assignment
            .split_once('=')
            .and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)))
            .ok_or_else(|| anyhow!("--set {assignment}: write NAME=VALUE, the value an integer"))?;
        let found: Vec<ValueId> = free.iter().copied().filter(|it| name(it) == wanted).collect();
        if found.is_empty() {
            let names = near(wanted, free.iter().map(name));
            let all: Vec<&str> = free.iter().map(name).collect();
            let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            bail!(
                "`{}` has no symbol `{wanted}` (it has {all}){}",
                body.name,
                did_you_mean(&names)
            );
        }
        // A name may be declared twice (an integer parameter that is an extent): both are one to the user.
        symbols.extend(found.into_iter().map(|it| (it, value)));
    }
    Ok(symbols)
}

/// An argument that the user gave; none for those to be made.
fn from_user(
    body: &Body,
    index: usize,
    entry: &Entry<'_>,
    io: &Io<'_>,
) -> anyhow::Result<Option<Argument>> {
    let name = parameter_name(body, index);
    let buffer = buffer_of(body, index);
    let scalar = body.values[body.params[index].value].ty.prim();
    match (entry, buffer) {
        (Entry::Random | Entry::Zeros, _) => Ok(None),
        (Entry::Int(_) | Entry::Float(_), Some(buffer)) => {
            let dtype = body.buffers[buffer].dtype;
            bail!("`{name}` is an array of {dtype}: give a .npy file, `random` or `zeros`")
        }
        (Entry::Int(value), None) => Ok(Some(match scalar {
            Some(dtype) if dtype.is_float() => Argument::Float(dtype.round_float(*value as f64)),
            Some(dtype) => Argument::Int(dtype.wrap_int((*value).into())),
            None => Argument::Int(*value),
        })),
        (Entry::Float(value), None) => match scalar {
            Some(dtype) if dtype.is_float() => Ok(Some(Argument::Float(dtype.round_float(*value)))),
            _ => bail!("`{name}` takes an integer, not {value}"),
        },
        (Entry::File(path), Some(buffer)) => {
            let bytes = files::read_named(&io.resolve(path.as_ref()), files::DATA)
                .with_context(|| format!("cannot read {path} for `{name}`"))?;
            let array = npy::read(&bytes, body.buffers[buffer].dtype)
                .with_context(|| format!("{path} does not fit `{name}`"))?;
            Ok(Some(Argument::Array(array)))
        }
        (Entry::File(path), None) => {
            bail!("`{name}` is a scalar: give a number or `random`, not the file {path}")
        }
    }
}

fn make_scalars(
    body: &Body,
    entries: &[Entry<'_>],
    arguments: &mut [Option<Argument>],
    symbols: &mut Symbols,
    random: &mut Random,
) {
    for (index, argument) in arguments.iter_mut().enumerate() {
        if argument.is_some() || buffer_of(body, index).is_some() {
            continue;
        }
        let value = body.params[index].value;
        let Some(dtype) = body.values[value].ty.prim().filter(|it| *it != DataType::HANDLE) else {
            continue;
        };
        let is_zero = entries[index] == Entry::Zeros;
        *argument = Some(if dtype.is_float() {
            Argument::Float(if is_zero { 0.0 } else { dtype.round_float(random.unit()) })
        } else {
            let made = match symbols.get(&value) {
                Some(known) => *known,
                None if is_zero => 0,
                None if dtype.is_bool() => random.below(2),
                None => 1 + random.below(8),
            };
            symbols.insert(value, made);
            Argument::Int(made)
        });
    }
}

fn make_arrays(
    body: &Body,
    entries: &[Entry<'_>],
    arguments: &mut [Option<Argument>],
    symbols: &Symbols,
    random: &mut Random,
) -> anyhow::Result<()> {
    if arguments.iter().all(Option::is_some) {
        return Ok(());
    }
    let needs = needs(body, symbols).map_err(|error| {
        let way_out = match error.symbols.first() {
            Some(name) => format!("give it one with --set {name}=…"),
            None => "this function cannot be run on its own".to_owned(),
        };
        anyhow!("`{}`: {error}; {way_out}", body.name)
    })?;
    let mut total = 0i64;
    for (index, need) in needs.iter().enumerate() {
        let ArgumentNeed::Array { dtype, shape } = need else { continue };
        if arguments[index].is_some() {
            continue;
        }
        let n = shape.iter().try_fold(1i64, |n, &it| n.checked_mul(it.max(0)));
        let bytes = n.and_then(|it| it.checked_mul(dtype.bytes() as i64));
        total = bytes.and_then(|it| total.checked_add(it)).unwrap_or(i64::MAX);
        if total > MAX_BYTES {
            let name = parameter_name(body, index);
            bail!(
                "the arrays up to `{name}` take more than {} GiB; choose smaller sizes",
                MAX_BYTES >> 30
            );
        }
        let mut array = Array::zeros(*dtype, shape);
        if entries[index] == Entry::Random {
            random.fill(&mut array);
        }
        arguments[index] = Some(Argument::Array(array));
    }
    Ok(())
}

/// A small generator (SplitMix64): the same values for the same seed on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub(super) fn below(&mut self, n: u64) -> i64 {
        (self.next() % n) as i64
    }
    /// A multiple of 2^-20 from −1 to 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.below(2_097_153) - 1_048_576) as f64 / 1_048_576.0
    }

    /// Fills an array.
    pub(super) fn fill(&mut self, array: &mut Array) {
        let (dtype, element) = (array.dtype, array.dtype.element());
        if matches!((dtype.lanes, element.bits), (Lanes::Fixed(2..), 0..8)) && !element.is_bool() {
            // Lanes that share bytes.
            array.data.iter_mut().for_each(|byte| *byte = 0x11);
            return;
        }
        let n = array.data.len() / element.bytes().max(1);
        let data = std::mem::take(&mut array.data);
        let mut scalars = Array { dtype: element, shape: vec![n as i64], data };
        for at in 0..n {
            let value = match element.code {
                TypeCode::Bool => self.below(2) as f64,
                TypeCode::Int | TypeCode::UInt => {
                    self.below(if element.bits < 3 { 2 } else { 4 }) as f64
                }
                TypeCode::Float8(ir::dtype::Float8::E8M0Fnu) => self.unit().abs() + 0.25,
                _ => self.unit(),
            };
            scalars.set_f64(at, value);
        }
        array.data = scalars.data;
    }
}
