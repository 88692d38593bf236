//! Findings that are not proven, each with the fact that is missing.
//!
//! In: the facts. Out: elements that nothing shows to be inside of their tile, products of int32 that nothing shows to
//! be held by it, and elements that nothing shows to be written by one iteration of `T.Parallel` only. What the proven
//! tier tells is not told again. None of it is looked for unless it is asked for (`findings.possible`): on right code,
//! as that of a library whose sizes come from elsewhere, it says what its author knows and the text does not.
//! O(accesses), and the bounded searches of the proven tier.

use arith::{Interval, Overflow};
use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, OccurrenceId, Type,
    plan::finding::{Place, Related},
};
use rules::{Rule, Severity};

use super::{
    super::{
        Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title, sentence,
    },
    around,
    bounds::{self, Access, Index, SHAPE},
    extents::number,
    overflow::{is_arithmetic, is_decided, is_widened},
    races::{self, Store},
    told,
};

/// An element that nothing shows to be inside of its tile.
pub(in super::super) const POSSIBLE_OUT_OF_BOUNDS: FindingRule = FindingRule {
    rule: Rule::reported(
        "possible-out-of-bounds",
        Severity::Hint,
        "nothing shows that an access is inside of a tile",
        "\
An index of a tile may be its extent or more: neither the loops, the launch and the conditions around show the opposite, \
nor are there values that make it so (those are told by `out-of-bounds`). The message names the fact that is missing.

```python
S = T.alloc_shared((64,), \"float32\")
S[X[bx]] = 0.0                 # nothing shows that X[bx] is less than 64
```

Only told with `possible = true` in `[findings]` of the settings. A condition around the access, or `T.assume`, says what \
is known.
",
    )
    .possible(),
    plan: plan_bounds,
    title: edit_title,
    is_unnecessary: false,
};

/// A product that nothing shows to be held by int32.
pub(in super::super) const POSSIBLE_OVERFLOW: FindingRule = FindingRule {
    rule: Rule::reported(
        "possible-overflow",
        Severity::Hint,
        "nothing shows that int32 holds a product",
        "\
A product of int32 may be 2^31 or more: nothing bounds an operand. Values that occur and make it so are told by \
`offset-overflow`. TileLang widens the index of an access, and nothing else: a product that is compared, divided, \
converted or bound to a name wraps before that.

```python
n, m = T.dynamic(\"n, m\")
if n * m > 1024:               # nothing bounds n and m
    ...
```

Only told with `possible = true` in `[findings]` of the settings. `T.assume(n < 65536)` says what is known; \
`T.cast(n, \"int64\") * m` needs no such fact.
",
    )
    .possible(),
    plan: plan_overflow,
    title: edit_title,
    is_unnecessary: false,
};

/// An element that nothing shows to be written once.
pub(in super::super) const POSSIBLE_RACE: FindingRule = FindingRule {
    rule: Rule::reported(
        "possible-race",
        Severity::Hint,
        "nothing shows that iterations of `T.Parallel` write different elements",
        "\
Two iterations of `T.Parallel` may write one element of shared or global memory, and different values: nothing shows that \
their indices differ. Iterations that do meet are told by `parallel-race`.

```python
for i in T.Parallel(64):
    H[X[i]] = A[i]             # nothing shows that X[i] differs between two iterations
```

Only told with `possible = true` in `[findings]` of the settings. If several iterations may meet, use an atomic operation.
",
    )
    .possible(),
    plan: plan_races,
    title: edit_title,
    is_unnecessary: false,
};

fn plan_bounds(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    bounds::each_access(facts, &mut |access| {
        let Some(index) = access.indices.iter().find(|it| !is_shown_inside(facts, access, it))
        else {
            return;
        };
        if bounds::check(facts, access).is_some() {
            return;
        }
        let name = facts.body.name(facts.body.buffers[access.buffer].name);
        let extent = format!(" may be outside of `{name}`: dimension {} has extent ", index.dim);
        let less = if index.is_end { " is not more" } else { " is less" };
        let message = Sentence::of([
            access.place.into(),
            Word::Text(extent.into()),
            index.extent.into(),
            ", and nothing shows that ".into(),
            index.expr.into(),
            less.into(),
        ]);
        let mut finding = told(FindingKind::PossibleOutOfBounds, access.place, message);
        finding.related.push(Related { place: Place::Buffer(access.buffer), role: SHAPE });
        found.push(finding);
    });
}

