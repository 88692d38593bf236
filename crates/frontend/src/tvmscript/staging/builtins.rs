//! Functions of Python and of TVM that compute values from values.

use syntax::SyntaxKind;

use ir::DataType;

use super::{
    call::Args,
    eval::kind_of,
    format,
    function::ClassKind,
    limits::MAX_SIZE,
    operators::{self, as_data},
    session::Session,
    tilelang, tvm,
    value::{Items, Kind, Unknown, Value},
};

/// Modules whose functions leave what they are given as it is.
const READING: [&str; 14] = [
    "builtins",
    "math",
    "functools",
    "itertools",
    "operator",
    "typing",
    "dataclasses",
    "enum",
    "tvm",
    "numpy",
    "np",
    "torch",
    "logging",
    "warnings",
];

/// Returns true if a function of Python leaves what it is given as it is.
pub(crate) fn only_reads(path: &str) -> bool {
    let head = path.split('.').next().unwrap_or_default();
    READING.contains(&head) && !matches!(path, "builtins.setattr" | "builtins.delattr")
}

impl Session<'_> {
    pub(super) fn call_path(&self, path: &str, args: &Args) -> Value {
        if path == "typing.cast"
            && let [_, value] = &args.positional[..]
        {
            return value.clone();
        }
        let value = match path.split_once('.') {
            Some(("builtins", name)) => self.builtin(name, args),
            Some(("math", name)) => math(name, &args.positional),
            Some(("functools", name)) => self.functools(name, args),
            Some(("itertools", name)) => self.itertools(name, args),
            Some(("operator", name)) => self.operator(name, &args.positional),
            Some(("dataclasses", "replace")) => replaced(args),
            Some(("enum", "auto")) => Some(Value::Path("enum.auto()".into())),
            Some(("tvm", rest)) => tvm::function(rest, args),
            Some(("tilelang", rest)) if args.keywords.is_empty() => {
                tilelang::function(rest, &args.positional)
            }
            _ => None,
        };
        let value = value.unwrap_or_else(|| {
            if !only_reads(path) {
                self.passed_on(args);
            }
            let kind = match path {
                "builtins.len" | "builtins.int" | "math.ceil" | "math.floor" | "math.gcd" => {
                    Kind::Int
                }
                "builtins.str" | "builtins.repr" => Kind::Str,
                "builtins.bool" | "builtins.isinstance" | "builtins.any" | "builtins.all" => {
                    Kind::Bool
                }
                "builtins.float" => Kind::Float,
                "builtins.tuple" | "builtins.list" => Kind::Sequence(None),
                "builtins.max" | "builtins.min" => common_kind(&args.positional),
                _ => Kind::Any,
            };
            match args.positional.iter().find_map(Value::first_unknown) {
                Some(it) => Value::Unknown(it.of_kind(kind)),
                None => {
                    Value::Unknown(Unknown::new(format!("`{path}` is not evaluated")).of_kind(kind))
                }
            }
        });
        value.bounded()
    }

    fn builtin(&self, name: &str, args: &Args) -> Option<Value> {
        let given = &args.positional[..];
        if !args.keywords.is_empty()
            && !matches!(name, "sorted" | "min" | "max" | "dict" | "enumerate" | "zip" | "sum")
        {
            return None;
        }
        Some(match (name, given) {
            ("len", [it]) => Value::Int(len(it)?),
            ("range", _) => {
                let int = |it: &Value| match as_data(it) {
                    Value::Int(it) => Some(*it),
                    Value::Bool(it) => Some(i128::from(*it)),
                    _ => None,
                };
                let numbers: Vec<i128> = given.iter().map(int).collect::<Option<_>>()?;
                match numbers[..] {
                    [stop] => Value::Range(0, stop, 1),
                    [start, stop] => Value::Range(start, stop, 1),
                    [start, stop, step] if step != 0 => Value::Range(start, stop, step),
                    _ => return None,
                }
            }
            ("int", _) => int(given)?,
            ("float", [it]) => float(it)?,
            ("bool", []) => Value::Bool(false),
            ("bool", [it]) => Value::Bool(operators::truth_of(it)?),
            ("str", []) => Value::str(""),
            ("str", [it]) => Value::Str(format::str_of(it)?.into()),
            ("repr", [it]) => Value::Str(format::repr(it)?.into()),
            ("tuple", []) => Value::Tuple(Items::from(Vec::new())),
            ("list", []) => Value::List(Items::from(Vec::new())),
            ("tuple", [it]) => self.iterated(it, Value::Tuple),
            ("list", [it]) => self.iterated(it, Value::List),
            ("set" | "frozenset", []) => Value::Set(Items::from(Vec::new())),
            ("set" | "frozenset", [Value::Set(items)]) => Value::Set(items.to_vec().into()),
            ("set" | "frozenset", [it]) => match self.iterate(it) {
                Ok(items) => self.set_of(&items),
                Err(it) => Value::Unknown(it),
            },
            ("dict", _) => self.dict_of(args)?,
            ("min" | "max", _) => self.extreme(name == "max", args)?,
            ("abs", [it]) => match as_data(it) {
                Value::Bool(it) => Value::Int(i128::from(*it)),
                Value::Int(it) => Value::Int(it.checked_abs()?),
                Value::Float(it) => Value::float(f64::from_bits(*it).abs()),
                _ => return None,
            },
            ("sum", [items, ..]) => {
                let start = args.get(1, "start").cloned().unwrap_or(Value::Int(0));
                let items = match items {
                    // The order of integers does not matter.
                    Value::Set(it) if it.iter().all(|it| matches!(it, Value::Int(_))) => {
                        it.to_vec()
                    }
                    _ => self.iterate(items).ok()?,
                };
                // Python adds floats with a correction.
                let n_floats = items.iter().filter(|it| matches!(it, Value::Float(_))).count();
                if n_floats > 1 {
                    return None;
                }
                let mut sum = start;
                for it in &items {
                    self.charge(1 + sum.size() / 64);
                    sum = operators::binary(SyntaxKind::PLUS, &sum, it)?;
                }
                sum
            }
            ("zip", _) => {
                if !args.keywords.is_empty() {
                    return None;
                }
                let all: Vec<Vec<Value>> =
                    given.iter().map(|it| self.iterate(it)).collect::<Result<_, _>>().ok()?;
                let n = all.iter().map(Vec::len).min().unwrap_or(0);
                let row = |at: usize| Value::Tuple(all.iter().map(|it| it[at].clone()).collect());
                Value::Iterator((0..n).map(row).collect())
            }
            ("enumerate", [items, ..]) => {
                let start = match args.get(1, "start") {
                    None => 0,
                    Some(Value::Int(it)) => *it,
                    Some(_) => return None,
                };
                let items = self.iterate(items).ok()?;
                let pair = |(at, it): (i128, Value)| {
                    Value::Tuple([Value::Int(at), it].into_iter().collect())
                };
                Value::Iterator((start..).zip(items).map(pair).collect())
            }
            ("isinstance", [it, of]) => Value::Bool(is_instance(it, of)?),
            ("any" | "all", [items]) => {
                let items = match items {
                    Value::Set(it) => it.to_vec(),
                    _ => self.iterate(items).ok()?,
                };
                for it in &items {
                    if operators::truth_of(it)? == (name == "any") {
                        return Some(Value::Bool(name == "any"));
                    }
                }
                Value::Bool(name == "all")
            }
            ("sorted", [items]) => self.sorted(items, args)?,
            (
                "reversed",
                [it @ (Value::Tuple(_) | Value::List(_) | Value::Range(..) | Value::Str(_))],
            ) => {
                let mut items = self.iterate(it).ok()?;
                items.reverse();
                Value::Iterator(items.into())
            }
            ("slice", [stop]) => {
                Value::Slice([Value::None, stop.clone(), Value::None].into_iter().collect())
            }
            ("slice", [start, stop]) => {
                Value::Slice([start.clone(), stop.clone(), Value::None].into_iter().collect())
            }
            ("slice", [_, _, _]) => Value::Slice(given.iter().cloned().collect()),
            ("getattr", [object, Value::Str(name)]) => self.attribute(object, name),
            ("getattr", [object, Value::Str(name), default]) => match has(object, name)? {
                true => self.attribute(object, name),
                false => default.clone(),
            },
            ("hasattr", [object, Value::Str(name)]) => Value::Bool(has(object, name)?),
            ("callable", [it]) => match it {
                Value::Function(_) | Value::Class(_) | Value::Bound(..) => Value::Bool(true),
                _ if it.is_plain() => Value::Bool(false),
                _ => return None,
            },
            ("divmod", [a, b]) => {
                let quotient = operators::binary(SyntaxKind::SLASH2, a, b)?;
                let rest = operators::binary(SyntaxKind::PERCENT, a, b)?;
                Value::Tuple([quotient, rest].into_iter().collect())
            }
            ("pow", [a, b]) => operators::binary(SyntaxKind::STAR2, a, b)?,
            ("round", [it]) => match as_data(it) {
                Value::Int(it) => Value::Int(*it),
                Value::Bool(it) => Value::Int(i128::from(*it)),
                Value::Float(bits) => Value::Int(whole(f64::from_bits(*bits).round_ties_even())?),
                _ => return None,
            },
            ("map", [function, first]) => {
                let items = self.iterate(first).ok()?;
                let each = items.into_iter().map(|it| self.call_with(function, vec![it]));
                Value::Iterator(each.collect())
            }
            ("map", [function, first, second]) => {
                let (a, b) = (self.iterate(first).ok()?, self.iterate(second).ok()?);
                let each = a.into_iter().zip(b);
                Value::Iterator(each.map(|(a, b)| self.call_with(function, vec![a, b])).collect())
            }
            ("filter", [function, items]) => {
                let mut kept = Vec::new();
                for it in self.iterate(items).ok()? {
                    let holds = match function {
                        Value::None => operators::truth_of(&it)?,
                        _ => operators::truth_of(&self.call_with(function, vec![it.clone()]))?,
                    };
                    if holds {
                        kept.push(it);
                    }
                }
                Value::Iterator(kept.into())
            }
            ("hex" | "bin" | "oct", [Value::Int(it)]) => {
                let spec = match name {
                    "hex" => "#x",
                    "bin" => "#b",
                    _ => "#o",
                };
                Value::Str(format::formatted(&Value::Int(*it), None, spec)?.into())
            }
            ("ord", [Value::Str(it)]) => {
                let mut chars = it.chars();
                match (chars.next(), chars.next()) {
                    (Some(it), None) => Value::Int(i128::from(u32::from(it))),
                    _ => return None,
                }
            }
            ("chr", [Value::Int(it)]) => {
                Value::str(char::from_u32(u32::try_from(*it).ok()?)?.to_string())
            }
            ("print", _) => Value::None,
            _ => return None,
        })
    }

    fn call_with(&self, function: &Value, positional: Vec<Value>) -> Value {
        self.charge(1);
        self.call_value(function, Args { positional, keywords: Vec::new() })
    }

    fn iterated(&self, it: &Value, make: fn(Items) -> Value) -> Value {
        match self.iterate(it) {
            Ok(items) => make(items.into_iter().map(super::eval::settled).collect()),
            Err(unknown) => {
                let kind = match kind_of(it) {
                    kind @ Kind::Sequence(_) => kind,
                    _ => Kind::Sequence(None),
                };
                Value::Unknown(unknown.of_kind(kind))
            }
        }
    }

    fn dict_of(&self, args: &Args) -> Option<Value> {
        let mut all = match &args.positional[..] {
            [] => Vec::new(),
            [Value::Dict(items)] => items.to_vec(),
            [pairs] => {
                let mut all = Vec::new();
                for pair in self.iterate(pairs).ok()? {
                    let pair = self.iterate(&pair).ok()?;
                    let [key, value] = &pair[..] else { return None };
                    self.put(&mut all, key.clone(), value.clone()).ok()?;
                }
                all
            }
            _ => return None,
        };
        for (name, value) in &args.keywords {
            self.put(&mut all, Value::Str(name.clone()), value.clone()).ok()?;
        }
        Some(Value::Dict(all.into()))
    }

    fn extreme(&self, is_max: bool, args: &Args) -> Option<Value> {
        let items = match &args.positional[..] {
            [Value::Set(items)] => items.to_vec(),
            [items] => self.iterate(items).ok()?,
            [_, _, ..] => args.positional.clone(),
            [] => return None,
        };
        let (mut key, mut default) = (None, None);
        for (name, value) in &args.keywords {
            match &**name {
                "key" if !matches!(value, Value::None) => key = Some(value),
                "default" => default = Some(value.clone()),
                "key" => {}
                _ => return None,
            }
        }
        let keyed = |it: &Value| match key {
            Some(key) => self.call_with(key, vec![it.clone()]),
            None => it.clone(),
        };
        let mut best: Option<(Value, Value)> = None;
        for it in items {
            self.charge(1);
            let of = keyed(&it);
            let is_better = match &best {
                None => true,
                Some((best, _)) => {
                    let order = operators::order(&of, best)?;
                    if is_max { order.is_gt() } else { order.is_lt() }
                }
            };
            if is_better {
                best = Some((of, it));
            }
        }
        // The only item may be unknown.
        best.map(|it| it.1).or(default)
    }

    fn sorted(&self, items: &Value, args: &Args) -> Option<Value> {
        let items = match items {
            Value::Set(items) => items.to_vec(),
            _ => self.iterate(items).ok()?,
        };
        let mut is_reversed = false;
        let mut key = None;
        for (name, value) in &args.keywords {
            match (&**name, value) {
                ("reverse", value) => is_reversed = operators::truth_of(value)?,
                ("key", Value::None) => {}
                ("key", value) => key = Some(value),
                _ => return None,
            }
        }
        let mut keyed: Vec<(Value, Value)> = items
            .into_iter()
            .map(|it| match key {
                Some(key) => (self.call_with(key, vec![it.clone()]), it),
                None => (it.clone(), it),
            })
            .collect();
        self.sort_by_key(&mut keyed, is_reversed)?;
        Some(Value::List(keyed.into_iter().map(|it| it.1).collect()))
    }

    fn functools(&self, name: &str, args: &Args) -> Option<Value> {
        match (name, &args.positional[..]) {
            ("reduce", [function, items, rest @ ..]) => {
                let mut items = self.iterate(items).ok()?.into_iter();
                let mut value = match rest {
                    [] => items.next()?,
                    [start] => start.clone(),
                    _ => return None,
                };
                for it in items {
                    value = self.call_with(function, vec![value, it]);
                }
                Some(value)
            }
            ("partial", [_, ..]) => {
                let items = args.positional.iter().cloned().collect();
                Some(Value::Partial(items, args.keywords.clone().into()))
            }
            _ => None,
        }
    }

    fn itertools(&self, name: &str, args: &Args) -> Option<Value> {
        let given = &args.positional[..];
        match name {
            "product" => {
                let repeat = match args.keyword("repeat") {
                    None => 1,
                    Some(Value::Int(it)) => usize::try_from(*it).ok()?,
                    Some(_) => return None,
                };
                let one: Vec<Vec<Value>> =
                    given.iter().map(|it| self.iterate(it)).collect::<Result<_, _>>().ok()?;
                let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
                for items in (0..repeat).flat_map(|_| one.iter()) {
                    if rows.len().checked_mul(items.len())? > MAX_SIZE {
                        return None;
                    }
                    self.charge(rows.len() * items.len());
                    let longer = rows.iter().flat_map(|row| {
                        items.iter().map(|it| {
                            let mut row = row.clone();
                            row.push(it.clone());
                            row
                        })
                    });
                    rows = longer.collect();
                }
                let rows = rows.into_iter().map(|it| Value::Tuple(it.into()));
                Some(Value::Iterator(rows.collect()))
            }
            "chain" | "chain.from_iterable" => {
                let mut all = Vec::new();
                let parts = match (name, given) {
                    ("chain", _) => given.to_vec(),
                    (_, [only]) => self.iterate(only).ok()?,
                    _ => return None,
                };
                for part in &parts {
                    all.extend(self.iterate(part).ok()?);
                }
                Some(Value::Iterator(all.into()))
            }
            "accumulate" => {
                let [items, function @ ..] = given else { return None };
                let mut all: Vec<Value> = Vec::new();
                for it in self.iterate(items).ok()? {
                    let next = match (all.last(), function) {
                        (None, _) => it,
                        (Some(last), []) => self.binary(SyntaxKind::PLUS, last, &it),
                        (Some(last), [function]) => {
                            self.call_with(function, vec![last.clone(), it])
                        }
                        _ => return None,
                    };
                    all.push(next);
                }
                Some(Value::Iterator(all.into()))
            }
            _ => None,
        }
    }

    fn operator(&self, name: &str, given: &[Value]) -> Option<Value> {
        use ir::BinaryOp as B;
        let op = match name {
            "add" | "concat" => SyntaxKind::PLUS,
            "sub" => SyntaxKind::MINUS,
            "mul" => SyntaxKind::STAR,
            "truediv" => SyntaxKind::SLASH,
            "floordiv" => SyntaxKind::SLASH2,
            "mod" => SyntaxKind::PERCENT,
            "pow" => SyntaxKind::STAR2,
            "and_" => SyntaxKind::AMP,
            "or_" => SyntaxKind::PIPE,
            "xor" => SyntaxKind::CARET,
            "lshift" => SyntaxKind::LT2,
            "rshift" => SyntaxKind::GT2,
            _ => {
                let compared = match name {
                    "eq" => B::Eq,
                    "ne" => B::Ne,
                    "lt" => B::Lt,
                    "le" => B::Le,
                    "gt" => B::Gt,
                    "ge" => B::Ge,
                    _ => {
                        return match (name, given) {
                            ("neg", [it]) => operators::unary(SyntaxKind::MINUS, it),
                            ("not_", [it]) => operators::unary(SyntaxKind::NOT_KW, it),
                            ("getitem", [base, index]) => Some(self.subscript(base, index)),
                            _ => None,
                        };
                    }
                };
                let [a, b] = given else { return None };
                return operators::compare(compared, a, b).map(Value::Bool);
            }
        };
        let [a, b] = given else { return None };
        operators::binary(op, a, b)
    }
}

