//! Sequences and dictionaries of Python that hold values of the kernel: slices of them, lists that a helper fills,
//! slices as objects, dictionaries of keyword arguments.

use ir::{Attr, AttrDict};
use syntax::TextRange;

use super::{
    Lowerer, R, Reported,
    source_tree::At,
    value::{Dim, Entries, Ev, Items, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run},
    environment::Constant,
    source_map::DefinitionKind,
    staging,
};

impl Lowerer<'_, '_, '_> {
    // ---- parts of sequences ----

    /// `items[1:]`, `items[::-1]` of a sequence of known length; none if the bounds are not known.
    pub(super) fn sliced(&mut self, ex: Ex, value: &Ev, bounds: [Option<Ex>; 3]) -> R<Option<Ev>> {
        let Some(count) = self.n_items(&value.val) else { return Ok(None) };
        let mut known = Vec::with_capacity(3);
        for bound in bounds {
            let bound = bound.map(|it| self.eval(it)).transpose()?;
            match bound.map_or(Some(Constant::None), |it| self.python_value(&it.val)) {
                Some(it) => known.push(it),
                None => return Ok(None),
            }
        }
        let known = known.into_iter().collect();
        let Some(places) = staging::places(count, &known) else { return Ok(None) };
        let items: Option<Vec<Val>> =
            places.into_iter().map(|it| self.nth_item(&value.val, it)).collect();
        let src = self.leaf(ex);
        Ok(items.map(|items| Ev { val: self.sequence_like(&value.val, items), src }))
    }

    /// A part of a sequence: constants stay a constant.
    fn sequence_like(&self, whole: &Val, items: Vec<Val>) -> Val {
        let constants = |items: &[Val]| -> Option<staging::Items> {
            items.iter().map(|it| self.python_value(it)).collect()
        };
        match (whole, constants(&items)) {
            (Val::Const(Constant::List(_)), Some(it)) => Val::Const(Constant::List(it)),
            (Val::Const(_), Some(it)) => Val::Const(Constant::Tuple(it)),
            _ => Val::Seq(items.into_iter().collect()),
        }
    }

    // ---- lists that a helper fills ----

    /// `items.append(x)`, `items.reverse()` … as a statement of a helper, of a list that nothing else shares. Returns
    /// false for anything else.
    pub(super) fn list_statement(&mut self, ex: Ex) -> R<bool> {
        let ast = self.ast;
        let ExKind::Call { callee, args } = *ast.kind(ex) else { return Ok(false) };
        let ExKind::Attr { base, name: method, .. } = *ast.kind(callee) else { return Ok(false) };
        let ExKind::Name(name) = *ast.kind(base) else { return Ok(false) };
        if !matches!(self.peek(name), Some(Val::Seq(_))) {
            return Ok(false);
        }
        let args = self.args(args);
        if !args.keywords.is_empty() {
            return Err(Reported);
        }
        let given = self.eval_items(&args.positional)?;
        let mut items = self.own_items(name)?;
        match (method, &given[..]) {
            ("append", [item]) => items.push(item.val.clone()),
            ("reverse", []) => items.reverse(),
            ("extend", [more]) => match self.n_items(&more.val) {
                Some(n) => items.extend((0..n).filter_map(|at| self.nth_item(&more.val, at))),
                None => return Err(Reported),
            },
            ("insert", [at, item]) => {
                let Val::Const(Constant::Int(at)) = at.val else { return Err(Reported) };
                let len = items.len() as i128;
                let at = if at < 0 { at.saturating_add(len).max(0) } else { at.min(len) };
                items.insert(at as usize, item.val.clone());
            }
            _ => return Err(Reported),
        }
        self.changed_items(name, base, items)?;
        Ok(true)
    }

    /// `items[at] = x` in a helper.
    pub(super) fn list_item_assigned(&mut self, base: Ex, index: Ex, val: Val) -> R<()> {
        let ExKind::Name(name) = *self.ast.kind(base) else { return Err(Reported) };
        let Val::Const(Constant::Int(at)) = self.eval(index)?.val else { return Err(Reported) };
        let mut items = self.own_items(name)?;
        let at = if at < 0 { at.saturating_add(items.len() as i128) } else { at };
        let Some(item) = usize::try_from(at).ok().and_then(|at| items.get_mut(at)) else {
            return Err(Reported);
        };
        *item = val;
        self.changed_items(name, base, items)
    }

    /// The items of a list that a name has, and nothing else.
    fn own_items(&self, name: &str) -> R<Vec<Val>> {
        let id = self.s.body.lookup_name(name).ok_or(Reported)?;
        match self.s.scopes.in_innermost(id).map(|it| &it.val) {
            Some(Val::Seq(items)) if !items.is_shared() => Ok(items.to_vec()),
            _ => Err(Reported),
        }
    }

    fn changed_items(&mut self, name: &str, at: Ex, items: Vec<Val>) -> R<()> {
        let range: TextRange = self.range(at);
        self.make_items(items.len(), range)?;
        let items: Items = items.into_iter().collect();
        self.define_at(name, at, DefinitionKind::Meta, Val::Seq(items));
        Ok(())
    }

    /// The lists that names in an expression have: while they are held, nothing changes them.
    pub(super) fn lists_in(&mut self, ex: Ex) -> Vec<Val> {
        let (ast, range) = (self.ast, self.ast.range(ex));
        (0..=ex.0)
            .rev()
            .map(Ex)
            .take_while(|&it| range.contains_range(ast.range(it)))
            .filter_map(|it| match *ast.kind(it) {
                ExKind::Name(name) => self.peek(name).filter(|it| matches!(it, Val::Seq(_))),
                _ => None,
            })
            .collect()
    }

    // ---- slices as objects ----

    /// The bounds of a slice that is a value: `slice(0, 4)`.
    fn slice_bounds(&self, val: &Val) -> Option<[Val; 3]> {
        let known = |bounds: &staging::Items| match &bounds[..] {
            // A slice of bounds that are not known is one captured value.
            [a, b, c] if bounds.iter().all(Constant::is_known) => {
                Some([a, b, c].map(|it| Val::Const(it.clone())))
            }
            _ => None,
        };
        match val {
            Val::Slice(bounds) => Some(bounds.as_ref().clone()),
            Val::Const(Constant::Slice(bounds)) => known(bounds),
            Val::Unknown(id) => match self.s.objects.get(id)? {
                Constant::Slice(bounds) => known(bounds),
                _ => None,
            },
            _ => None,
        }
    }

    /// A dimension of an access by a value: an index, or a slice.
    pub(super) fn dim_of(&mut self, ev: &Ev) -> R<Dim> {
        let Some(bounds) = self.slice_bounds(&ev.val) else {
            return Ok(Dim::Point(self.lift(ev)?));
        };
        let range = self.s.sources.range(ev.src);
        let mut parts = [None; 3];
        for (part, bound) in parts.iter_mut().zip(bounds) {
            if !matches!(bound, Val::Const(Constant::None)) {
                let src = self.s.sources.inside(range);
                let tx = self.lift(&Ev { val: bound, src })?;
                *part = Some(Tx { id: tx.id, src: tx.src });
            }
        }
        let children: Vec<_> = parts.iter().flatten().map(|it| it.src).collect();
        let at = self.s.sources.node(At { range, is_real: false }, &children);
        let [lower, upper, step] = parts;
        Ok(Dim::Slice { at, lower, upper, step })
    }

    // ---- dictionaries ----

    /// The entries of `{"key": value}`; none if a key is no text or a value is no plain one.
    pub(super) fn entries(&mut self, run: Run) -> Option<Entries> {
        let ast = self.ast;
        let mark = self.mark();
        let mut entries = Vec::new();
        for pair in ast.exs(run).chunks_exact(2) {
            let &[key, value] = pair else { return None };
            let entry = match ast.kind(key) {
                ExKind::Str(key) => {
                    self.eval(value).ok().map(|ev| (Box::from(ast.string(*key)), ev.val))
                }
                ExKind::Int(_) | ExKind::Attr { .. } => {
                    let key = self.eval(key).ok().and_then(|it| self.entry_key(&it.val));
                    key.zip(self.eval(value).ok()).map(|(key, ev)| (key, ev.val))
                }
                _ => None,
            };
            match entry.filter(|it| is_flat(&it.1)) {
                Some(entry) => entries.push(entry),
                None => {
                    self.undo(mark);
                    return None;
                }
            }
        }
        Some(entries.into())
    }

    /// The key of an entry: a text, or a number, which begins with a character that no name has. A type of TileLang is
    /// equal to its name.
    pub(super) fn entry_key(&self, key: &Val) -> Option<Box<str>> {
        match key {
            Val::Const(Constant::Int(number)) => Some(format!("#{number}").into()),
            Val::Type(ir::Type::Prim(dtype)) if self.is_tile_source() && !dtype.is_symbolic() => {
                Some(dtype.to_string().into())
            }
            key => self.const_str(key).map(|it| Box::from(&*it)),
        }
    }

    /// `given["name"]` of a dictionary.
    pub(super) fn entry(&mut self, ex: Ex, entries: &Entries, index: Ex) -> R<Ev> {
        let key = self.eval(index)?;
        let val = self
            .entry_key(&key.val)
            .and_then(|key| entries.iter().rev().find(|it| *it.0 == *key).map(|it| it.1.clone()));
        match val {
            Some(val) => {
                let src = self.leaf(ex);
                Ok(Ev { val, src })
            }
            None => Ok(self.opaque_ex(ex)),
        }
    }

    /// The entries of a dictionary after `**` that a name has, if they are known. Nothing else is read here: what is
    /// not known is read once more as it stands.
    fn spread_entries(&mut self, ex: Ex) -> R<Option<Vec<(Box<str>, Ev)>>> {
        if !matches!(self.ast.kind(ex), ExKind::Name(_)) {
            return Ok(None);
        }
        let mark = self.mark();
        let ev = self.eval(ex)?;
        let entries = match &ev.val {
            // Numbers name no arguments.
            Val::Entries(entries) => {
                let is_named = entries.iter().all(|it| !it.0.starts_with('#'));
                is_named.then(|| entries.to_vec())
            }
            Val::Unknown(id) => match self.s.objects.get(id).cloned() {
                Some(Constant::Dict(items)) => self.known_entries(&items, ex)?,
                _ => None,
            },
            _ => None,
        };
        if entries.is_none() {
            self.undo(mark);
        }
        let entry = |(key, val): (Box<str>, Val)| (key, Ev { val, src: ev.src });
        Ok(entries.map(|it| it.into_iter().map(entry).collect()))
    }

    fn known_entries(&mut self, items: &[Constant], ex: Ex) -> R<Option<Vec<(Box<str>, Val)>>> {
        let mut entries = Vec::with_capacity(items.len() / 2);
        for pair in items.chunks_exact(2) {
            let [Constant::Str(key), value] = pair else { return Ok(None) };
            if let Constant::Unknown(_) = value {
                return Ok(None);
            }
            entries.push((Box::from(&**key), self.value_of(key, value.clone(), ex)?));
        }
        Ok(Some(entries))
    }

    /// Returns true if a value after `**` is a dictionary without entries.
    pub(super) fn is_empty_spread(&mut self, ex: Ex) -> bool {
        let mark = self.mark();
        let is_empty = matches!(self.spread_entries(ex), Ok(Some(entries)) if entries.is_empty());
        if !is_empty {
            self.undo(mark);
        }
        is_empty
    }

    /// The keyword arguments that a dictionary after `**` gives, as data or operands; none if it is not known.
    pub(super) fn spread_keywords(
        &mut self,
        ex: Ex,
        operands: &mut Vec<Tx>,
    ) -> R<Option<AttrDict>> {
        let Some(entries) = self.spread_entries(ex)? else { return Ok(None) };
        let mut attrs = AttrDict::new();
        for (key, ev) in entries {
            let operand = match &ev.val {
                Val::Const(_) | Val::Static(_) => None,
                Val::Region(buffer, dims) => Some(self.region(*buffer, dims, ev.src)),
                _ => Some(self.lift(&ev)?),
            };
            let value = match operand {
                None => self.attr_of(&ev)?,
                Some(operand) => {
                    operands.push(operand);
                    Attr::Operand(operands.len() as u32 - 1)
                }
            };
            attrs.push((key, value));
        }
        Ok(Some(attrs))
    }
}

/// The dictionary of the keyword arguments that no other parameter takes.
pub(super) fn entries_of(keywords: Vec<(&str, Val)>) -> Val {
    match keywords.iter().all(|it| is_flat(&it.1)) {
        true => Val::Entries(keywords.into_iter().map(|(key, val)| (key.into(), val)).collect()),
        false => Val::Dict,
    }
}

/// Returns true if a value holds no others, so that values never nest by the names that they have.
pub(super) fn is_flat(val: &Val) -> bool {
    !matches!(
        val,
        Val::Seq(_)
            | Val::Entries(_)
            | Val::Slice(_)
            | Val::Dict
            | Val::Python
            | Val::Lambda
            | Val::Macro(..)
            | Val::LocalMacro(..)
    )
}
