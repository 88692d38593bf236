//! Dead bindings: names whose value nothing uses.
//!
//! A *name* here is a binding (`OpKind::Bind`), a mutable scalar of `tirx` (`SEMANTICS: E6`) with all that is stored to
//! it, or memory: an allocation, or a declaration that shows memory of another name. In: the body. Out: a finding for
//! each name that no live operation uses, and whose value may be left out (`SEMANTICS: E8`). Memory is used by every
//! access, also by a store (whose removal is `dead-store`), and by every mention. What matches a parameter or a part of
//! a buffer checks it, so that stays; so does what is named in a statement or an operand that is kept by its text, and
//! all memory beside one where no source says which names are in it.
//!
//! Liveness by marking: operations that make no name, and names whose value must be computed, are live; the operands of
//! a live operation are live. So names that only use each other (`x = y`, `y = x + 1` in a loop) are dead too.
//! O(occurrences + names).

use ir::{
    AllocKind, Body, BufferId, BufferOrigin, ExprId, ExprKind, OpId, OpKind, RegionDim, ValueId,
    ValueKind,
    arena::Id as _,
    plan::finding::{FindingFix, FixEdit, Place, Related, Role},
};
use rules::{Fix, Rule, Severity};
use smallvec::SmallVec;

use super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, sentence};

/// A binding, a mutable scalar or memory that nothing uses.
pub(super) const DEAD_BINDING: FindingRule = FindingRule {
    rule: Rule::reported(
        "dead-binding",
        Severity::Hint,
        "a name whose value nothing uses",
        "\
The value of a binding (`x: T.let = e`) or of a mutable scalar (`x = e`) is never used, or only by bindings that are \
never used
themselves. The same of memory that is allocated or declared and that nothing touches.

```python
x: T.let[T.int32] = n * 4     # nothing reads x
B = T.alloc_buffer((16,))     # nothing touches B
A[i] = n
```

The fix removes the statements. Nothing is said of a value with a call that may have an effect: that must be \
executed. A name
that begins with an underscore is meant to be unused.
",
    )
    .with_fix(Fix::ByDefault),
    plan,
    title,
    is_unnecessary: true,
};

/// The uses of the name are removed with it.
fn title(_: &Body, finding: &Finding, _: &FixEdit) -> Sentence {
    match finding.related.is_empty() {
        true => sentence!["Remove ", finding.place],
        false => sentence!["Remove ", finding.place, " and what uses it"],
    }
}

/// Another name that goes uses it.
const DEAD_USE: Role = Role("used here, for something that is never used");

/// A fix that would have to remove more than this at once is left to fixing all.
const MAX_REMOVED: usize = 64;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let mut names = Names::collect(facts);
    names.mark(facts.body);
    for name in 0..names.all.len() {
        // `_` and `_x` are meant to be unused.
        if !names.all[name].is_live && !names.text(facts.body, name).starts_with('_') {
            found.push(names.finding(facts.body, name));
        }
    }
}

#[derive(Clone, Copy)]
enum What {
    Value(ValueId),
    Cell(BufferId),
    Memory(BufferId),
}

/// Index into [`Names::all`].
type NameIdx = u32;

struct Name {
    what: What,
    /// The operations that define it, in program order.
    ops: SmallVec<[OpId; 2]>,
    /// Names that its operations use.
    uses: SmallVec<[NameIdx; 4]>,
    /// Names that use it.
    users: SmallVec<[NameIdx; 2]>,
    is_live: bool,
}

struct Names {
    all: Vec<Name>,
    of_value: Vec<Option<NameIdx>>,
    of_buffer: Vec<Option<NameIdx>>,
    /// True if text that is kept as it is may use memory by its name.
    has_text: bool,
    /// Live names whose uses are still to be marked.
    queue: Vec<NameIdx>,
}

impl Names {
    fn collect(facts: &FindingFacts<'_>) -> Names {
        let body = facts.body;
        let deletable = facts.deletable();
        let mut names = Names {
            all: Vec::new(),
            of_value: vec![None; body.values.len()],
            of_buffer: vec![None; body.buffers.len()],
            // With a source, the names in such text are known.
            has_text: facts.source.is_none() && has_kept_text(body),
            queue: Vec::new(),
        };
        for op in body.ops_preorder() {
            names.define(body, op);
        }
        for op in body.ops_preorder() {
            let owner = names.owner(body, op);
            if let Some(owner) = owner
                && !body.ops[op].operands.iter().all(|&it| deletable.may_go(it))
            {
                names.live(owner);
            }
            for it in facts.occurrences.of_op(op) {
                names.use_in(body, owner, facts.occurrences[it].expr);
            }
            if let OpKind::DeclBuffer { buffer } = body.ops[op].kind
                && let BufferOrigin::View { source, .. } = body.buffers[buffer].origin
                && let Some(source) = names.of_buffer[source.index()]
            {
                names.used_by(owner, source, true);
            }
        }
        names.pin(body);
        // Text of which nothing was made uses the name.
        if let Some(source) = facts.source {
            for name in 0..names.all.len() {
                if (source.is_hidden)(names.text(body, name)) {
                    names.live(name as NameIdx);
                }
            }
        }
        names
    }