/// `len(value)`
fn len(it: &Value) -> Option<i128> {
    let n = match it {
        Value::Tuple(it) | Value::List(it) | Value::Set(it) => it.len(),
        Value::Dict(it) => it.len() / 2,
        Value::Str(it) => it.chars().count(),
        Value::Range(..) => return operators::range_len(it).filter(|it| *it <= i64::MAX.into()),
        Value::Class(class) if class.is_enum() => {
            class.members.iter().filter(|it| !super::eval::is_code(&it.1)).count()
        }
        Value::Unknown(Unknown { kind: Kind::Sequence(Some(len)), .. }) => {
            return Some(i128::from(*len));
        }
        _ => return None,
    };
    i128::try_from(n).ok()
}

fn int(given: &[Value]) -> Option<Value> {
    Some(Value::Int(match given {
        [] => 0,
        [it] => match as_data(it) {
            Value::Int(it) => *it,
            Value::Bool(it) => i128::from(*it),
            Value::Float(bits) => whole(f64::from_bits(*bits).trunc())?,
            Value::Str(it) if it.is_ascii() && !it.contains('_') => it.trim().parse().ok()?,
            _ => return None,
        },
        [Value::Str(it), Value::Int(base)] if it.is_ascii() && !it.contains('_') => {
            let base = u32::try_from(*base).ok().filter(|it| (2..=36).contains(it))?;
            let digits = it.trim();
            let prefix = match base {
                16 => ["0x", "0X"],
                8 => ["0o", "0O"],
                2 => ["0b", "0B"],
                _ => ["\0", "\0"],
            };
            let digits = prefix.iter().find_map(|it| digits.strip_prefix(it)).unwrap_or(digits);
            i128::from_str_radix(digits, base).ok()?
        }
        _ => return None,
    }))
}

