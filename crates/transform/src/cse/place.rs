//! Placement: the sites where a binding can be inserted.
//!
//! In: the positions at which an expression is evaluated. Out: groups of positions, each with the operation before
//! which one binding serves it. A value that cannot trap gets one group, at the nearest scope that holds all positions
//! (`SEMANTICS: consequence 4`) and from which some path evaluates it twice, or all do once: else nothing is saved. One
//! that may trap is bound only where it is *anticipated*: where every path from there evaluates it (`SEMANTICS: 0`).
//! Where the text has no place for a statement, the nearest one above is taken if the value is known, anticipated and
//! on the same side of a launch there; else the positions are tried scope by scope further in.
//!
//! Terms. The *virtual tree* of positions has their scopes and the common ancestors of these, so it is at most twice as
//! long as the positions whatever lies between. An *event* is an operation of a scope whose execution is certain to
//! evaluate the expression: directly, through scopes that are always entered, or through both arms of an `if`.
//! Everything is O(positions · log depth).

use dataflow::scopes::{ScopeId, ScopeKind};
use ir::{ExprId, OccurrenceId, OpId, OpKind, plan::Refusal};

use super::{Work, facts::Facts};

/// One evaluation: an occurrence, and the operation it is evaluated with or right before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    pub(super) occurrence: OccurrenceId,
    pub(super) op: OpId,
    /// True if the operation does not always evaluate it.
    pub(super) lazy: bool,
    /// The order of the first operation that could evaluate this form of it.
    pub(super) visible_from: u32,
    /// The cost of this form.
    pub(super) cost: u32,
    /// The value of a binding that it is part of and with which it is evaluated, right before the operation.
    pub(super) within: Option<OccurrenceId>,
}

/// Positions that one binding serves: a range of those given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    pub(super) range: std::ops::Range<usize>,
    pub(super) before: OpId,
    /// The position whose form is the value.
    pub(super) value: usize,
}

/// The groups that the positions of one expression are split into.
#[derive(Clone, Default, Debug)]
pub(super) struct Split {
    /// In program order.
    pub(super) groups: Vec<Group>,
    /// Positions that no group has, with the reason.
    pub(super) left: Vec<(usize, Refusal)>,
}

enum Item {
    /// A position in the scope itself.
    Direct(usize),
    /// A node below, with the operation of this scope that holds it.
    Below(usize, OpId),
}

/// The place where in a node a value may be evaluated first.
struct Start {
    /// The item before which it is.
    item: Option<usize>,
    /// True if it may be evaluated before the first item although it is not anticipated there.
    is_free: bool,
}

struct Node {
    scope: ScopeId,
    items: Vec<Item>,
    /// First position in it or below.
    first: usize,
    /// Past the last.
    end: usize,
    /// The position in it or below whose form is visible first, the cheapest of these.
    value: usize,
    /// The first event in program order.
    event: Option<OpId>,
    /// True if the expression is certain to be evaluated when the scope is entered.
    at_start: bool,
    /// True if some path through the scope evaluates the expression at least twice.
    is_twice: bool,
}

/// The rules for the placement of a value.
pub(super) struct Rules<'a> {
    /// The operator in it that may trap.
    pub(super) culprit: Option<ExprId>,
    /// Returns true if the form of a position can be evaluated right before an operation without adding an error.
    pub(super) is_safe: &'a dyn Fn(usize, OpId, &mut Work) -> bool,
    /// It stands before its first use and nowhere else.
    pub(super) is_pinned: bool,
}

/// Splits positions, given in the order of their operations, into groups that a binding can serve.
pub(super) fn split(
    facts: &Facts<'_>,
    positions: &[Position],
    rules: &Rules<'_>,
    work: &mut Work,
) -> Split {
    let mut tree = Tree { facts, positions, nodes: Vec::new() };
    let mut split = Split::default();
    let Some(root) = tree.build() else { return split };
    work.visited += (positions.len() + tree.nodes.len()) as u64;
    let mut stack = vec![(root, None)];
    while let Some((node, reason)) = stack.pop() {
        tree.decide(node, reason, rules, &mut split, &mut stack, work);
    }
    split.groups.sort_by_key(|it| it.range.start);
    split.left.sort_by_key(|it| it.0);
    split
}

/// Calls `visit` for every scope with an operation that is certain to evaluate one of the positions when it is
/// executed.
pub(super) fn each_certain(
    facts: &Facts<'_>,
    positions: &[Position],
    mut visit: impl FnMut(ScopeId, OpId),
) {
    let mut tree = Tree { facts, positions, nodes: Vec::new() };
    if tree.build().is_none() {
        return;
    }
    for node in &tree.nodes {
        if let Some(event) = node.event {
            visit(node.scope, event);
        }
    }
}