/// Returns true if bounds or an extent show that an index is inside.
fn is_shown_inside(facts: &FindingFacts<'_>, access: &Access<'_>, index: &Index) -> bool {
    if bounds::is_inside(facts, index) {
        return true;
    }
    // A whole dimension, or a part whose start is not known to move.
    if index.is_end {
        return index.expr == index.extent;
    }
    let Some(at) = index.at else { return false };
    let context = facts.conditions().at(&facts.flow(), at);
    facts.analyzer().in_bounds(context, access.buffer, access.dims)
        || access.around().is_some_and(|around| {
            let says = |it: &(ExprId, bool)| it.1 && says_less(facts.body, it.0, index);
            around.guards.iter().any(says) || around.loops.iter().any(|it| is_all(facts, it, index))
        })
}

/// Returns true if an index is the variable of a loop that goes through all of its dimension.
fn is_all(facts: &FindingFacts<'_>, it: &around::Loop, index: &Index) -> bool {
    let is_var = matches!(facts.body.expr(index.expr).kind, ExprKind::Value(var) if var == it.var);
    is_var && number(facts.body, it.min) == Some(0) && it.extent == index.extent
}

/// Returns true if a condition says of the very text of an index that it is less than the extent: of a value that is
/// loaded, too.
fn says_less(body: &Body, condition: ExprId, index: &Index) -> bool {
    let is_extent = |it: ExprId| match (number(body, it), number(body, index.extent)) {
        (Some(a), Some(b)) => a <= b,
        _ => it == index.extent,
    };
    match body.expr(condition).kind {
        ExprKind::Binary(BinaryOp::Lt, a, b) => a == index.expr && is_extent(b),
        ExprKind::Binary(BinaryOp::Gt, a, b) => b == index.expr && is_extent(a),
        ExprKind::Binary(BinaryOp::And, a, b) => {
            let of = |it: ExprId| ir::stack::with_room(|| says_less(body, it, index));
            of(a) || of(b)
        }
        _ => false,
    }
}

fn plan_overflow(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    let mut told_of: Vec<ExprId> = Vec::new();
    for (id, occurrence) in occurrences.iter() {
        let expr = occurrence.expr;
        let ExprKind::Binary(BinaryOp::Mul, a, b) = body.expr(expr).kind else { continue };
        if !is_arithmetic(body, expr) || told_of.contains(&expr) || is_widened(facts, id) {
            continue;
        }
        if product(facts, id, a, b).is_within(Interval::of_type(DataType::INT32)) {
            continue;
        }
        if is_decided(facts, id) {
            continue;
        }
        told_of.push(expr);
        let place = Place::Occurrence(id);
        let message = sentence![
            place,
            " may be what int32 cannot hold: nothing shows that the product of ",
            a,
            " and ",
            b,
            " is less than 2^31"
        ];
        found.push(told(FindingKind::PossibleOverflow, place, message));
    }
}

/// The values that the product of two operands of an occurrence may have.
fn product(facts: &FindingFacts<'_>, id: OccurrenceId, a: ExprId, b: ExprId) -> Interval {
    let context = facts.conditions().at(&facts.flow(), id);
    let mut analyzer = facts.analyzer();
    let mut of = |it| analyzer.facts_with(Overflow::Excluded, context, it).interval;
    let (a, b) = (of(a), of(b));
    a.times(b)
}

fn plan_races(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    races::each_store(facts, &mut |store| {
        let scope = body.buffers[store.buffer].scope;
        if !scope.is_global() && !scope.is_shared() {
            return;
        }
        let Some(missing) = missing(body, store) else { return };
        let place = Place::Op(store.op);
        let name = body.name(body.buffers[store.buffer].name);
        let text = format!(
            ": two iterations of `T.Parallel` may write one element of `{name}`: nothing shows that "
        );
        let mut words = vec![place.into(), Word::Text(text.into())];
        words.extend(missing);
        found.push(told(FindingKind::PossibleRace, place, Sentence::of(words)));
    });
}

/// The fact that nothing shows, in words; none where the iterations are shown to be apart, or to meet.
fn missing(body: &Body, store: &Store<'_>) -> Option<Vec<Word>> {
    let var = races::unresolved(body, store)?;
    if races::meeting(body, store) != races::Meeting::Unknown {
        return None;
    }
    let name = body.name(body.values[var].name);
    let index = store.indices(body).iter().find(|&&it| {
        let mut names = super::witness::Names::default();
        names.add(body, it);
        names.has(super::witness::Key::Loop(var))
    });
    Some(match index {
        Some(&index) if body.ty(index) != Type::Unknown => vec![
            index.into(),
            Word::Text(format!(" differs between two values of `{name}`").into()),
        ],
        Some(_) => {
            vec![Word::Text(format!("its index differs between two values of `{name}`").into())]
        }
        None => vec![Word::Text(format!("the loop over `{name}` has one iteration only").into())],
    })
}
