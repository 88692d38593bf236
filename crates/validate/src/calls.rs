//! Calls: values of their operands, or effects that both functions meet at.

use ir::{
    Callee, ExprId, ExprKind, ExprListId, Intrinsic, Type,
    arena::Id as _,
    effects::{Element, MemoryEffect, Trap},
};

use crate::{
    engine::{Engine, Stop},
    side::{Effect, Side, Value},
    term::{Sort, Term},
};

type Result<T> = std::result::Result<T, Stop>;

impl Engine<'_> {
    pub(crate) fn call(
        &mut self,
        side: &mut Side<'_>,
        expr: ExprId,
        callee: Callee,
        args: ExprListId,
        ty: Type,
    ) -> Result<Value> {
        let body = side.body;
        let kind = body.expr(expr).kind;
        let ExprKind::Call { attrs, instance, .. } = kind else {
            return Err(Stop::unsupported("a call"));
        };
        let items = body.items(args);
        if let Callee::Intrinsic(_, intrinsic) = callee {
            use Intrinsic::{IgnoreLoopPartition, Likely, ThreadInvariant};
            if matches!(intrinsic, Likely | IgnoreLoopPartition | ThreadInvariant)
                && let [one] = items
            {
                return self.eval(side, *one);
            }
        }
        let effects = self.effects.call(body, kind);
        let is_value = effects.is_pure_value() && instance == 0;
        let name = match callee {
            Callee::Intrinsic(name, _) | Callee::Function(name) | Callee::Unknown(name) => {
                body.name(name)
            }
        };
        // Without the names of keywords: the dictionary has one number in both functions.
        let signature = format!("call {name} {} {ty:?}", attrs.index());
        if (0..items.len()).any(|it| self.effects.is_lazy(body, kind, it)) {
            return Err(Stop::unsupported("a call that does not evaluate all of its operands"));
        }
        let mut values = Vec::with_capacity(items.len());
        for (index, &item) in items.iter().enumerate() {
            let element = self.effects.element(body, kind, index);
            let is_place =
                matches!(body.expr(item).kind, ExprKind::Load { .. }) && element != Element::Value;
            values.push(if is_place {
                let term = self.place(side, item)?;
                self.plain(term)
            } else {
                self.deep(|it| it.eval(side, item))?
            });
        }
        let terms: Vec<Term> = values.iter().map(|it| it.term).collect();
        let sort = Sort::Flat(self.sort_of(ty));
        if is_value {
            if effects.may_trap != Trap::No {
                let name = format!("defined {signature}");
                let ok = self.pool.function(&name, &terms, Sort::BOOL);
                self.require(side, ok);
            }
            let term = self.pool.function(&signature, &terms, sort);
            return Ok(self.derived(term, &values));
        }
        if side.effects.is_none() || side.guard != self.pool.truth(true) {
            return Err(Stop::unsupported("a call with effects inside an expression"));
        }
        for &value in &values {
            self.used(side, value);
        }
        let writes = effects.memory_effect != MemoryEffect::Read;
        let made = side.effects.get_or_insert_default();
        let nth = made.len();
        made.push(Effect { signature, args: terms, writes });
        let term = self.pool.var(&format!("effect {} {nth}", self.n_effects), sort);
        Ok(self.plain(term))
    }

    /// An operand that is a place, a string, or a list: its parts, by their structure.
    pub(crate) fn place(&mut self, side: &mut Side<'_>, expr: ExprId) -> Result<Term> {
        let body = side.body;
        let (name, parts): (String, Vec<Option<ExprId>>) = match body.expr(expr).kind {
            ExprKind::Str(text) => (format!("text {:?}", body.name(text)), Vec::new()),
            ExprKind::Buffer(buffer) => (format!("buffer {}", buffer.index()), Vec::new()),
            ExprKind::Load { buffer, indices, predicate: None } => (
                format!("place {}", buffer.index()),
                body.items(indices).iter().copied().map(Some).collect(),
            ),
            ExprKind::Region(buffer, dims) => (
                format!("region {}", buffer.index()),
                body.items(dims).iter().copied().map(Some).collect(),
            ),
            ExprKind::Slice { lower, upper, step } => {
                ("slice".to_owned(), vec![lower, upper, step])
            }
            ExprKind::Tuple(items) => {
                ("tuple".to_owned(), body.items(items).iter().copied().map(Some).collect())
            }
            _ => return Err(Stop::unsupported("an operand that is no value")),
        };
        let mut terms = Vec::new();
        let mut pattern = name;
        for part in parts {
            pattern.push(if part.is_some() { '+' } else { '-' });
            if let Some(part) = part {
                let value = self.deep(|it| it.eval(side, part))?;
                self.used(side, value);
                terms.push(value.term);
            }
        }
        let sort = Sort::Flat(self.pool.named("place"));
        Ok(self.pool.function(&pattern, &terms, sort))
    }
}
