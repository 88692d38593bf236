//! Methods and attributes of Python's own types.

use super::{
    call::Args,
    eval::{not_known, reason},
    operators,
    session::{Cx, Session},
    value::{Items, Kind, Value},
};
use crate::tvmscript::ast::{Ex, Run};

/// Methods that change their object in place.
const CHANGING: [&str; 14] = [
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "sort",
    "reverse",
    "update",
    "add",
    "discard",
    "setdefault",
    "popitem",
    "__setitem__",
];

impl Session<'_> {
    /// A call of a method that changes its object; `None` if it is another.
    pub(super) fn changing_method(
        &self,
        cx: Cx<'_, '_>,
        base: Ex,
        name: &str,
        args: Run,
    ) -> Option<Value> {
        if !CHANGING.contains(&name) {
            return None;
        }
        match self.eval(cx, base) {
            Value::List(_) | Value::Dict(_) | Value::Set(_) => {}
            _ => return None,
        }
        let args = match self.arguments(cx, args) {
            Ok(args) => args,
            // What it is changed to is not known.
            Err(it) => return Some(self.invalidate(&it.reason)),
        };
        let mut result = Value::None;
        let done = self.change(cx, base, &mut |this, object| {
            let changed = this.changed(object, name, &args);
            if let Some(value) = changed {
                result = value;
                return true;
            }
            false
        });
        if !done {
            return Some(self.invalidate("an object is changed in a way that is not followed"));
        }
        Some(result)
    }

    fn changed(&self, object: &mut Value, name: &str, args: &Args) -> Option<Value> {
        let (Value::List(items) | Value::Dict(items) | Value::Set(items)) = &mut *object else {
            return None;
        };
        if !items.is_unshared() || !args.keywords.is_empty() {
            return None;
        }
        let mut all = items.to_vec();
        self.charge(all.len() / 4);
        let mut result = Value::None;
        let is_list = matches!(object, Value::List(_));
        match (name, &args.positional[..]) {
            ("append", [it]) if is_list => all.push(super::eval::settled(it.clone())),
            ("extend", [it]) if is_list => all.extend(self.iterate(it).ok()?),
            ("insert", [Value::Int(at), it]) if is_list => {
                let at = usize::try_from(*at).ok()?.min(all.len());
                all.insert(at, it.clone());
            }
            ("pop", []) if is_list => result = all.pop()?,
            ("pop", [Value::Int(at)]) if is_list => {
                let len = i128::try_from(all.len()).ok()?;
                let at = usize::try_from(if *at < 0 { at + len } else { *at }).ok()?;
                result = if at < all.len() { all.remove(at) } else { return None };
            }
            ("reverse", []) if is_list => all.reverse(),
            ("sort", []) if is_list => self.sort(&mut all)?,
            ("clear", []) => all.clear(),
            ("add", [it]) if matches!(object, Value::Set(_)) => {
                self.charge(all.len());
                operators::add(&mut all, it.clone())?;
            }
            ("update", [it]) if matches!(object, Value::Dict(_)) => {
                let Value::Dict(other) = it else { return None };
                for pair in other.chunks_exact(2) {
                    self.put(&mut all, pair[0].clone(), pair[1].clone()).ok()?;
                }
            }
            ("pop", [key]) if matches!(object, Value::Dict(_)) => {
                let at = operators::position(&all, key)??;
                result = all[at + 1].clone();
                all.drain(at..at + 2);
            }
            ("setdefault", [key, value]) if matches!(object, Value::Dict(_)) => {
                match operators::position(&all, key)? {
                    Some(at) => result = all[at + 1].clone(),
                    None => {
                        result = value.clone();
                        self.put(&mut all, key.clone(), value.clone()).ok()?;
                    }
                }
            }
            _ => return None,
        }
        let all = Items::from(all);
        let new = match object {
            Value::List(_) => Value::List(all),
            Value::Dict(_) => Value::Dict(all),
            _ => Value::Set(all),
        };
        *object = new.bounded();
        Some(result)
    }

    /// Sorts values, if their order is known.
    pub(super) fn sort(&self, all: &mut Vec<Value>) -> Option<()> {
        let mut keyed: Vec<(Value, Value)> = all.drain(..).map(|it| (it.clone(), it)).collect();
        self.sort_by_key(&mut keyed, false)?;
        all.extend(keyed.into_iter().map(|it| it.1));
        Some(())
    }

    /// Sorts pairs by their first, if the order of these is known.
    pub(super) fn sort_by_key(&self, all: &mut [(Value, Value)], is_reversed: bool) -> Option<()> {
        let mut is_known = true;
        self.charge(all.len().saturating_mul(4));
        all.sort_by(|a, b| {
            let order = operators::order(&a.0, &b.0);
            is_known &= order.is_some();
            let order = order.unwrap_or(std::cmp::Ordering::Equal);
            if is_reversed { order.reverse() } else { order }
        });
        is_known.then_some(())
    }

    /// A method that leaves its object as it is.
    pub(super) fn method(&self, object: &Value, name: &str, args: &Args) -> Value {
        let value = match object {
            Value::Str(text) => self.str_method(text, name, args),
            Value::Tuple(items) | Value::List(items) => match (name, &args.positional[..]) {
                ("index", [it]) => {
                    let mut at = None;
                    for (index, item) in items.iter().enumerate() {
                        match operators::equals(item, it) {
                            Some(false) => {}
                            Some(true) => {
                                at = i128::try_from(index).ok();
                                break;
                            }
                            None => break,
                        }
                    }
                    at.map(Value::Int)
                }
                ("count", [it]) => {
                    let equal = items.iter().map(|item| operators::equals(item, it));
                    let equal: Option<Vec<bool>> = equal.collect();
                    equal.map(|it| Value::Int(it.into_iter().filter(|it| *it).count() as i128))
                }
                ("copy", []) if matches!(object, Value::List(_)) => {
                    Some(Value::List(items.to_vec().into()))
                }
                _ => None,
            },
            Value::Dict(items) => {
                self.charge(items.len() / 2);
                dict_method(items, name, args)
            }
            Value::Set(items) => match (name, &args.positional[..]) {
                ("copy", []) => Some(Value::Set(items.to_vec().into())),
                ("union", [it @ Value::Set(_)]) => {
                    operators::binary(syntax::SyntaxKind::PIPE, object, it)
                }
                ("intersection", [it @ Value::Set(_)]) => {
                    operators::binary(syntax::SyntaxKind::AMP, object, it)
                }
                _ => None,
            },
            Value::Int(it) => match (name, &args.positional[..]) {
                ("bit_length", []) => {
                    Some(Value::Int(i128::from(128 - it.unsigned_abs().leading_zeros())))
                }
                ("bit_count", []) => Some(Value::Int(i128::from(it.unsigned_abs().count_ones()))),
                _ => None,
            },
            Value::Float(bits) => match (name, &args.positional[..]) {
                ("is_integer", []) => Some(Value::Bool(f64::from_bits(*bits).fract() == 0.0)),
                _ => None,
            },
            Value::Typed(dtype, number) => {
                number.first().and_then(|number| super::tvm::method(dtype, number, name, args))
            }
            _ => None,
        };
        value.unwrap_or_else(|| {
            let given = args.positional.iter().chain(args.keywords.iter().map(|it| &it.1));
            let all: Vec<Value> = [object.clone()].into_iter().chain(given.cloned()).collect();
            not_known(&all)
        })
    }

    fn str_method(&self, text: &str, name: &str, args: &Args) -> Option<Value> {
        self.charge(text.len() / 16);
        let no_keywords = args.keywords.is_empty();
        let strings = || -> Option<Vec<&str>> {
            let texts = args.positional.iter().map(|it| match operators::as_data(it) {
                Value::Str(it) => Some(&**it),
                _ => None,
            });
            texts.collect()
        };
        let affixes = |it: &Value| -> Option<Vec<Box<str>>> {
            match it {
                Value::Str(it) => Some(vec![it.clone()]),
                Value::Tuple(items) => items
                    .iter()
                    .map(|it| match it {
                        Value::Str(it) => Some(it.clone()),
                        _ => None,
                    })
                    .collect(),
                _ => None,
            }
        };
        let is_ascii = text.is_ascii();
        if name == "format" {
            return format_method(text, args).map(Value::str);
        }
        if name == "join" {
            let [items] = &args.positional[..] else { return None };
            let items = self.iterate(items).ok()?;
            let parts: Option<Vec<&str>> = items
                .iter()
                .map(|it| match it {
                    Value::Str(it) => Some(&**it),
                    _ => None,
                })
                .collect();
            return Some(Value::Str(parts?.join(text).into()).bounded());
        }
        if let ("startswith" | "endswith", [it]) = (name, &args.positional[..]) {
            let mut all = affixes(it)?.into_iter();
            return Some(Value::Bool(all.any(|it| match name {
                "startswith" => text.starts_with(&*it),
                _ => text.ends_with(&*it),
            })));
        }
        if !no_keywords {
            return None;
        }
        if let ("ljust" | "rjust" | "zfill", [Value::Int(width)]) = (name, &args.positional[..]) {
            let spec = match name {
                "ljust" => format!("<{width}"),
                "rjust" => format!(">{width}"),
                _ => return None,
            };
            return super::format::formatted(&Value::str(text), None, &spec).map(Value::str);
        }
        if let ("split" | "rsplit", [Value::Str(by), Value::Int(n)]) = (name, &args.positional[..])
        {
            let n = usize::try_from(*n).ok()?.checked_add(1)?;
            if by.is_empty() {
                return None;
            }
            let mut parts: Vec<Value> = match name {
                "split" => text.splitn(n, &**by).map(Value::str).collect(),
                _ => text.rsplitn(n, &**by).map(Value::str).collect(),
            };
            if name == "rsplit" {
                parts.reverse();
            }
            return Some(Value::List(parts.into()));
        }
        let given = strings()?;
        Some(match (name, &given[..]) {
            ("lower", []) if is_ascii => Value::str(text.to_ascii_lowercase()),
            ("upper", []) if is_ascii => Value::str(text.to_ascii_uppercase()),
            ("capitalize", []) if is_ascii => {
                let lower = text.to_ascii_lowercase();
                let mut chars = lower.chars();
                let first = chars.next().map(|it| it.to_ascii_uppercase());
                Value::str(first.into_iter().chain(chars).collect::<String>())
            }
            ("strip", []) if is_ascii => Value::str(text.trim_matches(is_space)),
            ("lstrip", []) if is_ascii => Value::str(text.trim_start_matches(is_space)),
            ("rstrip", []) if is_ascii => Value::str(text.trim_end_matches(is_space)),
            ("strip", [of]) => Value::str(text.trim_matches(|it| of.contains(it))),
            ("lstrip", [of]) => Value::str(text.trim_start_matches(|it| of.contains(it))),
            ("rstrip", [of]) => Value::str(text.trim_end_matches(|it| of.contains(it))),
            ("removeprefix", [it]) => Value::str(text.strip_prefix(it).unwrap_or(text)),
            ("removesuffix", [it]) => Value::str(text.strip_suffix(it).unwrap_or(text)),
            ("replace", [from, to]) if !from.is_empty() => {
                let n = text.matches(from).count();
                if n.saturating_mul(to.len()) > super::limits::MAX_SIZE {
                    return None;
                }
                Value::str(text.replace(from, to))
            }
            ("split", []) if is_ascii => {
                let parts = text.split(is_space).filter(|it| !it.is_empty());
                Value::List(parts.map(Value::str).collect())
            }
            ("split", [by]) if !by.is_empty() => {
                Value::List(text.split(by).map(Value::str).collect())
            }
            ("partition", [by]) if !by.is_empty() => {
                let (head, by, tail) = match text.split_once(by) {
                    Some((head, tail)) => (head, *by, tail),
                    None => (text, "", ""),
                };
                Value::Tuple([head, by, tail].into_iter().map(Value::str).collect())
            }
            ("find", [it]) if is_ascii => {
                Value::Int(text.find(it).and_then(|it| i128::try_from(it).ok()).unwrap_or(-1))
            }
            ("index", [it]) if is_ascii => Value::Int(i128::try_from(text.find(it)?).ok()?),
            ("count", [it]) if !it.is_empty() => Value::Int(text.matches(it).count() as i128),
            ("isdigit", []) if is_ascii => {
                Value::Bool(!text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()))
            }
            ("isalpha", []) if is_ascii => {
                Value::Bool(!text.is_empty() && text.bytes().all(|it| it.is_ascii_alphabetic()))
            }
            ("isidentifier", []) if is_ascii => {
                let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
                let first = text.bytes().next();
                Value::Bool(
                    first.is_some_and(|it| !it.is_ascii_digit()) && text.bytes().all(is_word),
                )
            }
            _ => return None,
        })
    }
}

