//! The writer's state, names of entities, and the frame of a kernel.

use std::collections::BTreeSet;

use ir::{Body, BufferId, DataType, ExprId, OpId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    dialect::{Dialect, Needs, SharedArray},
    expr::LetKey,
    helpers::{Helper, Scalar},
    host::HostFrame,
    types::{is_half, lanes},
};
use crate::{
    artifact::names::MARK,
    backend::{DeviceCode, Feature},
    kernel::{
        Kernel, KernelParam, KernelSet, Refusal, Result, Root, RootUse, ScalarSource, Space,
        alignment::Alignment,
        bounds::Bounds,
        split::{nest, root_of},
    },
    reasons,
};

/// Alignment of shared memory: the widest access of a thread.
const SHARED_ALIGNMENT: u64 = 16;

/// Writes one kernel into `out`.
pub(super) struct Writer<'a> {
    pub(super) body: &'a Body,
    pub(super) kernel: &'a Kernel,
    pub(super) dialect: &'a dyn Dialect,
    pub(super) bounds: Bounds<'a>,
    /// The same where an overflow wraps.
    pub(super) wrapped: Bounds<'a>,
    pub(super) host: HostFrame,
    pub(super) out: String,
    pub(super) indent: usize,
    pub(super) helpers: BTreeSet<Helper>,
    pub(super) needs: Needs,
    /// The required device features.
    pub(super) features: Vec<Feature>,
    /// Values whose declaration has been written.
    pub(super) declared: FxHashSet<ValueId>,
    /// Scalar parameters that stand for properties of buffers.
    pub(super) fields: FxHashMap<ExprId, String>,
    /// Names of hoisted `Let` values.
    pub(super) lets: FxHashMap<LetKey, Vec<String>>,
    /// Low bits of indices.
    pub(super) alignment: Alignment<'a>,
    /// Arrays with the lanes of the loads of the current statement that are done at once.
    pub(super) wide: FxHashMap<ExprId, String>,
    /// Nodes that may still be written: inlined bindings may repeat.
    pub(super) budget: usize,
    /// Lines of `out`, and the operation that begins there.
    op_lines: Vec<(u32, OpId)>,
    /// Lines in the first `counted` bytes of `out`.
    n_lines: u32,
    counted: usize,
    roots: FxHashMap<BufferId, Root>,
    made: Vec<String>,
    slots: FxHashMap<Named, String>,
    /// Names of entities that a value or buffer has.
    owned: FxHashSet<String>,
}