    /// The text of a name.
    fn text<'b>(&self, body: &'b Body, name: usize) -> &'b str {
        body.name(match self.all[name].what {
            What::Value(it) => body.values[it].name,
            What::Cell(it) | What::Memory(it) => body.buffers[it].name,
        })
    }

    fn define(&mut self, body: &Body, op: OpId) {
        let data = &body.ops[op];
        let what = match data.kind {
            OpKind::Bind => match data.results[..] {
                [value] => What::Value(value),
                _ => return,
            },
            OpKind::Alloc { buffer, .. } if body.buffers[buffer].origin == BufferOrigin::Cell => {
                What::Cell(buffer)
            }
            OpKind::Alloc { buffer, kind: AllocKind::Flat | AllocKind::SBlock }
            | OpKind::DeclBuffer { buffer }
                if !self.has_text && is_only_a_name(body, op, buffer) =>
            {
                What::Memory(buffer)
            }
            OpKind::Store { buffer, .. } => {
                match self.of_buffer[buffer.index()] {
                    Some(name) if self.is_memory(name) => self.live(name),
                    Some(name) => self.all[name as usize].ops.push(op),
                    None => {}
                }
                return;
            }
            _ => return,
        };
        let name = self.all.len() as NameIdx;
        match what {
            What::Value(it) => self.of_value[it.index()] = Some(name),
            What::Cell(it) | What::Memory(it) => self.of_buffer[it.index()] = Some(name),
        }
        self.all.push(Name {
            what,
            ops: [op].into_iter().collect(),
            uses: SmallVec::new(),
            users: SmallVec::new(),
            is_live: false,
        });
    }

    /// The name that an operation makes.
    fn owner(&self, body: &Body, op: OpId) -> Option<NameIdx> {
        match body.ops[op].kind {
            OpKind::Bind => body.ops[op].results.first().and_then(|it| self.of_value[it.index()]),
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
                self.of_buffer[buffer.index()]
            }
            OpKind::Store { buffer, .. } => {
                self.of_buffer[buffer.index()].filter(|&it| !self.is_memory(it))
            }
            _ => None,
        }
    }

    fn is_memory(&self, name: NameIdx) -> bool {
        matches!(self.all[name as usize].what, What::Memory(_))
    }

    /// Marks the names in a node of an operation: they are used by the operation's name, or live.
    fn use_in(&mut self, body: &Body, owner: Option<NameIdx>, expr: ExprId) {
        let (used, is_escape) = match body.expr(expr).kind {
            ExprKind::Value(value) => (self.of_value[value.index()], false),
            ExprKind::Load { buffer, .. } => (self.of_buffer[buffer.index()], false),
            ExprKind::Buffer(buffer)
            | ExprKind::BufferField(buffer, _)
            | ExprKind::Region(buffer, _) => (self.of_buffer[buffer.index()], true),
            _ => return,
        };
        if let Some(used) = used {
            self.used_by(owner, used, is_escape);
        }
    }

    /// Notes a use: by a name, or by something that stays. Only a view of it may have the address of a name.
    fn used_by(&mut self, owner: Option<NameIdx>, used: NameIdx, is_escape: bool) {
        match owner {
            Some(owner) if !is_escape || self.is_memory(owner) => {
                // The last use of a row of equal ones says it all.
                if self.all[owner as usize].uses.last() != Some(&used) {
                    self.all[owner as usize].uses.push(used);
                    self.all[used as usize].users.push(owner);
                }
            }
            _ => self.live(used),
        }
    }

    fn live(&mut self, name: NameIdx) {
        let it = &mut self.all[name as usize];
        if !it.is_live {
            it.is_live = true;
            self.queue.push(name);
        }
    }

    /// Marks names outside evaluated operands as live: domains and regions of blocks, attributes, arguments of
    /// branches.
    fn pin(&mut self, body: &Body) {
        let mut pinned: Vec<ExprId> = Vec::new();
        for (_, block) in body.sblocks.iter() {
            for it in &block.iter_vars {
                pinned.extend([it.dom_min, it.dom_extent]);
            }
            for region in block.reads.iter().chain(&block.writes).flatten() {
                if let Some(name) = self.of_buffer[region.buffer.index()] {
                    self.live(name);
                }
                for dim in &region.dims {
                    match *dim {
                        RegionDim::Point(it) => pinned.push(it),
                        RegionDim::Slice { lower, upper, step } => {
                            pinned.extend(lower.into_iter().chain(upper).chain(step));
                        }
                    }
                }
            }
        }
        for (_, buffer) in body.buffers.iter() {
            let BufferOrigin::MatchRegion(region) = &buffer.origin else { continue };
            if let Some(name) = self.of_buffer[region.buffer.index()] {
                self.live(name);
            }
        }
        let of_ops = body.ops.iter().map(|(_, it)| body.dict(it.attrs));
        let of_buffers = body.buffers.iter().map(|(_, it)| body.dict(it.attrs));
        for dict in of_ops.chain(of_buffers).chain([&*body.attrs, &*body.decorator]) {
            pinned.extend(dict.iter().flat_map(|it| it.1.expressions()));
        }
        for (_, op) in body.ops.iter() {
            for successor in &op.successors {
                pinned.extend(body.items(successor.args));
            }
        }
        let mut seen = vec![false; body.n_exprs()];
        while let Some(expr) = pinned.pop() {
            if !std::mem::replace(&mut seen[expr.index()], true) {
                self.use_in(body, None, expr);
                body.each_child(body.expr(expr).kind, &mut |child| pinned.push(child));
            }
        }
    }

    fn mark(&mut self, body: &Body) {
        // A use before its definition is an error of the program: left alone.
        debug_assert!(self.all.iter().all(|it| match it.what {
            What::Value(value) => matches!(body.values[value].kind, ValueKind::Result(..)),
            What::Cell(_) | What::Memory(_) => true,
        }));
        while let Some(name) = self.queue.pop() {
            for used in std::mem::take(&mut self.all[name as usize].uses) {
                self.live(used);
            }
        }
    }

    fn finding(&self, body: &Body, name: usize) -> Finding {
        let it = &self.all[name];
        let users: SmallVec<[NameIdx; 4]> =
            it.users.iter().copied().filter(|&user| user as usize != name).collect();
        let place = match it.what {
            What::Value(value) => Place::Value(value),
            What::Cell(buffer) | What::Memory(buffer) => Place::Buffer(buffer),
        };
        let related = users.iter().map(|&user| Related {
            place: Place::Op(self.all[user as usize].ops[0]),
            role: DEAD_USE,
        });
        Finding {
            kind: FindingKind::DeadBinding,
            is_shown: false,
            place,
            message: match users.is_empty() {
                true => sentence![place, " is never used"],
                false => sentence![place, " is used only by values that are never used"],
            },
            related: related.collect(),
            fix: self.fix(body, name as NameIdx),
        }
    }

    /// Returns the fix that removes a name: it deletes its operations, or for a legacy `with T.LetStmt` only its
    /// header. Uses of the name are removed first.
    fn fix(&self, body: &Body, name: NameIdx) -> Option<FindingFix> {
        let it = &self.all[name as usize];
        if let &[op] = &it.ops[..]
            && body.ops[op].regions.len() == 1
        {
            let is_alone = it.users.is_empty();
            return is_alone.then(|| FindingFix::of(FixEdit::KeepRegion { op, region: 0 }));
        }
        let edits = self.removal(body, name)?.into_iter().map(FixEdit::RemoveOp).collect();
        Some(FindingFix { edits, rests_on: Vec::new() })
    }

    /// The operations that are removed with a name: its own and those of all names that use it.
    fn removal(&self, body: &Body, name: NameIdx) -> Option<Vec<OpId>> {
        let mut gone = vec![name];
        let mut ops = Vec::new();
        let mut next = 0;
        while let Some(&name) = gone.get(next) {
            next += 1;
            let it = &self.all[name as usize];
            ops.extend(&it.ops);
            // A legacy `with T.LetStmt` holds what comes after it.
            let holds_more = it.ops.iter().any(|&op| !body.ops[op].regions.is_empty());
            if holds_more || ops.len() > MAX_REMOVED {
                return None;
            }
            for user in &it.users {
                if !gone.contains(user) {
                    gone.push(*user);
                }
            }
        }
        ops.sort_unstable();
        Some(ops)
    }
}

/// Returns true if an operation does nothing but name memory, fresh or another's: it has no contents, and checks
/// nothing of what it names.
fn is_only_a_name(body: &Body, op: OpId, buffer: BufferId) -> bool {
    let origin = &body.buffers[buffer].origin;
    let is_name = matches!(
        origin,
        BufferOrigin::Alloc | BufferOrigin::Decl { .. } | BufferOrigin::View { .. }
    );
    is_name && body.ops[op].regions.is_empty()
}

/// Returns true if a statement or an operand is kept by its text, in which any name may be. O(nodes).
fn has_kept_text(body: &Body) -> bool {
    body.ops_preorder().any(|it| matches!(body.ops[it].kind, OpKind::Opaque(_)))
        || body.exprs().any(|(_, it)| matches!(it.kind, ExprKind::Opaque { .. }))
}
