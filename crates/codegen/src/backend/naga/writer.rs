//! The state of a kernel's translation, and the frame: arguments, thread indices, shared memory.
//!
//! Buffers are bindings 0, 1, … of group 0 in the order of the arguments; the scalar arguments lie in one structure
//! behind them. The README of the crate documents both for launchers.

use ::naga::{
    AddressSpace, ArraySize, BuiltIn, Expression, FunctionArgument, GlobalVariable, Handle, Scalar,
    Span, StorageAccess, StructMember, Type, TypeInner, VectorSize,
};
use ir::{Body, BufferId, DataType, ExprId, OpKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    function::{Function, Node},
    language::ShaderLanguage,
    memory::Memory,
    types::{self, Stored},
};
use crate::{
    artifact::manifest::{Bindings, ScalarField, Scalars},
    kernel::{
        Axis, Kernel, KernelParam, KernelSet, Refusal, Result, Root, RootUse, ScalarSource, Space,
        bounds::Bounds,
        host::HostExpr,
        split::{nest, root_of},
    },
    reasons,
};

/// Translates one kernel.
pub(super) struct Writer<'a> {
    pub(super) body: &'a Body,
    pub(super) kernel: &'a Kernel,
    pub(super) language: ShaderLanguage,
    pub(super) bounds: Bounds<'a>,
    pub(super) out: Function,
    /// Values that have been computed, lane by lane.
    pub(super) values: FxHashMap<ValueId, Vec<Node>>,
    /// Scalar arguments that stand for properties of buffers.
    pub(super) fields: FxHashMap<ExprId, Node>,
    pub(super) memory: FxHashMap<Root, Memory>,
    /// Regions around the statement that is written.
    pub(super) nesting: usize,
    pub(super) features: FxHashSet<&'static str>,
    /// The checks of the host before a launch.
    pub(super) checks: Vec<HostExpr>,
    pub(super) bindings: Bindings,
    pub(super) shared_bytes: u64,
    roots: FxHashMap<BufferId, Root>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        set: &'a KernelSet,
        kernel: &'a Kernel,
        language: ShaderLanguage,
    ) -> Writer<'a> {
        Writer {
            body: &set.body,
            kernel,
            language,
            bounds: Bounds::new(&set.body, kernel),
            out: Function::default(),
            values: FxHashMap::default(),
            fields: FxHashMap::default(),
            memory: FxHashMap::default(),
            nesting: 0,
            features: FxHashSet::default(),
            checks: Vec::new(),
            bindings: Bindings::default(),
            shared_bytes: 0,
            roots: FxHashMap::default(),
        }
    }

    /// Translates the kernel; the result is in `out`.
    pub(super) fn kernel(&mut self) -> Result<()> {
        self.out.open_block();
        self.buffers()?;
        self.scalars()?;
        self.shared_memory()?;
        self.thread_indices()?;
        self.outer_memory()?;
        self.op(self.kernel.op)?;
        self.out.function.body = self.out.close_block();
        Ok(())
    }

    // ---- arguments ----

    fn buffers(&mut self) -> Result<()> {
        let kernel = self.kernel;
        let pointers = kernel.params.iter().filter_map(|it| match it {
            KernelParam::Pointer(root) => Some(*root),
            KernelParam::Scalar { .. } => None,
        });
        for (binding, root) in (0..).zip(pointers) {
            self.bindings.buffers.push(binding);
            // A pointer that the kernel does not use has a number all the same.
            let Some(usage) = kernel.root_use(root) else { continue };
            let stored = types::stored(one_type(usage)?, self.language)?;
            usage.dtypes.iter().for_each(|it| self.note_type(*it, true));
            let mut access = StorageAccess::LOAD;
            access.set(StorageAccess::STORE, usage.written);
            let element = self.element(stored, usage.written);
            let ty = self.runtime_array(root, element, stored)?;
            let name = self.root_name(root);
            let space = AddressSpace::Storage { access };
            let base = self.global(name, space, Some(binding), ty)?;
            self.memory.insert(root, Memory { base, stored, atomic: usage.written });
        }
        Ok(())
    }

    /// An array of a buffer: without a length, but where Metal would then want its size as a further argument.
    fn runtime_array(
        &mut self,
        root: Root,
        element: Handle<Type>,
        stored: Stored,
    ) -> Result<Handle<Type>> {
        let stride = stored.bytes();
        let mut size = ArraySize::Dynamic;
        if self.language == ShaderLanguage::Metal {
            let known = match root {
                Root::Param(buffer) | Root::Alloc(buffer)
                    if self.body.buffers[buffer].strides.is_none()
                        && self.body.buffers[buffer].elem_offset.is_none() =>
                {
                    self.array_len(buffer).ok()
                }
                _ => None,
            };
            let per_word = u64::from(stored.per_word());
            let words = known.and_then(|it| u32::try_from(it.div_ceil(per_word)).ok());
            match words.and_then(std::num::NonZeroU32::new) {
                Some(words) => size = ArraySize::Constant(words),
                None => self.bindings.sizes = Some(0),
            }
        }
        Ok(self.out.type_of(TypeInner::Array { base: element, size, stride }))
    }

    /// The type of an element; words that threads share are atomic where they are written.
    pub(super) fn element(&mut self, stored: Stored, written: bool) -> Handle<Type> {
        match stored {
            Stored::Packed(_) if written => self.out.type_of(TypeInner::Atomic(Scalar::U32)),
            _ => self.out.scalar_type(stored.scalar()),
        }
    }

    fn global(
        &mut self,
        name: String,
        space: AddressSpace,
        binding: Option<u32>,
        ty: Handle<Type>,
    ) -> Result<Node> {
        let variable = GlobalVariable {
            name: Some(name),
            space,
            binding: binding.map(|binding| ::naga::ResourceBinding { group: 0, binding }),
            ty,
            init: None,
            memory_decorations: ::naga::MemoryDecorations::empty(),
        };
        let variable = self.out.module.global_variables.append(variable, Span::UNDEFINED);
        self.out.add(Expression::GlobalVariable(variable))
    }

    /// One structure for all scalar arguments, each at a multiple of its size.
    fn scalars(&mut self) -> Result<()> {
        let kernel = self.kernel;
        let (mut members, mut given, mut offset, mut align) = (Vec::new(), Vec::new(), 0u32, 4u32);
        for param in &kernel.params {
            let KernelParam::Scalar { value, dtype, host } = param else { continue };
            let scalar = types::argument(*dtype, self.language)?;
            self.note_type(*dtype, false);
            let width = u32::from(scalar.width);
            offset = offset.next_multiple_of(width);
            align = align.max(width);
            let entity = self.scalar_name(*value);
            let name = self.out.names.made(format!("{entity}_arg"));
            let ty = self.out.scalar_type(scalar);
            members.push(StructMember { name: Some(name), ty, binding: None, offset });
            self.bindings.fields.push(ScalarField { offset, dtype: types::spelling(scalar) });
            offset += width;
            if !self.language.has_int64() && dtype.is_integer() && dtype.bits == 64 {
                self.assume_narrow(*value, host)?;
            }
            given.push((*value, *dtype, entity));
        }
        let next = self.bindings.buffers.len() as u32;
        if let Some(sizes) = &mut self.bindings.sizes {
            *sizes = next + 1;
        }
        if members.is_empty() {
            return Ok(());
        }
        let span = offset.next_multiple_of(align.max(16));
        self.bindings.scalars = Some(Scalars { binding: next, bytes: span });
        let inner = TypeInner::Struct { members, span };
        let name = Some("KernelArguments".to_owned());
        let ty = self.out.module.types.insert(Type { name, inner }, Span::UNDEFINED);
        let name = self.out.names.made("arguments".to_owned());
        let base = self.global(name, AddressSpace::Uniform, Some(next), ty)?;
        for (index, (source, dtype, entity)) in (0..).zip(given) {
            let pointer = self.out.add(Expression::AccessIndex { base, index })?;
            let mut node = self.out.load(pointer)?;
            let name = self.out.names.entity(&entity);
            self.out.name(node, name);
            if dtype.is_bool() {
                node = self.not_zero_node(node, Scalar::U32)?;
            }
            match source {
                ScalarSource::Value(value) => {
                    self.values.insert(value, vec![node]);
                }
                ScalarSource::Field(expr) => {
                    self.fields.insert(expr, node);
                }
            }
        }
        Ok(())
    }

    fn scalar_name(&self, source: ScalarSource) -> String {
        let body = self.body;
        match source {
            ScalarSource::Value(value) => body.name(body.values[value].name).to_owned(),
            ScalarSource::Field(expr) => match body.expr(expr).kind {
                ir::ExprKind::BufferField(buffer, _) => {
                    format!("{}_field", body.name(body.buffers[buffer].name))
                }
                _ => "field".to_owned(),
            },
        }
    }

    // ---- memory of the block and of the thread ----

    fn shared_memory(&mut self) -> Result<()> {
        let kernel = self.kernel;
        let shared = |it: &&RootUse| matches!(it.space, Space::Shared | Space::SharedDyn);
        for usage in kernel.roots.iter().filter(shared) {
            let Root::Alloc(buffer) = usage.root else { continue };
            let (stored, len) = self.array(usage, buffer)?;
            let bytes = u64::from(len.get()) * u64::from(stored.bytes());
            self.shared_bytes = self.shared_bytes.saturating_add(bytes.next_multiple_of(16));
            let ty = self.array_type(stored, len);
            let name = self.root_name(usage.root);
            let base = self.global(name, AddressSpace::WorkGroup, None, ty)?;
            self.memory.insert(usage.root, Memory { base, stored, atomic: false });
        }
        Ok(())
    }

    /// Memory of a thread.
    pub(super) fn local_array(&mut self, usage: &RootUse, buffer: BufferId) -> Result<()> {
        let (stored, len) = self.array(usage, buffer)?;
        let ty = self.array_type(stored, len);
        let name = self.root_name(usage.root);
        let base = self.out.variable(name, ty)?;
        self.memory.insert(usage.root, Memory { base, stored, atomic: false });
        Ok(())
    }

    fn array(
        &mut self,
        usage: &RootUse,
        buffer: BufferId,
    ) -> Result<(Stored, std::num::NonZeroU32)> {
        let dtype = one_type(usage)?;
        let own = self.body.buffers[buffer].dtype.element();
        if own.bits != dtype.bits {
            return Err(aliased());
        }
        self.note_type(dtype, true);
        let len = self.array_len(buffer)?;
        let len = u32::try_from(len).ok().and_then(std::num::NonZeroU32::new);
        let too_large =
            || Refusal::new(reasons::THREAD_MEMORY_SIZE, "an array of more than 2^32 elements");
        Ok((types::stored_inside(dtype, self.language)?, len.ok_or_else(too_large)?))
    }

    fn array_type(&mut self, stored: Stored, len: std::num::NonZeroU32) -> Handle<Type> {
        let base = self.out.scalar_type(stored.scalar());
        let stride = stored.bytes();
        self.out.type_of(TypeInner::Array { base, size: ArraySize::Constant(len), stride })
    }

    /// Number of scalars of an allocation, at least one.
    fn array_len(&mut self, buffer: BufferId) -> Result<u64> {
        let data = &self.body.buffers[buffer];
        let mut len = u64::from(lanes(data.dtype)?);
        for &extent in &data.shape {
            let extent = self.constant(extent).and_then(|it| u64::try_from(it).ok());
            let extent = extent.ok_or_else(|| {
                let text = "the size of thread or shared memory is no constant";
                Refusal::new(reasons::THREAD_MEMORY_SIZE, text)
            })?;
            len = len.saturating_mul(extent);
        }
        Ok(len.max(1))
    }

    /// Declares the thread memory that is allocated outside the nest.
    fn outer_memory(&mut self) -> Result<()> {
        let (body, kernel) = (self.body, self.kernel);
        let inside: FxHashSet<BufferId> = nest(body, kernel.op)
            .filter_map(|op| match body.ops[op].kind {
                OpKind::Alloc { buffer, .. } => Some(buffer),
                _ => None,
            })
            .collect();
        for usage in &kernel.roots {
            if let Root::Alloc(buffer) = usage.root
                && usage.space == Space::Local
                && !inside.contains(&buffer)
            {
                self.local_array(usage, buffer)?;
            }
        }
        Ok(())
    }

    // ---- threads ----

    fn thread_indices(&mut self) -> Result<()> {
        let (body, kernel) = (self.body, self.kernel);
        let vector = TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 };
        let ty = self.out.type_of(vector);
        let mut arguments = Vec::new();
        for (name, built_in) in
            [("block", BuiltIn::WorkGroupId), ("thread", BuiltIn::LocalInvocationId)]
        {
            let name = Some(self.out.names.made(name.to_owned()));
            let binding = Some(::naga::Binding::BuiltIn(built_in));
            self.out.function.arguments.push(FunctionArgument { name, ty, binding });
            let index = arguments.len() as u32;
            arguments.push(self.out.add(Expression::FunctionArgument(index))?);
        }
        for op in nest(body, kernel.op) {
            let OpKind::LaunchThread { var, .. } = body.ops[op].kind else { continue };
            if self.values.contains_key(&var) {
                continue;
            }
            let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
            let scalar = types::register(dtype, self.language)?;
            self.note_type(dtype, false);
            let index = match kernel.thread_vars.get(&var).copied().flatten() {
                Some(axis) => {
                    let base = arguments[usize::from(axis.is_thread())];
                    let index = axis.dim() as u32;
                    self.out.add(Expression::AccessIndex { base, index })?
                }
                None => self.out.u32(0)?,
            };
            let index = self.out.convert(index, scalar)?;
            let name = self.out.names.entity(body.name(body.values[var].name));
            self.out.name(index, name);
            self.values.insert(var, vec![index]);
        }
        Ok(())
    }

    /// Threads of a block along x, y, z, which must be constants; and blocks of a grid within the limit.
    pub(super) fn workgroup_size(&mut self) -> Result<[u32; 3]> {
        let mut block = [1; 3];
        for dim in &self.kernel.launch {
            let fixed = dim.fixed();
            if dim.axis.is_thread() {
                let extent = fixed.and_then(|it| u32::try_from(it).ok()).filter(|&it| it > 0);
                let text = "the number of threads of a block is no constant";
                block[dim.axis.dim()] =
                    extent.ok_or_else(|| Refusal::new(reasons::BLOCK_EXTENT, text))?;
            } else if let Some(limit) = self.language.grid_limit() {
                match fixed {
                    Some(extent) if extent > limit => {
                        return Err(too_many_blocks(dim.axis, extent, limit));
                    }
                    Some(_) => {}
                    None => self.checks.push(HostExpr::at_most(&dim.extent, limit)),
                }
            }
        }
        Ok(block)
    }

    // ---- what is asked everywhere ----

    /// The value of an integer expression that is one constant.
    pub(super) fn constant(&mut self, expr: ExprId) -> Option<i64> {
        let range = self.bounds.range(expr);
        (range.lo == range.hi).then(|| i64::try_from(range.lo).ok()).flatten()
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

    fn root_name(&mut self, root: Root) -> String {
        let body = self.body;
        let name = match root {
            Root::Param(buffer) | Root::Alloc(buffer) => body.buffers[buffer].name,
            Root::Handle(value) => body.values[value].name,
        };
        self.out.names.entity(body.name(name))
    }

    pub(super) fn note_type(&mut self, dtype: DataType, in_memory: bool) {
        self.features.extend(self.language.feature(dtype.element(), in_memory));
    }
}

/// Number of lanes, if fixed.
pub(super) fn lanes(dtype: DataType) -> Result<u32> {
    match dtype.lanes {
        ir::Lanes::Fixed(lanes) => Ok(lanes.into()),
        ir::Lanes::Scalable(_) => Err(types::no_type(dtype)),
    }
}

/// The element type that memory is declared with; others that it is accessed as must have the same width.
fn one_type(usage: &RootUse) -> Result<DataType> {
    let first = usage.dtypes.first().map_or(DataType::uint(8), |it| it.element());
    let same = |it: &DataType| it.bits == first.bits && (it.element() == first || it.bits == 32);
    match usage.dtypes.iter().all(same) {
        true => Ok(first),
        false => Err(aliased()),
    }
}

fn aliased() -> Refusal {
    Refusal::new(reasons::ALIASED_MEMORY, "memory is accessed as elements of different widths")
}

fn too_many_blocks(axis: Axis, extent: i64, limit: i64) -> Refusal {
    let text = format!("`{}` has {extent} blocks, of {limit}", axis.tag());
    Refusal::new(reasons::GRID_SIZE, text)
}