/// An entity that has an identifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Named {
    Value(ValueId),
    Lane(ValueId, u32),
    Buffer(BufferId),
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        set: &'a KernelSet,
        kernel: &'a Kernel,
        dialect: &'a dyn Dialect,
    ) -> Writer<'a> {
        Writer {
            body: &set.body,
            kernel,
            dialect,
            bounds: Bounds::new(&set.body, kernel),
            wrapped: Bounds::new(&set.body, kernel).wrapping(),
            host: HostFrame::default(),
            out: String::new(),
            indent: 0,
            helpers: BTreeSet::new(),
            needs: Needs::default(),
            features: Vec::new(),
            declared: FxHashSet::default(),
            fields: FxHashMap::default(),
            lets: FxHashMap::default(),
            alignment: Alignment::new(&set.body),
            wide: FxHashMap::default(),
            budget: 20_000_000,
            op_lines: Vec::new(),
            n_lines: 0,
            counted: 0,
            roots: FxHashMap::default(),
            made: Vec::new(),
            slots: FxHashMap::default(),
            owned: FxHashSet::default(),
        }
    }

    /// Writes the kernel.
    pub(super) fn kernel(mut self) -> Result<DeviceCode> {
        let params = self.parameters()?;
        self.indent = 1;
        let (static_shared, dynamic_shared) = self.shared_memory()?;
        self.thread_indices()?;
        self.outer_memory()?;
        if self.dialect.is_host() {
            self.enter_host()?;
        }
        self.op(self.kernel.op)?;
        let mut unused = String::new();
        if self.dialect.is_host() {
            self.leave_host();
            unused = self.unused_parameters();
        }
        let mut text = self.dialect.prologue(&self.needs);
        for helper in &self.helpers {
            text.push_str(&helper.text(self.dialect));
        }
        if !self.helpers.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.dialect.signature(self.fixed_block()));
        text.push_str(&params);
        text.push_str(") {\n");
        text.push_str(&unused);
        let above = count_lines(&text);
        let lines = self.op_lines.iter().map(|&(line, op)| (above + line + 1, op)).collect();
        text.push_str(&self.out);
        text.push_str("}\n");
        Ok(DeviceCode {
            text,
            made: self.made,
            static_shared,
            dynamic_shared,
            lines,
            shared: Vec::new(),
            binary: Vec::new(),
            bindings: None,
            features: self.features,
            checks: Vec::new(),
        })
    }

    fn fixed_block(&self) -> Option<[i64; 3]> {
        let mut block = [1; 3];
        for dim in self.kernel.launch.iter().filter(|it| it.axis.is_thread()) {
            block[dim.axis.dim()] = dim.fixed()?;
        }
        Some(block)
    }

    fn parameters(&mut self) -> Result<String> {
        let mut params = Vec::new();
        for param in &self.kernel.params {
            let text = match param {
                KernelParam::Pointer(root) => self.pointer_param(*root)?,
                KernelParam::Scalar { value, dtype, .. } => {
                    let ty = self.dialect.scalar_param(*dtype).ok_or_else(|| {
                        Refusal::new(
                            reasons::ARGUMENT_TYPE,
                            format!("a kernel cannot take a `{dtype}`"),
                        )
                    })?;
                    self.note_type(*dtype);
                    let name = match value {
                        ScalarSource::Value(value) => {
                            self.declared.insert(*value);
                            self.value_slot(*value)
                        }
                        ScalarSource::Field(expr) => {
                            let name = self.field_slot(*expr);
                            self.fields.insert(*expr, name.clone());
                            name
                        }
                    };
                    format!("{ty} {name}")
                }
            };
            params.push(text);
        }
        // No parameters at all are `void` in C.
        let none = self.dialect.is_host() && params.is_empty();
        Ok(if none { "void".to_owned() } else { params.join(", ") })
    }

    /// `(void)x;` for the parameters that the text does not name.
    fn unused_parameters(&mut self) -> String {
        let mut lines = String::new();
        for param in &self.kernel.params {
            let name = match param {
                KernelParam::Pointer(root) => self.root_slot(*root),
                KernelParam::Scalar { value: ScalarSource::Value(value), .. } => {
                    self.value_slot(*value)
                }
                KernelParam::Scalar { value: ScalarSource::Field(expr), .. } => {
                    self.fields.get(expr).cloned().unwrap_or_default()
                }
            };
            if !self.out.contains(&name) {
                lines.push_str(&format!("  (void){name};\n"));
            }
        }
        lines
    }

    fn pointer_param(&mut self, root: Root) -> Result<String> {
        let (dtype, written) = match self.kernel.root_use(root) {
            Some(it) => (it.dtypes[0], it.written),
            None => (DataType::uint(8), true),
        };
        let element = self.memory_type(dtype)?;
        let space = self.dialect.space(Space::Global);
        let constant = if written { "" } else { "const " };
        let restrict = match self.kernel.noalias {
            true => format!(" {}", self.dialect.restrict()),
            false => String::new(),
        };
        let name = self.root_slot(root);
        Ok(format!("{space}{constant}{element}*{restrict} {name}"))
    }

    /// Declares all shared memory at the top: both languages want it there or accept it.
    fn shared_memory(&mut self) -> Result<(u64, u64)> {
        let uses: Vec<RootUse> = self
            .kernel
            .roots
            .iter()
            .filter(|it| matches!(it.space, Space::Shared | Space::SharedDyn))
            .cloned()
            .collect();
        let mut sizes = Vec::new();
        for it in &uses {
            let Root::Alloc(buffer) = it.root else { continue };
            let dtype = self.body.buffers[buffer].dtype;
            let len = self.array_len(buffer)?;
            let bytes = len.saturating_mul(dtype.element().bytes() as u64);
            sizes.push((buffer, it, len, bytes));
        }
        let round = |bytes: u64| bytes.next_multiple_of(SHARED_ALIGNMENT);
        let total: u64 = sizes.iter().map(|it| round(it.3)).fold(0, u64::saturating_add);
        if total > 1 << 30 {
            return Err(Refusal::new(
                reasons::SHARED_MEMORY_SIZE,
                format!("{total} bytes of shared memory"),
            ));
        }
        let all_dynamic = self.dialect.static_shared_limit().is_some_and(|limit| total > limit);
        let (mut fixed, mut dynamic) = (0, 0);
        for (buffer, root, len, bytes) in sizes {
            let is_dynamic = self.dialect.static_shared_limit().is_some()
                && (all_dynamic || root.space == Space::SharedDyn);
            let used = if is_dynamic { &mut dynamic } else { &mut fixed };
            let offset = *used;
            *used += round(bytes);
            let (element, len) = self.array_element(root, buffer, len)?;
            let name = self.root_slot(Root::Alloc(buffer));
            let text = self.dialect.shared_array(&SharedArray {
                name: &name,
                element,
                len,
                dynamic_offset: is_dynamic.then_some(offset),
            });
            self.line(&text);
        }
        if dynamic > 0 {
            self.out
                .insert_str(0, "  extern __shared__ __align__(16) unsigned char tir_shared[];\n");
        }
        Ok((fixed, dynamic))
    }

    /// Element type and length of an array; bytes where it is accessed as several types.
    pub(super) fn array_element(
        &mut self,
        root: &RootUse,
        buffer: BufferId,
        len: u64,
    ) -> Result<(&'static str, u64)> {
        let dtype = self.body.buffers[buffer].dtype.element();
        if root.dtypes.len() > 1 || root.dtypes.first().is_some_and(|it| *it != dtype) {
            return Ok(("unsigned char", len.saturating_mul(dtype.bytes() as u64)));
        }
        self.memory_type(dtype)?;
        let element = self.dialect.array_type(dtype);
        element.map(|it| (it, len)).ok_or_else(|| no_type(dtype))
    }

    /// Number of scalars of an allocation.
    pub(super) fn array_len(&mut self, buffer: BufferId) -> Result<u64> {
        let data = &self.body.buffers[buffer];
        let mut len = u64::from(lanes(data.dtype).ok_or_else(|| no_type(data.dtype))?);
        for &extent in &data.shape {
            let extent = self.constant(extent).filter(|&it| it >= 0).ok_or_else(|| {
                Refusal::new(
                    reasons::THREAD_MEMORY_SIZE,
                    "the size of thread or shared memory is no constant",
                )
            })?;
            len = len.saturating_mul(extent as u64);
        }
        // A declaration of no elements is no C.
        Ok(len.max(1))
    }

    /// The value of an integer expression that is one constant.
    pub(super) fn constant(&mut self, expr: ExprId) -> Option<i64> {
        let range = self.bounds.range(expr);
        (range.lo == range.hi).then(|| i64::try_from(range.lo).ok()).flatten()
    }

    /// Declares the thread memory that is allocated outside the nest.
    fn outer_memory(&mut self) -> Result<()> {
        let inside: FxHashSet<BufferId> = nest(self.body, self.kernel.op)
            .filter_map(|op| match self.body.ops[op].kind {
                ir::OpKind::Alloc { buffer, .. } => Some(buffer),
                _ => None,
            })
            .collect();
        for usage in &self.kernel.roots {
            if let Root::Alloc(buffer) = usage.root
                && !inside.contains(&buffer)
            {
                self.alloc(buffer)?;
            }
        }
        Ok(())
    }

    fn thread_indices(&mut self) -> Result<()> {
        for op in nest(self.body, self.kernel.op) {
            let ir::OpKind::LaunchThread { var, .. } = self.body.ops[op].kind else { continue };
            if !self.declared.insert(var) {
                continue;
            }
            let dtype = self.body.values[var].ty.prim().unwrap_or(DataType::INT32);
            let ty = self.register_type(dtype)?;
            let index = match self.kernel.thread_vars.get(&var).copied().flatten() {
                Some(axis) => self.dialect.thread_index(axis),
                None => "0".to_owned(),
            };
            let name = self.value_slot(var);
            self.line(&format!("const {ty} {name} = ({ty}){index};"));
        }
        Ok(())
    }

    // ---- names ----

    /// A slot for a name that code generation makes.
    pub(super) fn new_slot(&mut self, wanted: &str) -> String {
        self.made.push(wanted.to_owned());
        format!("{MARK}m{}{MARK}", self.made.len() - 1)
    }

    /// The identifier of a value, a lane of one, or a buffer: the first of a name has that of the source; copies that
    /// lowering makes have names of their own beside it.
    fn slot_of(&mut self, named: Named) -> String {
        if let Some(slot) = self.slots.get(&named) {
            return slot.clone();
        }
        let body = self.body;
        let name = match named {
            Named::Value(value) => body.name(body.values[value].name).to_owned(),
            Named::Lane(value, lane) => format!("{}_{lane}", body.name(body.values[value].name)),
            Named::Buffer(buffer) => body.name(body.buffers[buffer].name).to_owned(),
        };
        let number = name.strip_prefix(MARK);
        let is_entity = number.is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
        let slot = match is_entity && self.owned.insert(name.clone()) {
            true => format!("{name}{MARK}"),
            false => self.new_slot(&name),
        };
        self.slots.insert(named, slot.clone());
        slot
    }

    /// The identifier of a value.
    pub(super) fn value_slot(&mut self, value: ValueId) -> String {
        self.slot_of(Named::Value(value))
    }

    /// The identifier of one lane of a value.
    pub(super) fn lane_slot(&mut self, value: ValueId, lane: u32) -> String {
        self.slot_of(Named::Lane(value, lane))
    }

    /// The identifier of a root.
    pub(super) fn root_slot(&mut self, root: Root) -> String {
        match root {
            Root::Param(buffer) | Root::Alloc(buffer) => self.slot_of(Named::Buffer(buffer)),
            Root::Handle(value) => self.value_slot(value),
        }
    }

    fn field_slot(&mut self, expr: ExprId) -> String {
        let body = self.body;
        let ir::ExprKind::BufferField(buffer, field) = body.expr(expr).kind else {
            return self.new_slot("field");
        };
        let name = body.name(body.buffers[buffer].name);
        let wanted = match field {
            ir::BufferField::ElemOffset => format!("{name}_elem_offset"),
            ir::BufferField::Stride(dim) => format!("{name}_stride_{dim}"),
            ir::BufferField::Shape(dim) => format!("{name}_shape_{dim}"),
            ir::BufferField::Data => format!("{name}_data"),
        };
        self.new_slot(&wanted)
    }

    /// The root of a buffer.
    pub(super) fn root(&mut self, buffer: BufferId) -> Result<Root> {
        if let Some(&root) = self.roots.get(&buffer) {
            return Ok(root);
        }
        let root = root_of(self.body, buffer)?;
        self.roots.insert(buffer, root);
        Ok(root)
    }

    // ---- types ----

    /// The register type of a scalar.
    pub(super) fn register_type(&mut self, dtype: DataType) -> Result<&'static str> {
        self.note_type(dtype);
        self.dialect.register_type(dtype.element()).ok_or_else(|| no_type(dtype))
    }

    /// The memory type of a scalar.
    pub(super) fn memory_type(&mut self, dtype: DataType) -> Result<&'static str> {
        self.note_type(dtype);
        self.dialect.memory_type(dtype.element()).ok_or_else(|| no_type(dtype))
    }

    fn note_type(&mut self, dtype: DataType) {
        self.needs.f16 |= is_half(dtype) && dtype.code == ir::TypeCode::Float;
        self.needs.bf16 |= dtype.code == ir::TypeCode::BFloat;
        self.needs.f64 |= dtype.code == ir::TypeCode::Float && dtype.bits == 64;
    }

    /// The name of a helper, which is brought along from now on.
    pub(super) fn helper(&mut self, helper: Helper) -> String {
        self.helpers.insert(helper);
        helper.name(self.dialect)
    }

    /// The helper that rounds a register of a narrow float.
    pub(super) fn rounding(&mut self, dtype: DataType) -> String {
        self.note_type(dtype);
        self.helper(Helper::Round(Scalar::of(dtype)))
    }

    // ---- lines ----

    /// Marks the text from here on as belonging to `op`.
    pub(super) fn note_line(&mut self, op: OpId) {
        self.n_lines += count_lines(&self.out[self.counted..]);
        self.counted = self.out.len();
        match self.op_lines.last_mut() {
            Some(last) if last.0 == self.n_lines => last.1 = op,
            _ => self.op_lines.push((self.n_lines, op)),
        }
    }

    /// Returns the operation that is being written.
    pub(super) fn current_op(&self) -> Option<OpId> {
        self.op_lines.last().map(|it| it.1)
    }

    /// One whole line.
    pub(super) fn line(&mut self, text: &str) {
        self.start_line();
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The indentation of a line.
    pub(super) fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|&it| it == b'\n').count() as u32
}

/// The refusal of a type.
pub(super) fn no_type(dtype: DataType) -> Refusal {
    Refusal::new(reasons::DTYPE, format!("`{dtype}` has no type in this language"))
}
