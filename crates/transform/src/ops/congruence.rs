//! Congruence of choices at one place: the coarsest partition of values in which equal ones have equal operations and
//! equal operands.
//!
//! In: a body, the replaced values, its choices. Out: choices and the first of their place that each always equals. All
//! values that look alike are assumed equal, and split as long as their operands differ (optimistic value numbering: B.
//! Alpern, M. Wegman, F. K. Zadeck, "Detecting equality of variables in programs", POPL 1988); so two loop-carried
//! values are found equal if nothing distinguishes them, which no search from operands to users can find. Equal values
//! are equal wherever both are visible: by induction over the steps of an execution, as each step computes both from
//! equal values. That holds for operations that are values of their operands; all others are equal to themselves only.
//!
//! Only choices each of whose incoming values looks like that of another choice of their place take part, with their
//! dependencies. Classes are split with the smaller parts as splitters (J. Hopcroft, 1971): O(n log n) steps, and a
//! logarithm for sorting them.

use ir::{AttrDictId, Body, NameId, OpId, OpKind, Type, ValueId, ValueKind, choices::Choice};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    op_traits::{Bits, OpTraits, value_of},
    summary::Replaced,
};

/// Choices and the first of their place that each is equal to, by their numbers.
pub(super) fn find(
    body: &Body,
    traits: &OpTraits,
    replaced: &Replaced,
    choices: &[Choice],
) -> Vec<(usize, usize)> {
    let by_value = choices.iter().enumerate().map(|(at, it)| (it.value, at));
    let by_value: FxHashMap<ValueId, usize> =
        if has_pairs(choices) { by_value.collect() } else { return Vec::new() };
    let look = Look { body, traits, replaced, choices, by_value };
    let alike = look.alike();
    if alike.is_empty() {
        return Vec::new();
    }
    let graph = Graph::of(&look, &alike);
    let class_of = Partition::refine(&graph);
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    let mut res = Vec::new();
    for (node, &at) in alike.iter().enumerate() {
        match first.get(&class_of[node]) {
            Some(&of) => res.push((at, of)),
            None => drop(first.insert(class_of[node], at)),
        }
    }
    res
}

/// Returns true if there are two choices side by side.
fn has_pairs(choices: &[Choice]) -> bool {
    choices.windows(2).any(|it| it[0].place == it[1].place)
}

/// The likeness of a value to others, apart from its operands.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Likeness {
    /// Equal to itself only.
    Only(ValueId),
    Choice(u32, Type),
    Operation(NameId, AttrDictId, usize, usize, SmallVec<[Type; 1]>),
}

struct Look<'a> {
    body: &'a Body,
    traits: &'a OpTraits,
    replaced: &'a Replaced,
    choices: &'a [Choice],
    by_value: FxHashMap<ValueId, usize>,
}

impl Look<'_> {
    fn likeness(&self, value: ValueId) -> Likeness {
        if let Some(&at) = self.by_value.get(&value) {
            return Likeness::Choice(self.choices[at].place, self.choices[at].ty);
        }
        match self.operation(value) {
            Some((op, name, index)) => {
                let data = &self.body.ops[op];
                let types = data.results.iter().map(|it| self.body.values[*it].ty).collect();
                Likeness::Operation(name, data.attrs, index, data.operands.len(), types)
            }
            None => Likeness::Only(value),
        }
    }

    /// The operation of which a value is a result, if that is a value of its operands.
    fn operation(&self, value: ValueId) -> Option<(OpId, NameId, usize)> {
        let ValueKind::Result(op, _) = self.body.values[value].kind else { return None };
        let data = &self.body.ops[op];
        let OpKind::Named(name) = data.kind else { return None };
        let is_value = data.regions.is_empty()
            && data.successors.is_empty()
            && NO_VALUE.iter().all(|it| !self.traits.of(op).has(*it))
            && data.operands.iter().all(|it| value_of(self.body, *it).is_some());
        let index = data.results.iter().position(|it| *it == value)?;
        is_value.then_some((op, name, index))
    }

    /// The choices that look like another of their place on every way, in order.
    fn alike(&self) -> Vec<usize> {
        let mut groups: FxHashMap<(u32, Type, Vec<Likeness>), Vec<usize>> = FxHashMap::default();
        for (at, choice) in self.choices.iter().enumerate() {
            let beside = |other: Option<usize>| {
                let other = other.and_then(|it| self.choices.get(it));
                other.is_some_and(|it| it.place == choice.place)
            };
            if !beside(at.checked_sub(1)) && !beside(Some(at + 1)) {
                continue;
            }
            let ways = choice.ways.iter().map(|it| self.likeness(self.replaced.get(*it)));
            let key = (choice.place, choice.ty, ways.collect());
            groups.entry(key).or_default().push(at);
        }
        let mut res: Vec<usize> =
            groups.into_values().filter(|it| it.len() > 1).flatten().collect();
        res.sort_unstable();
        res
    }
}

const NO_VALUE: [Bits; 9] = [
    Bits::CHANGES,
    Bits::LOOKS,
    Bits::ALLOC,
    Bits::UNKNOWN,
    Bits::CONVERGENT,
    Bits::VARIES,
    Bits::MARKER,
    Bits::ALIAS,
    Bits::SYMBOL,
];

/// The position of operands that may stand in any order.
const ANY: u32 = u32::MAX;

/// Values and their users by position. The first nodes are the choices that may be equal.
struct Graph {
    /// By node: its first class.
    classes: Vec<u32>,
    n_classes: u32,
    /// By node: positions and users.
    users: Vec<SmallVec<[(u32, u32); 2]>>,
}

