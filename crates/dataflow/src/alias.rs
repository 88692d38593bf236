//! Alias analysis: the buffers that may be the same memory.
//!
//! In: a body. Out: [`AliasClasses`]: a class for every buffer and for every expression that is an address. Accesses of
//! different classes never touch the same byte in a run without errors; accesses of one class may.
//!
//! Terms. A *root* is an object: an allocation, a parameter, or the *world*, which is all that pointers of unknown
//! origin reach. Views, `decl_buffer(data=)` and `match_buffer` show the memory of their root, whatever their dtype is
//! (`SEMANTICS: M7`). A *class* is one root or several that may overlap: parameters without `noalias` (`M4`; with it
//! `M5`), and the world with all whose address escapes (`M8`). Allocations are apart from everything else (`M9`),
//! address spaces too (`H3`). A class is *private* if only the thread that runs the code can reach it (`H4`, `E6`):
//! local memory whose address does not get out.
//!
//! Building is O((expressions + buffers) α); questions are O(1).

mod carriers;
#[cfg(test)]
mod tests;
mod union_find;

use ir::{
    Attr, Body, BufferId, ExprId, MemoryScope, ScopeAttr, ScopeFamily,
    arena::{Id, Table},
    effects::EffectTable,
};

use carriers::{Carriers, WORLD, is_pointer};
use union_find::UnionFind;

/// Memory that may overlap, as a number below [`AliasClasses::len`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AliasClass(u32);