/// A float without a fraction as an integer.
fn whole(it: f64) -> Option<i128> {
    (it.abs() < 1e38).then_some(it as i128)
}

fn float(it: &Value) -> Option<Value> {
    Some(Value::float(match as_data(it) {
        Value::Int(it) if operators::is_exact(*it) => *it as f64,
        Value::Bool(it) => f64::from(u8::from(*it)),
        Value::Float(bits) => f64::from_bits(*bits),
        Value::Str(it) if it.is_ascii() && !it.contains('_') => it.trim().parse().ok()?,
        _ => return None,
    }))
}

fn common_kind(all: &[Value]) -> Kind {
    let mut kinds = all.iter().map(kind_of);
    match kinds.next() {
        Some(first) if all.len() > 1 && kinds.all(|it| it == first) => first,
        _ => Kind::Any,
    }
}

/// `isinstance(value, of)`
fn is_instance(value: &Value, of: &Value) -> Option<bool> {
    match of {
        Value::Tuple(all) => {
            let mut is_open = false;
            for of in all.iter() {
                match is_instance(value, of) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => is_open = true,
                }
            }
            (!is_open).then_some(false)
        }
        Value::Class(of) => match value {
            Value::Instance(class, _) if class == of => Some(true),
            Value::Instance(..) | Value::Unknown(_) | Value::Typed(..) | Value::Path(_) => None,
            _ => Some(false),
        },
        Value::Path(path) => {
            let name = match path.strip_prefix("builtins.") {
                Some(name) => name,
                // Nothing of Python itself is an object of TVM or NumPy.
                None if ["tvm.", "numpy.", "torch."].iter().any(|it| path.starts_with(it)) => {
                    return value.is_plain().then_some(false);
                }
                None => return None,
            };
            let value = as_data(value);
            let own = value.type_name()?;
            if !value.is_plain()
                && !matches!(
                    value,
                    Value::Dict(_)
                        | Value::Set(_)
                        | Value::Range(..)
                        | Value::Slice(_)
                        | Value::Tuple(_)
                        | Value::List(_)
                        | Value::Unknown(_)
                )
            {
                return None;
            }
            Some(own == name || name == "object" || (own == "bool" && name == "int"))
        }
        _ => None,
    }
}