fn is_space(it: char) -> bool {
    matches!(it, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1f')
}

fn dict_method(items: &Items, name: &str, args: &Args) -> Option<Value> {
    let pairs = items.chunks_exact(2);
    Some(match (name, &args.positional[..]) {
        ("get", [key]) => match operators::position(items, key)? {
            Some(at) => items[at + 1].clone(),
            None => Value::None,
        },
        ("get", [key, default]) => match operators::position(items, key)? {
            Some(at) => items[at + 1].clone(),
            None => default.clone(),
        },
        ("keys", []) => Value::Iterator(pairs.map(|it| it[0].clone()).collect()),
        ("values", []) => Value::Iterator(pairs.map(|it| it[1].clone()).collect()),
        ("items", []) => {
            let pair = |it: &[Value]| Value::Tuple(it.iter().cloned().collect());
            Value::Iterator(pairs.map(pair).collect())
        }
        ("copy", []) => Value::Dict(items.to_vec().into()),
        _ => return None,
    })
}

/// `"{} {name} {0:d}".format(…)`
fn format_method(text: &str, args: &Args) -> Option<String> {
    let token = format!("f{}", super::format::repr(&Value::str(text))?);
    let mut next = 0;
    let mut out = String::new();
    // Fields without a name are numbered, which the reader of formatted strings refuses: they get their number here.
    let mut numbered = String::new();
    let mut chars = token.chars().peekable();
    while let Some(c) = chars.next() {
        numbered.push(c);
        if c != '{' {
            continue;
        }
        match chars.peek() {
            Some('{') => numbered.extend(chars.next()),
            Some('}' | ':' | '!') => {
                numbered.push_str(&format!("{next}"));
                next += 1;
            }
            _ => {}
        }
    }
    for piece in super::format::pieces(&numbered)? {
        match piece {
            super::format::Piece::Text(it) => out.push_str(&it),
            super::format::Piece::Field { value, conversion, spec } => {
                let value = match value.parse::<usize>() {
                    Ok(at) => args.positional.get(at)?,
                    Err(_) => args.keyword(value)?,
                };
                out.push_str(&super::format::formatted(value, conversion, spec)?);
            }
        }
        if out.len() > super::limits::MAX_SIZE {
            return None;
        }
    }
    Some(out)
}

/// The kind of what an attribute of a value that is not known has.
pub(super) fn attribute_of_unknown(base: &Value, name: &str) -> Value {
    let kind = match name {
        "shape" => Kind::Sequence(None),
        "ndim" => Kind::Int,
        _ => Kind::Any,
    };
    Value::Unknown(reason(std::slice::from_ref(base)).of_kind(kind))
}