impl Graph {
    fn of(look: &Look<'_>, alike: &[usize]) -> Graph {
        let mut graph = Graph { classes: Vec::new(), n_classes: 0, users: Vec::new() };
        let mut nodes: FxHashMap<ValueId, u32> = FxHashMap::default();
        let mut classes: FxHashMap<Likeness, u32> = FxHashMap::default();
        let mut order: Vec<ValueId> = Vec::new();
        let mut add = |value: ValueId, order: &mut Vec<ValueId>| {
            *nodes.entry(value).or_insert_with(|| {
                order.push(value);
                (order.len() - 1) as u32
            })
        };
        for &at in alike {
            add(look.choices[at].value, &mut order);
        }
        let mut at = 0;
        while let Some(&value) = order.get(at) {
            let mut likeness = look.likeness(value);
            let mut operands: SmallVec<[(u32, ValueId); 4]> = SmallVec::new();
            match &likeness {
                Likeness::Only(_) => {}
                // A choice that is like no other is equal to itself only.
                Likeness::Choice(..) if at >= alike.len() => likeness = Likeness::Only(value),
                Likeness::Choice(..) => {
                    let ways = look.choices[alike[at]].ways.iter();
                    operands.extend((0..).zip(ways.copied()));
                }
                Likeness::Operation(..) => {
                    if let Some((op, ..)) = look.operation(value) {
                        let in_order = !look.traits.of(op).has(Bits::COMMUTATIVE);
                        let given = look.body.ops[op].operands.iter();
                        let given = given.filter_map(|it| value_of(look.body, *it));
                        operands.extend((0..).map(|it| if in_order { it } else { ANY }).zip(given));
                    }
                }
            }
            let n = classes.len() as u32;
            graph.classes.push(*classes.entry(likeness).or_insert(n));
            for (position, operand) in operands {
                let node = add(look.replaced.get(operand), &mut order) as usize;
                if graph.users.len() <= node {
                    graph.users.resize_with(node + 1, SmallVec::new);
                }
                graph.users[node].push((position, at as u32));
            }
            at += 1;
        }
        graph.users.resize_with(order.len(), SmallVec::new);
        graph.n_classes = classes.len() as u32;
        graph
    }
}

/// Classes that are split until users of equal values are equal.
struct Partition {
    class_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// The place where a node is among the members of its class.
    place: Vec<u32>,
    /// Classes that may still tell their users apart.
    left: Vec<u32>,
    is_left: Vec<bool>,
}

impl Partition {
    fn refine(graph: &Graph) -> Vec<u32> {
        let n_classes = graph.n_classes as usize;
        let mut it = Partition {
            class_of: graph.classes.clone(),
            members: vec![Vec::new(); n_classes],
            place: Vec::with_capacity(graph.classes.len()),
            left: (0..graph.n_classes).collect(),
            is_left: vec![true; n_classes],
        };
        for (node, &class) in graph.classes.iter().enumerate() {
            it.place.push(it.members[class as usize].len() as u32);
            it.members[class as usize].push(node as u32);
        }
        while let Some(splitter) = it.left.pop() {
            it.is_left[splitter as usize] = false;
            it.split_by(splitter, graph);
        }
        it.class_of
    }

    /// Splits the users of a class's members by position and number of uses.
    fn split_by(&mut self, splitter: u32, graph: &Graph) {
        let members = self.members[splitter as usize].iter();
        let mut uses: Vec<(u32, u32)> =
            members.flat_map(|&it| graph.users[it as usize].iter().copied()).collect();
        uses.sort_unstable();
        for at_position in uses.chunk_by(|a, b| a.0 == b.0) {
            let counted = at_position.chunk_by(|a, b| a == b).map(|it| (it[0].1, it.len()));
            let mut users: Vec<(u32, usize, u32)> =
                counted.map(|(user, n)| (self.class_of[user as usize], n, user)).collect();
            users.sort_unstable();
            for of_class in users.chunk_by(|a, b| a.0 == b.0) {
                self.split(of_class);
            }
        }
    }

    /// Splits a class by how often some of its members use something; all others do not.
    fn split(&mut self, users: &[(u32, usize, u32)]) {
        let class = users[0].0;
        let mut n_rest = self.members[class as usize].len() - users.len();
        let mut parts: SmallVec<[u32; 4]> = SmallVec::from_slice(&[class]);
        let mut groups = users.chunk_by(|a, b| a.1 == b.1);
        if n_rest == 0 {
            // The first stay.
            n_rest = groups.next().map_or(0, <[_]>::len);
        }
        for group in groups {
            let new = self.members.len() as u32;
            self.members.push(Vec::with_capacity(group.len()));
            self.is_left.push(false);
            group.iter().for_each(|it| self.move_to(it.2, new));
            parts.push(new);
        }
        debug_assert_eq!(self.members[class as usize].len(), n_rest);
        if parts.len() == 1 {
            return;
        }
        // What all parts together tell, all but one of them do.
        let spared = match self.is_left[class as usize] {
            true => class,
            false => {
                let size = |it: &u32| self.members[*it as usize].len();
                parts.iter().copied().max_by_key(size).unwrap_or(class)
            }
        };
        for part in parts.into_iter().filter(|it| *it != spared) {
            if !std::mem::replace(&mut self.is_left[part as usize], true) {
                self.left.push(part);
            }
        }
    }

    fn move_to(&mut self, node: u32, class: u32) {
        let old = self.class_of[node as usize] as usize;
        let place = self.place[node as usize] as usize;
        self.members[old].swap_remove(place);
        if let Some(&moved) = self.members[old].get(place) {
            self.place[moved as usize] = place as u32;
        }
        self.class_of[node as usize] = class;
        self.place[node as usize] = self.members[class as usize].len() as u32;
        self.members[class as usize].push(node);
    }
}