/// Returns true if code right before `before` is certain to be followed by an evaluation. The positions are those of
/// one expression at or below the scope of `before`, in order.
pub(super) fn is_anticipated(facts: &Facts<'_>, positions: &[Position], before: OpId) -> bool {
    let mut tree = Tree { facts, positions, nodes: Vec::new() };
    let Some(root) = tree.build() else { return false };
    let Some(event) = tree.nodes[root].event else { return false };
    tree.follows(before, tree.nodes[root].scope, event)
}

struct Tree<'a> {
    facts: &'a Facts<'a>,
    positions: &'a [Position],
    nodes: Vec<Node>,
}

impl Tree<'_> {
    /// Builds the virtual tree and gives its root. Nodes are finished bottom-up.
    fn build(&mut self) -> Option<usize> {
        let scopes = self.facts.scopes;
        let mut path: Vec<usize> = Vec::new();
        for (index, position) in self.positions.iter().enumerate() {
            let scope = scopes.of_op(position.op);
            if let Some(&last) = path.last() {
                let common = scopes.common(self.nodes[last].scope, scope);
                self.fold(&mut path, scopes.depth(common), Some((common, index)));
            }
            if path.last().is_none_or(|&it| self.nodes[it].scope != scope) {
                path.push(self.node(scope, index));
            }
            let at = *path.last().expect("the scope of the position has just been entered");
            self.nodes[at].items.push(Item::Direct(index));
            self.nodes[at].end = index + 1;
        }
        self.fold(&mut path, 0, None);
        let root = path.pop()?;
        self.finish(root);
        Some(root)
    }

    fn node(&mut self, scope: ScopeId, first: usize) -> usize {
        self.nodes.push(Node {
            scope,
            items: Vec::new(),
            first,
            end: first,
            value: first,
            event: None,
            at_start: false,
            is_twice: false,
        });
        self.nodes.len() - 1
    }

    /// Finishes the nodes of the path that are deeper than `depth`. With `common`, the scope at that depth is on the
    /// path afterwards.
    fn fold(&mut self, path: &mut Vec<usize>, depth: u32, common: Option<(ScopeId, usize)>) {
        let scopes = self.facts.scopes;
        while let Some(&last) = path.last() {
            if scopes.depth(self.nodes[last].scope) <= depth {
                break;
            }
            let above = path.len().checked_sub(2).map(|it| path[it]);
            let above = above.filter(|&it| scopes.depth(self.nodes[it].scope) >= depth);
            let parent = match (above, common) {
                (Some(parent), _) => {
                    path.pop();
                    parent
                }
                (None, Some((scope, _))) => {
                    path.pop();
                    let parent = self.node(scope, self.nodes[last].first);
                    path.push(parent);
                    parent
                }
                (None, None) => break,
            };
            self.finish(last);
            let (scope, end) = (self.nodes[last].scope, self.nodes[last].end);
            let holder = scopes
                .child_towards(self.nodes[parent].scope, scope)
                .and_then(|it| scopes.creator(it));
            if let Some(holder) = holder {
                self.nodes[parent].items.push(Item::Below(last, holder));
            }
            self.nodes[parent].end = end;
        }
    }

    /// Finishes the value and the first event of a node whose nodes below are finished.
    fn finish(&mut self, node: usize) {
        self.nodes[node].value = self.value(&self.nodes[node].items);
        let Facts { scopes, certainty, .. } = self.facts;
        let here = &self.nodes[node];
        let mut event: Option<OpId> = None;
        let mut arms: Option<(OpId, u32)> = None;
        let mut choices: Vec<u32> = Vec::new();
        for (number, item) in here.items.iter().enumerate() {
            let before = number.checked_sub(1).map(|it| &here.items[it]);
            if before.is_some_and(|it| !self.are_exclusive(here.scope, it, item)) {
                choices.clear();
            }
            let found = match *item {
                Item::Direct(index) => {
                    let position = self.positions[index];
                    let is_certain = !position.lazy || self.completes(position, &mut choices);
                    is_certain.then_some(position.op)
                }
                Item::Below(below, holder) => {
                    self.event_below(here.scope, below, holder, &mut arms)
                }
            };
            if let Some(op) = found
                && event.is_none_or(|it| scopes.order(op) < scopes.order(it))
            {
                event = Some(op);
            }
        }
        self.nodes[node].is_twice = self.is_twice(&self.nodes[node]);
        self.nodes[node].at_start = event.is_some_and(|it| certainty.reached_from_block_start(it));
        self.nodes[node].event = event;
    }

    /// Returns true if some path through the scope of a node, whose child nodes are finished, evaluates the expression
    /// at least twice. If no two neighbours in program order are on one path, then no two positions are: if the first
    /// and the last of three are alternatives of one choice, so is the one between, with one of the two.
    fn is_twice(&self, node: &Node) -> bool {
        let Facts { scopes, body, paths, .. } = self.facts;
        let repeats = |item: &Item| match *item {
            Item::Direct(index) => body.ops[self.positions[index].op].kind == OpKind::While,
            Item::Below(below, _) => {
                let below = &self.nodes[below];
                below.is_twice || paths.is_repeated(scopes, node.scope, below.scope)
            }
        };
        node.items.iter().any(repeats)
            || node.items.windows(2).any(|it| !self.are_exclusive(node.scope, &it[0], &it[1]))
    }

    /// Returns true if no path through a scope reaches both of two items in it.
    fn are_exclusive(&self, scope: ScopeId, a: &Item, b: &Item) -> bool {
        let scopes = self.facts.scopes;
        match (a, b) {
            (&Item::Direct(a), &Item::Direct(b)) => {
                let (a, b) = (self.positions[a], self.positions[b]);
                a.op == b.op
                    && a.within == b.within
                    && self.facts.are_exclusive(a.occurrence, b.occurrence)
            }
            // Two nodes below one operation are in different regions of it.
            (&Item::Below(a, of_a), &Item::Below(b, of_b)) => {
                let is_arm = |it: usize| {
                    let child = scopes.child_towards(scope, self.nodes[it].scope);
                    child.is_some_and(|it| matches!(scopes.kind(it), ScopeKind::Arm(_)))
                };
                of_a == of_b && is_arm(a) && is_arm(b)
            }
            _ => false,
        }
    }

    /// Adds a lazily evaluated position to those that it excludes; returns true if one of them is evaluated on every
    /// path through their `T.if_then_else`. `choices` has how deep in lazy operands each of them is; two arms of one
    /// depth make one of the depth above, which keeps the sum of 2^-depth, and that is 1 if nothing is missing.
    fn completes(&self, position: Position, choices: &mut Vec<u32>) -> bool {
        let mut depth = self.facts.lazy_depth(position.occurrence, position.within);
        while choices.last() == Some(&depth) && depth > 0 {
            choices.pop();
            depth -= 1;
        }
        choices.push(depth);
        choices[..] == [0]
    }

    /// The event that a finished node below makes in `above`. `arms` is the `if` whose one arm was seen last.
    fn event_below(
        &self,
        above: ScopeId,
        below: usize,
        holder: OpId,
        arms: &mut Option<(OpId, u32)>,
    ) -> Option<OpId> {
        let Facts { scopes, certainty, body, .. } = self.facts;
        let below = &self.nodes[below];
        if !below.at_start {
            return None;
        }
        let child = scopes.child_towards(above, below.scope)?;
        let top = certainty.reached_from(below.scope);
        if top > child {
            return None;
        }
        if certainty.is_entered(child) {
            return Some(holder);
        }
        let ScopeKind::Arm(arm) = scopes.kind(child) else { return None };
        let seen = match *arms {
            Some((op, seen)) if op == holder => seen | 1 << arm,
            _ => 1 << arm,
        };
        *arms = Some((holder, seen));
        (body.ops[holder].regions.len() == 2 && seen == 0b11).then_some(holder)
    }

    /// The position whose form is visible first, of all in the items; the cheapest of these.
    fn value(&self, items: &[Item]) -> usize {
        let values = items.iter().map(|item| match *item {
            Item::Direct(index) => index,
            Item::Below(node, _) => self.nodes[node].value,
        });
        let key = |&it: &usize| (self.positions[it].visible_from, self.positions[it].cost, it);
        values.min_by_key(key).unwrap_or(0)
    }

    fn anchor(&self, item: &Item) -> OpId {
        match *item {
            Item::Direct(index) => self.positions[index].op,
            Item::Below(_, holder) => holder,
        }
    }

    fn first_position(&self, item: &Item) -> usize {
        match *item {
            Item::Direct(index) => index,
            Item::Below(node, _) => self.nodes[node].first,
        }
    }

    /// Makes a group of the positions of a node from the first one on that can have a binding before it, and leaves
    /// the others to the nodes below.
    fn decide(
        &self,
        node: usize,
        reason: Option<Refusal>,
        rules: &Rules<'_>,
        split: &mut Split,
        stack: &mut Vec<(usize, Option<Refusal>)>,
        work: &mut Work,
    ) {
        let here = &self.nodes[node];
        let mut grouped = here.items.len();
        let mut reason = reason;
        let start = self.start(here, rules, work);
        if start.is_free && !here.is_twice && here.end - here.first >= 2 {
            reason = Some(Refusal::NoPathTwice);
        }
        // What is all in one scope below has its place there.
        let is_shared = |start: usize| {
            start + 1 < here.items.len() || matches!(here.items[start], Item::Direct(_))
        };
        if let Some(start) = start.item.filter(|&it| is_shared(it)) {
            let range = self.first_position(&here.items[start])..here.end;
            if range.len() >= 2 {
                let value = self.value(&here.items[start..]);
                let anchor = self.anchor(&here.items[start]);
                match self.place(value, here, anchor, rules, work) {
                    Ok(before) => {
                        split.groups.push(Group { range, before, value });
                        grouped = start;
                    }
                    Err(refusal) => reason = Some(refusal),
                }
            }
        }
        for item in &here.items[..grouped] {
            match *item {
                Item::Below(below, _) => stack.push((below, self.refusal(below, reason, rules))),
                Item::Direct(index) => {
                    let trap = rules.culprit.map(|culprit| Refusal::MayTrap {
                        culprit,
                        guarded: self.positions[index].occurrence,
                    });
                    split.left.extend(reason.or(trap).map(|it| (index, it)));
                }
            }
        }
    }

    /// Returns the place where in a node the value is evaluated first. Where it is not anticipated, that pays only if
    /// some path from there evaluates it at least twice: else more is evaluated than before on some paths, and less on
    /// none.
    fn start(&self, node: &Node, rules: &Rules<'_>, work: &mut Work) -> Start {
        let certainty = self.facts.certainty;
        let anticipated = node.event.and_then(|event| {
            let segment = certainty.segment(event);
            node.items.iter().position(|it| certainty.segment(self.anchor(it)) >= segment)
        });
        if anticipated == Some(0) {
            return Start { item: Some(0), is_free: false };
        }
        let is_free = match node.items.first() {
            _ if rules.culprit.is_none() => true,
            Some(first) => {
                node.end - node.first >= 2 && (rules.is_safe)(node.value, self.anchor(first), work)
            }
            None => false,
        };
        let item = if is_free && node.is_twice { Some(0) } else { anticipated };
        Start { item, is_free }
    }

    /// Returns the reason why the positions of a node are not shared with those beside it.
    fn refusal(&self, below: usize, reason: Option<Refusal>, rules: &Rules<'_>) -> Option<Refusal> {
        reason.or_else(|| {
            let culprit = rules.culprit?;
            let guarded = self.positions[self.nodes[below].first].occurrence;
            Some(Refusal::MayTrap { culprit, guarded })
        })
    }

    /// The place for a binding that would best stand before `before`, an operation of the node's scope.
    fn place(
        &self,
        value: usize,
        node: &Node,
        before: OpId,
        rules: &Rules<'_>,
        work: &mut Work,
    ) -> Result<OpId, Refusal> {
        let facts = self.facts;
        let refusal = Refusal::NoBindingSite { before };
        let visible_from = self.positions[value].visible_from;
        let site = facts.site(before).ok_or(refusal)?;
        let users = &self.positions[node.first..node.end];
        let is_in_block = |it: &Position| match it.within {
            None => facts.scopes.is_in_block_of(facts.body, site, it.op),
            Some(_) => facts.scopes.is_in_one_block(site, it.op),
        };
        if visible_from > facts.scopes.order(site) || !users.iter().all(is_in_block) {
            return Err(refusal);
        }
        if site == before {
            return Ok(before);
        }
        if rules.is_pinned {
            return Err(refusal);
        }
        let scope = facts.scopes.of_op(site);
        let is_known = facts.scopes.is_ancestor(scope, node.scope)
            && facts.part(site) == facts.part(before)
            && facts.kernel(scope) == facts.kernel(node.scope);
        let is_safe = rules.culprit.is_none()
            || node.event.is_some_and(|it| self.follows(site, node.scope, it))
            || (rules.is_safe)(value, site, work);
        if is_known && is_safe { Ok(site) } else { Err(refusal) }
    }

    /// Returns true if `event`, an operation of `scope`, is certain to be executed after the point right before
    /// `before`. `before` does not come after `event`, and its scope contains `scope`.
    fn follows(&self, before: OpId, scope: ScopeId, event: OpId) -> bool {
        let Facts { scopes, certainty, .. } = self.facts;
        let above = scopes.of_op(before);
        if !scopes.is_ancestor(above, scope) || scopes.order(before) > scopes.order(event) {
            return false;
        }
        certainty
            .executed_by(scopes, event, above)
            .is_some_and(|it| certainty.segment(it) == certainty.segment(before))
    }
}