impl Id for AliasClass {
    fn new(index: usize) -> Self {
        AliasClass(u32::try_from(index).expect("fewer classes than 2^32 buffers"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// One object in memory, or several that pointers do not tell apart: an allocation, a parameter, or the world behind
/// unknown pointers. Buffers of different roots are different objects, if parameters do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RootId(u32);

/// Address spaces (`SEMANTICS: H3`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Host or device memory that everybody reaches.
    Global,
    /// On-chip memory of a block of threads.
    Shared,
    /// Memory of one thread: `local`, and fragments of matrices.
    Local,
    /// Any other scope, or several.
    Other,
}

impl Space {
    /// The space of a storage scope.
    pub fn of_scope(scope: MemoryScope) -> Space {
        match scope.family() {
            ScopeFamily::Global => Space::Global,
            ScopeFamily::Shared => Space::Shared,
            ScopeFamily::Thread => Space::Local,
            ScopeFamily::Unknown => Space::Other,
        }
    }
}

/// The possible writers of a class besides the code itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reach {
    /// Nobody: thread-local memory whose address does not get out.
    Private,
    /// Unknown calls and asynchronous work of this thread: local memory whose address got out.
    Escaped,
    /// Other threads too.
    Visible,
}

#[derive(Clone, Copy, Default, Debug)]
struct Class {
    /// None as long as no buffer shows it.
    space: Option<Space>,
    escapes: bool,
    is_volatile: bool,
    /// The caller, or unknown code, may read it after the function.
    outlives: bool,
}

/// The sets of buffers and addresses that may be the same memory.
#[derive(Clone, Debug)]
pub struct AliasClasses {
    class_of_buffer: Table<BufferId, AliasClass>,
    root_of_buffer: Table<BufferId, RootId>,
    /// By node: the class that it is an address of.
    class_of_node: Vec<Option<AliasClass>>,
    world: AliasClass,
    classes: Table<AliasClass, Class>,
    has_noalias: bool,
}

impl AliasClasses {
    /// The classes of `body`.
    pub fn build(body: &Body, effects: &EffectTable) -> AliasClasses {
        let mut carriers = Carriers::collect(body, effects);
        let escaping = carriers.escaping();
        let has_noalias = ["tirx.noalias", "tir.noalias"]
            .into_iter()
            .any(|key| matches!(body.func_attr(key), Some(Attr::Bool(true) | Attr::Int(1, _))));
        let spaces = Spaces::collect(body, &mut carriers);
        let mut overlap = carriers.sets.clone();
        unite_params(body, &spaces, has_noalias, &mut carriers, &mut overlap);
        unite_world(body, &spaces, &escaping, &mut carriers, &mut overlap);

        let mut numbers = Numbers { of_set: vec![None; escaping.len()], classes: Table::default() };
        let world = numbers.class(&mut overlap, WORLD);
        numbers.classes[world].escapes = true;
        numbers.classes[world].outlives = true;
        for param in body.params.iter().filter(|it| is_pointer(body.values[it.value].ty)) {
            let class = numbers.class(&mut overlap, carriers.param(param.value));
            numbers.classes[class].outlives = true;
            numbers.classes[class].escapes = true;
        }
        let mut class_of_buffer: Table<BufferId, AliasClass> = Table::default();
        let mut root_of_buffer: Table<BufferId, RootId> = Table::default();
        for (buffer, data) in body.buffers.iter() {
            let element = carriers.buffer(buffer);
            let class = numbers.class(&mut overlap, element);
            class_of_buffer.push(class);
            root_of_buffer.push(RootId(carriers.sets.find(element)));
            numbers.classes[class].is_volatile |= is_volatile(body, buffer);
            numbers.classes[class].add_space(Space::of_scope(data.scope));
        }
        let class_of_node: Vec<Option<AliasClass>> = (0..body.n_exprs())
            .map(|it| {
                let element = carriers.of(ExprId::new(it))?;
                Some(numbers.class(&mut overlap, element))
            })
            .collect();
        for (element, _) in escaping.iter().enumerate().filter(|it| *it.1) {
            if let Some(class) = numbers.of_set[overlap.find(element as u32) as usize] {
                numbers.classes[class].escapes = true;
            }
        }
        let mut classes = numbers.classes;
        for (id, op) in body.ops.iter() {
            if body.scope_attr(id) == Some(ScopeAttr::Volatile)
                && let Some(class) = op.operands.first().and_then(|it| class_of_node[it.index()])
            {
                classes[class].is_volatile = true;
            }
        }
        AliasClasses { class_of_buffer, root_of_buffer, class_of_node, world, classes, has_noalias }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }
    /// Returns true if there are no classes. This is never the case: the world is one.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }
    /// The class of a buffer's elements.
    pub fn class(&self, buffer: BufferId) -> AliasClass {
        self.class_of_buffer[buffer]
    }
    /// The object that a buffer shows.
    pub fn root(&self, buffer: BufferId) -> RootId {
        self.root_of_buffer[buffer]
    }
    /// Returns true if two buffers may share a byte.
    pub fn may_alias(&self, a: BufferId, b: BufferId) -> bool {
        self.class(a) == self.class(b)
    }
    /// The class of the memory that an expression is (or holds) an address of; none if it is no address.
    pub fn of_address(&self, expr: ExprId) -> Option<AliasClass> {
        self.class_of_node[expr.index()]
    }
    /// The class of memory that nothing is known of.
    pub fn world(&self) -> AliasClass {
        self.world
    }
    /// The address space of a class.
    pub fn space(&self, class: AliasClass) -> Space {
        self.classes[class].space.unwrap_or(Space::Global)
    }
    /// Returns true if code outside the function may have the address.
    pub fn escapes(&self, class: AliasClass) -> bool {
        self.classes[class].escapes
    }
    /// Each access is an effect (`SEMANTICS: M10`).
    pub fn is_volatile(&self, class: AliasClass) -> bool {
        self.classes[class].is_volatile
    }
    /// Returns true for memory whose contents may be read after the function returns: parameters, and everything that
    /// may be one.
    pub fn outlives(&self, class: AliasClass) -> bool {
        self.classes[class].outlives
    }
    /// Returns the possible writers besides the code itself.
    pub fn reach(&self, class: AliasClass) -> Reach {
        match (self.space(class), self.escapes(class)) {
            (Space::Local, false) => Reach::Private,
            (Space::Local, true) => Reach::Escaped,
            _ => Reach::Visible,
        }
    }
    /// Returns true if the function declares that its parameters do not overlap (`SEMANTICS: M5`).
    pub fn has_noalias(&self) -> bool {
        self.has_noalias
    }
}

impl Class {
    fn add_space(&mut self, space: Space) {
        let same = self.space.is_none_or(|it| it == space);
        self.space = Some(if same { space } else { Space::Other });
    }
}

/// Gives sets their classes, in the order in which they are asked for.
struct Numbers {
    of_set: Vec<Option<AliasClass>>,
    classes: Table<AliasClass, Class>,
}

impl Numbers {
    fn class(&mut self, overlap: &mut UnionFind, element: u32) -> AliasClass {
        let set = overlap.find(element) as usize;
        *self.of_set[set].get_or_insert_with(|| self.classes.push(Class::default()))
    }
}

/// The address space of each root, by its set in `Carriers::sets`.
struct Spaces {
    /// None where scopes disagree, or no buffer shows it.
    of_set: Vec<Option<Space>>,
    has_buffer: Vec<bool>,
}

impl Spaces {
    fn collect(body: &Body, carriers: &mut Carriers<'_>) -> Spaces {
        let n = 1 + body.values.len() + body.buffers.len();
        let mut spaces = Spaces { of_set: vec![None; n], has_buffer: vec![false; n] };
        for (buffer, data) in body.buffers.iter() {
            let element = carriers.buffer(buffer);
            let set = carriers.sets.find(element) as usize;
            let space = Space::of_scope(data.scope);
            let is_first = !std::mem::replace(&mut spaces.has_buffer[set], true);
            if is_first {
                spaces.of_set[set] = Some(space);
            } else if spaces.of_set[set] != Some(space) {
                spaces.of_set[set] = None;
            }
        }
        spaces
    }
}

/// Without `noalias`, parameters of one space may overlap in any way.
fn unite_params(
    body: &Body,
    spaces: &Spaces,
    has_noalias: bool,
    carriers: &mut Carriers<'_>,
    overlap: &mut UnionFind,
) {
    if has_noalias {
        return;
    }
    let mut first: [Option<u32>; 4] = [None; 4];
    for param in &body.params {
        if !is_pointer(body.values[param.value].ty) {
            continue;
        }
        let element = carriers.param(param.value);
        let set = carriers.sets.find(element) as usize;
        // A handle that no buffer is made of is a pointer to global memory.
        let known = if spaces.has_buffer[set] { spaces.of_set[set] } else { Some(Space::Global) };
        let group = match known {
            Some(Space::Global) => 0,
            Some(Space::Shared) => 1,
            Some(Space::Local) => 2,
            Some(Space::Other) | None => 3,
        };
        match first[group] {
            Some(first) => overlap.unite(first, element),
            None => first[group] = Some(element),
        }
    }
    // Memory of several or unknown spaces may be any of them.
    if let Some(any) = first[3] {
        first.into_iter().flatten().for_each(|it| overlap.unite(any, it));
    }
}

/// Buffers on pointers of unknown origin may be anything whose address got out.
fn unite_world(
    body: &Body,
    spaces: &Spaces,
    escaping: &[bool],
    carriers: &mut Carriers<'_>,
    overlap: &mut UnionFind,
) {
    let world = carriers.sets.find(WORLD) as usize;
    if !spaces.has_buffer[world] {
        return;
    }
    // A pointer declared to be of one space other than the default points there (`SEMANTICS: H3`).
    let only = spaces.of_set[world].filter(|it| matches!(it, Space::Shared | Space::Local));
    let is_param = |value| matches!(body.values[value].kind, ir::ValueKind::Param(_));
    for element in 1..escaping.len() as u32 {
        let set = carriers.sets.find(element) as usize;
        let index = element as usize - 1;
        let param = index < body.values.len()
            && is_param(ir::ValueId::new(index))
            && is_pointer(body.values[ir::ValueId::new(index)].ty);
        let fits = only.is_none_or(|it| spaces.of_set[set].is_none_or(|space| space == it));
        if (escaping[element as usize] || param) && fits {
            overlap.unite(WORLD, element);
        }
    }
}

/// Returns true if any memory of a body is volatile. Needs no alias classes, for callers without further questions.
/// O(buffers + operations).
pub fn has_volatile(body: &Body) -> bool {
    let is_mark = |op| body.scope_attr(op) == Some(ScopeAttr::Volatile);
    body.buffers.ids().any(|it| is_volatile(body, it)) || body.ops.ids().any(is_mark)
}

fn is_volatile(body: &Body, buffer: BufferId) -> bool {
    let is_mark = |text: &str| text.contains("volatile");
    let attrs = body.dict(body.buffers[buffer].attrs);
    let mut stack: Vec<&Attr> = attrs.iter().map(|(_, it)| it).collect();
    let mut found = attrs.iter().any(|(key, _)| is_mark(key));
    while let Some(attr) = stack.pop() {
        match attr {
            Attr::Dict(entries) => {
                found |= entries.iter().any(|(key, _)| is_mark(key));
                stack.extend(entries.iter().map(|(_, it)| it));
            }
            Attr::List(items) => stack.extend(items),
            Attr::Str(text) | Attr::Text(text) => found |= is_mark(text),
            _ => {}
        }
    }
    found
}