/// `hasattr(object, name)`
fn has(object: &Value, name: &str) -> Option<bool> {
    match object {
        Value::Instance(class, fields) => {
            let is_there = fields.get(name).is_some() || class.member(name).is_some();
            Some(is_there || class.is_enum() && matches!(name, "name" | "value"))
        }
        Value::Path(path) if path.starts_with("tvm.script.tir") => {
            DataType::parse(name).is_some().then_some(true)
        }
        _ => None,
    }
}

/// `dataclasses.replace(object, name=value)`
fn replaced(args: &Args) -> Option<Value> {
    let [Value::Instance(class, fields)] = &args.positional[..] else { return None };
    let ClassKind::Data { .. } = class.kind else { return None };
    if class.member("__post_init__").is_some() || class.member("__init__").is_some() {
        return None;
    }
    let mut all: Vec<(Box<str>, Value)> =
        fields.iter().map(|(name, value)| (name.into(), value.clone())).collect();
    for (name, value) in &args.keywords {
        all.iter_mut().find(|it| it.0 == *name)?.1 = value.clone();
    }
    Some(Value::Instance(class.clone(), all.into()))
}

fn math(name: &str, given: &[Value]) -> Option<Value> {
    let number = |it: &Value| -> Option<f64> {
        match float(it)? {
            Value::Float(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    };
    let int = |it: &Value| match as_data(it) {
        Value::Int(it) => Some(*it),
        Value::Bool(it) => Some(i128::from(*it)),
        _ => None,
    };
    let finite = |it: f64| it.is_finite().then(|| Value::float(it));
    match (name, given) {
        ("prod", [Value::Tuple(items) | Value::List(items) | Value::Iterator(items)]) => {
            let mut product = Value::Int(1);
            for it in items.iter() {
                product = operators::binary(SyntaxKind::STAR, &product, it)?;
            }
            Some(product)
        }
        ("ceil" | "floor" | "trunc", [it]) => Some(match (int(it), name) {
            (Some(it), _) => Value::Int(it),
            (None, "ceil") => Value::Int(whole(number(it)?.ceil())?),
            (None, "floor") => Value::Int(whole(number(it)?.floor())?),
            (None, _) => Value::Int(whole(number(it)?.trunc())?),
        }),
        ("gcd" | "lcm", all) => {
            let mut result = if name == "gcd" { 0 } else { 1 };
            for it in all {
                let it = int(it)?.checked_abs()?;
                let gcd = gcd(result, it);
                result = match name {
                    "gcd" => gcd,
                    _ if gcd == 0 => 0,
                    _ => (result / gcd).checked_mul(it)?,
                };
            }
            Some(Value::Int(result))
        }
        ("isqrt", [it]) => Some(Value::Int(int(it).filter(|it| *it >= 0)?.isqrt())),
        ("sqrt", [it]) => finite(number(it).filter(|it| *it >= 0.0)?.sqrt()),
        ("exp", [it]) => finite(number(it)?.exp()),
        ("log2", [it]) => finite(number(it).filter(|it| *it > 0.0)?.log2()),
        ("log10", [it]) => finite(number(it).filter(|it| *it > 0.0)?.log10()),
        ("log", [it]) => finite(number(it).filter(|it| *it > 0.0)?.ln()),
        ("log", [it, base]) => {
            let (it, base) = (number(it)?, number(base)?);
            if it <= 0.0 || base <= 0.0 {
                return None;
            }
            finite(it.ln() / base.ln())
        }
        ("pow", [a, b]) => {
            let a = number(a).filter(|it| *it > 0.0)?;
            finite(a.powf(number(b)?))
        }
        ("fabs", [it]) => Some(Value::float(number(it)?.abs())),
        ("isnan", [it]) => Some(Value::Bool(number(it)?.is_nan())),
        ("isinf", [it]) => Some(Value::Bool(number(it)?.is_infinite())),
        ("isfinite", [it]) => Some(Value::Bool(number(it)?.is_finite())),
        _ => None,
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
