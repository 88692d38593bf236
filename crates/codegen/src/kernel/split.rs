//! Host/device split: each outermost `launch_thread` nest becomes a kernel.
//!
//! In: a lowered function. Out: a [`Split`]: for each nest its roots (the memory behind its buffers), its scalar
//! arguments as expressions of the function's arguments, its launch extents; and the steps of the host around it.
//! What the host would have to do beyond launching (stores, calls, reads of memory) is refused with a reason, and the
//! whole function with it. Linear in the body, and in the host expressions written out.

mod outside;
mod whole;

use ir::{
    Attr, Body, BufferField, BufferId, BufferOrigin, Callee, DataType, ExprId, ExprKind, ForKind,
    Intrinsic, MemoryScope, OpId, OpKind, RegionId, ThreadTag, ValueId, ValueKind, ViewStep,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    kernel::{
        Axis, FunctionParam, HostStep, Kernel, KernelParam, LaunchDim, Refusal, Result, Root,
        RootUse, ScalarSource, Space, Split, Symbol, SymbolSource, Workspace,
        access::is_fragment,
        host::{FieldValue, HostContext, HostExpr},
    },
    reasons,
};

use barriers::instructions::instruction;
pub(crate) use barriers::{bindings, nest};
pub(crate) use whole::whole;

/// Splits a function. Kernels refer to its operations.
pub(crate) fn split(body: &Body) -> Result<Split> {
    let mut splitter = Splitter::new(body);
    let (kernels, host, params, workspaces) = splitter.function()?;
    let symbols = splitter.symbols;
    Ok(Split { kernels, host, workspaces, params, symbols, origins: Vec::new() })
}

/// Returns true if the function launches a kernel, or would after lowering.
pub fn launches(body: &Body) -> bool {
    let is_launch =
        |kind| matches!(kind, OpKind::LaunchThread { .. } | OpKind::For(ForKind::ThreadBinding(_)));
    body.ops_preorder().any(|op| is_launch(body.ops[op].kind))
}

/// Regions around a launch.
const MAX_HOST_DEPTH: usize = 64;

struct Splitter<'a> {
    body: &'a Body,
    /// Host bindings, and bindings inside kernels: all are single assignments.
    definitions: FxHashMap<ValueId, ExprId>,
    symbols: Vec<Symbol>,
    host_loops: FxHashSet<ValueId>,
    thread_vars: FxHashMap<ValueId, Option<Axis>>,
    kernels: Vec<Kernel>,
    workspaces: Vec<BufferId>,
    depth: usize,
}

type Parts = (Vec<Kernel>, Vec<HostStep>, Vec<FunctionParam>, Vec<Workspace>);

impl<'a> Splitter<'a> {
    fn new(body: &'a Body) -> Splitter<'a> {
        Splitter {
            body,
            definitions: bindings(body),
            symbols: Vec::new(),
            host_loops: FxHashSet::default(),
            thread_vars: FxHashMap::default(),
            kernels: Vec::new(),
            workspaces: Vec::new(),
            depth: 0,
        }
    }

    fn function(&mut self) -> Result<Parts> {
        self.check_names()?;
        let host = self.host_region(self.body.root)?;
        let mut params = Vec::new();
        for param in &self.body.params {
            params.push(self.function_param(param)?);
        }
        let mut workspaces = Vec::new();
        for &buffer in &std::mem::take(&mut self.workspaces) {
            let elements = self.element_count(buffer)?;
            workspaces.push(Workspace { buffer, dtype: self.body.buffers[buffer].dtype, elements });
        }
        Ok((std::mem::take(&mut self.kernels), host, params, workspaces))
    }

    fn check_names(&self) -> Result<()> {
        match self.body.unresolved.first() {
            Some(&name) => {
                let name = self.body.name(name);
                Err(Refusal::new(reasons::UNRESOLVED_NAME, format!("`{name}` is not known here")))
            }
            None => Ok(()),
        }
    }

    fn function_param(&mut self, param: &ir::Param) -> Result<FunctionParam> {
        let Some(buffer) = param.buffer.or_else(|| matched_buffer(self.body, param.value)) else {
            let dtype = self.body.values[param.value].ty.prim().unwrap_or(DataType::HANDLE);
            return Ok(FunctionParam {
                value: param.value,
                buffer: None,
                dtype,
                shape: Vec::new(),
            });
        };
        let data = &self.body.buffers[buffer];
        let shape = data.shape.iter().map(|&it| self.host_expr(it)).collect::<Result<_>>()?;
        Ok(FunctionParam { value: param.value, buffer: Some(buffer), dtype: data.dtype, shape })
    }

    fn element_count(&mut self, buffer: BufferId) -> Result<HostExpr> {
        let mut product: Option<HostExpr> = None;
        for &extent in &self.body.buffers[buffer].shape {
            let factor = self.host_expr(extent)?;
            product = Some(match product {
                None => factor,
                Some(lhs) => match (lhs.as_int(), factor.as_int()) {
                    (Some(a), Some(b)) => HostExpr::int(a.saturating_mul(b), DataType::INT64),
                    _ => HostExpr::Op {
                        op: crate::kernel::host::HostOp::Mul,
                        dtype: "int64".to_owned(),
                        args: vec![lhs, factor],
                    },
                },
            });
        }
        Ok(product.unwrap_or_else(|| HostExpr::int(1, DataType::INT64)))
    }

    // ---- the host ----

    fn host_region(&mut self, region: RegionId) -> Result<Vec<HostStep>> {
        if self.depth >= MAX_HOST_DEPTH {
            return Err(Refusal::new(
                reasons::NESTING_TOO_DEEP,
                "statements around the launches nest too deep",
            ));
        }
        self.depth += 1;
        let body = self.body;
        let mut steps = Vec::new();
        for &block in &body.regions[region].blocks {
            for &op in &body.blocks[block].ops {
                self.host_op(op, &mut steps).map_err(|it| it.at(op))?;
            }
        }
        self.depth -= 1;
        Ok(steps)
    }

    fn host_op(&mut self, op: OpId, steps: &mut Vec<HostStep>) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        match operation.kind {
            OpKind::LaunchThread { .. } => {
                let kernel = self.kernel(op)?;
                steps.push(HostStep::Launch(kernel.index));
                self.kernels.push(kernel);
            }
            OpKind::Bind | OpKind::EnvThread(_) | OpKind::DeclBuffer { .. } => {
                for &region in &operation.regions {
                    steps.extend(self.host_region(region)?);
                }
            }
            // Local and shared memory belong to the threads and blocks that use it, wherever it is written.
            OpKind::Alloc { .. } => {
                for &region in &operation.regions {
                    steps.extend(self.host_region(region)?);
                }
            }
            OpKind::Attr(_) | OpKind::AttrDict => {
                for &region in &operation.regions {
                    steps.extend(self.host_region(region)?);
                }
            }
            OpKind::For(ForKind::Serial | ForKind::Unrolled) => {
                let region = operation.regions[0];
                let var = body.blocks[body.entry(region)].args[0];
                if operation.operands.len() > 2 {
                    return Err(Refusal::new(
                        reasons::HOST_LOOP_STEP,
                        "a loop around launches has a step",
                    ));
                }
                self.host_loops.insert(var);
                let min = self.host_expr(operation.operands[0])?;
                let extent = self.host_expr(operation.operands[1])?;
                let inner = self.host_region(region)?;
                if !inner.is_empty() {
                    steps.push(HostStep::Loop { var, min, extent, steps: inner });
                }
            }
            OpKind::If => {
                let condition = self.host_expr(operation.operands[0])?;
                let then = self.host_region(operation.regions[0])?;
                let otherwise = match operation.regions.get(1) {
                    Some(&region) => self.host_region(region)?,
                    None => Vec::new(),
                };
                steps.push(HostStep::If { condition, then, otherwise });
            }
            OpKind::Assert => steps.push(HostStep::Assert(self.host_expr(operation.operands[0])?)),
            OpKind::Evaluate if body.expr(operation.operands[0]).is_constant() => {}
            OpKind::Return
                if operation.operands.iter().all(|&it| body.expr(it).is_constant())
                    && body.blocks[operation.parent].ops.last() == Some(&op) => {}
            OpKind::For(ForKind::ThreadBinding(_)) => {
                return Err(Refusal::new(
                    reasons::THREAD_BINDING_LOOP,
                    "a loop is still to be bound to threads: lower the module first",
                ));
            }
            OpKind::SBlock(_) => {
                return Err(Refusal::new(
                    reasons::UNLOWERED_BLOCK,
                    "a block is still to be scheduled: lower the module first",
                ));
            }
            _ => return Err(Refusal::new(reasons::HOST_CODE, self.describe(op))),
        }
        Ok(())
    }

    fn describe(&self, op: OpId) -> String {
        let body = self.body;
        let what = match body.ops[op].kind {
            OpKind::Evaluate => match body.expr(body.ops[op].operands[0]).kind {
                ExprKind::Call { callee: Callee::Intrinsic(name, _), .. } => {
                    return format!("the host calls `{}`", body.name(name));
                }
                _ => "a call",
            },
            OpKind::Store { .. } => "a store",
            OpKind::While => "a `while` loop",
            OpKind::For(_) => "a loop that is not serial",
            OpKind::Opaque(_) => "a statement that is kept by its text only",
            OpKind::Return => "a `return`",
            _ => "a statement",
        };
        format!("outside the launches the function has {what}")
    }

    fn host_expr(&mut self, expr: ExprId) -> Result<HostExpr> {
        let body = self.body;
        let (symbols, loops, thread_vars) =
            (&mut self.symbols, &self.host_loops, &self.thread_vars);
        let symbols = std::cell::RefCell::new(symbols);
        let mut symbol = |value: ValueId| {
            if thread_vars.contains_key(&value) {
                return Err(Refusal::new(
                    reasons::DEVICE_DEPENDENT_LAUNCH,
                    "an extent or argument depends on a thread index",
                ));
            }
            value_symbol(body, value, loops, &mut symbols.borrow_mut())
        };
        let mut field =
            |buffer, field| field_symbol(body, buffer, field, &mut symbols.borrow_mut());
        HostContext { body, definitions: &self.definitions, symbol: &mut symbol, field: &mut field }
            .build(expr)
    }

    // ---- one kernel ----

    fn kernel(&mut self, op: OpId) -> Result<Kernel> {
        let body = self.body;
        let mut launch: Vec<LaunchDim> = Vec::new();
        self.thread_vars.clear();
        for inner in nest(body, op) {
            if let OpKind::LaunchThread { tag, var } = body.ops[inner].kind {
                self.thread_axis(inner, tag, var, &mut launch).map_err(|it| it.at(inner))?;
            }
        }
        launch.sort_by_key(|it| it.axis);
        outside::check_code_outside_threads(body, op, &launch, &self.thread_vars)?;
        let mut uses = Uses::of_kernel(body, op, &self.thread_vars)?;
        let params = self.kernel_params(&mut uses)?;
        Ok(Kernel {
            op,
            index: self.kernels.len(),
            params,
            launch,
            thread_vars: self.thread_vars.clone(),
            roots: uses.roots,
            noalias: is_true(body, "tirx.noalias") || is_true(body, "tir.noalias"),
        })
    }

    fn thread_axis(
        &mut self,
        op: OpId,
        tag: ThreadTag,
        var: ValueId,
        launch: &mut Vec<LaunchDim>,
    ) -> Result<()> {
        let expr = self.body.ops[op].operands[0];
        let extent = self.host_expr(expr)?;
        let name = self.body.tag_name(tag);
        let Some(axis) = Axis::of_tag(tag) else {
            if extent.as_int() == Some(1) {
                self.thread_vars.insert(var, None);
                return Ok(());
            }
            return Err(Refusal::new(
                reasons::THREAD_TAG,
                format!("`{name}` is no axis of a launch"),
            ));
        };
        self.thread_vars.insert(var, Some(axis));
        match launch.iter().find(|it| it.axis == axis) {
            Some(known) if known.extent != extent => Err(Refusal::new(
                reasons::THREAD_EXTENT_MISMATCH,
                format!("`{name}` is launched with two extents in one kernel"),
            )),
            Some(_) => Ok(()),
            None => {
                launch.push(LaunchDim { axis, expr, extent });
                Ok(())
            }
        }
    }

    fn kernel_params(&mut self, uses: &mut Uses<'_>) -> Result<Vec<KernelParam>> {
        let body = self.body;
        let mut params = Vec::new();
        let mut scalars = std::mem::take(&mut uses.scalars);
        for param in &body.params {
            let roots = [
                param.buffer.map(Root::Param),
                matched_buffer(body, param.value).map(Root::Param),
                Some(Root::Handle(param.value)),
            ];
            let root = roots.into_iter().flatten().find(|&it| uses.pointer(it));
            params.extend(root.map(KernelParam::Pointer));
            if let Some(at) = scalars.iter().position(|it| *it == ScalarSource::Value(param.value))
            {
                params.push(self.scalar(scalars.remove(at))?);
            }
        }
        for root in uses.roots.iter().map(|it| (it.root, it.space)) {
            if let (Root::Alloc(buffer), Space::Global) = root {
                params.push(KernelParam::Pointer(root.0));
                if !self.workspaces.contains(&buffer) {
                    self.workspaces.push(buffer);
                }
            }
        }
        for scalar in scalars {
            params.push(self.scalar(scalar)?);
        }
        Ok(params)
    }

    fn scalar(&mut self, source: ScalarSource) -> Result<KernelParam> {
        let body = self.body;
        let (host, ty) = match source {
            ScalarSource::Value(value) => {
                let ty = body.values[value].ty;
                let host = match self.definitions.get(&value) {
                    Some(&definition) => self.host_expr(definition)?,
                    None => HostExpr::Var {
                        var: value_symbol(body, value, &self.host_loops, &mut self.symbols)?,
                        dtype: ty.prim().unwrap_or(DataType::INT32).to_string(),
                    },
                };
                (host, ty)
            }
            ScalarSource::Field(expr) => (self.host_expr(expr)?, body.ty(expr)),
        };
        let dtype =
            ty.prim().filter(|it| it.is_scalar() && *it != DataType::HANDLE).ok_or_else(|| {
                Refusal::new(
                    reasons::ARGUMENT_TYPE,
                    "a value computed on the host has no scalar type",
                )
            })?;
        Ok(KernelParam::Scalar { value: source, dtype, host })
    }
}

/// The buffers and values that a kernel uses, in order of first use.
struct Uses<'a> {
    body: &'a Body,
    roots: Vec<RootUse>,
    scalars: Vec<ScalarSource>,
    seen_scalars: FxHashSet<ScalarSource>,
    seen: FxHashSet<ExprId>,
    inside: FxHashSet<ValueId>,
    allocated: FxHashSet<BufferId>,
    /// True if it is a whole function, whose allocations are its own memory.
    is_whole: bool,
}

impl<'a> Uses<'a> {
    fn of_kernel(
        body: &'a Body,
        kernel: OpId,
        thread_vars: &FxHashMap<ValueId, Option<Axis>>,
    ) -> Result<Uses<'a>> {
        Uses::collect(body, kernel, thread_vars, false)
    }

    fn of_function(body: &'a Body, function: OpId) -> Result<Uses<'a>> {
        Uses::collect(body, function, &FxHashMap::default(), true)
    }

    fn collect(
        body: &'a Body,
        kernel: OpId,
        thread_vars: &FxHashMap<ValueId, Option<Axis>>,
        is_whole: bool,
    ) -> Result<Uses<'a>> {
        let mut uses = Uses {
            body,
            roots: Vec::new(),
            scalars: Vec::new(),
            seen_scalars: FxHashSet::default(),
            seen: FxHashSet::default(),
            inside: thread_vars.keys().copied().collect(),
            allocated: FxHashSet::default(),
            is_whole,
        };
        for op in nest(body, kernel) {
            let operation = &body.ops[op];
            uses.inside.extend(operation.results.iter().copied());
            for &region in &operation.regions {
                for &block in &body.regions[region].blocks {
                    uses.inside.extend(body.blocks[block].args.iter().copied());
                }
            }
            if let OpKind::Alloc { buffer, .. } = operation.kind {
                uses.allocated.insert(buffer);
            }
        }
        for op in nest(body, kernel) {
            uses.operation(op).map_err(|it| it.at(op))?;
        }
        Ok(uses)
    }

    fn operation(&mut self, op: OpId) -> Result<()> {
        let operation = &self.body.ops[op];
        match operation.kind {
            OpKind::Alloc { .. } if self.is_whole => {}
            // Extents are the host's, allocations have constant shapes, declarations name roots that uses resolve.
            OpKind::LaunchThread { .. } | OpKind::Alloc { .. } | OpKind::DeclBuffer { .. } => {
                return Ok(());
            }
            OpKind::Attr(_) => {
                if let Some(&value) = operation.operands.get(1) {
                    self.expr(value)?;
                }
                return Ok(());
            }
            OpKind::Store { buffer, .. } => self.element(buffer, true)?,
            OpKind::Evaluate => {
                if let Some(known) = instruction(self.body, operation.operands[0]) {
                    for (pointer, written) in known.pointers() {
                        self.pointer_use(pointer, written)?;
                    }
                }
            }
            _ => {}
        }
        operation.operands.iter().try_for_each(|&it| self.expr(it))
    }

    fn expr(&mut self, root: ExprId) -> Result<()> {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !self.seen.insert(expr) {
                continue;
            }
            let kind = self.body.expr(expr).kind;
            match kind {
                ExprKind::Value(value) if !self.inside.contains(&value) => {
                    self.scalar(ScalarSource::Value(value));
                }
                ExprKind::BufferField(
                    _,
                    BufferField::ElemOffset | BufferField::Stride(_) | BufferField::Shape(_),
                ) => self.scalar(ScalarSource::Field(expr)),
                ExprKind::Load { buffer, .. } => self.element(buffer, false)?,
                ExprKind::Opaque { text, .. } => {
                    return Err(Refusal::new(
                        reasons::OPAQUE_EXPRESSION,
                        format!("`{}` is not understood", self.body.name(text)),
                    ));
                }
                _ => {}
            }
            let mark = stack.len();
            self.body.each_child(kind, &mut |child| stack.push(child));
            stack[mark..].reverse();
        }
        Ok(())
    }

    fn scalar(&mut self, source: ScalarSource) {
        if self.seen_scalars.insert(source) {
            self.scalars.push(source);
        }
    }

    /// An access to an element: fragments have none that a program could name.
    fn element(&mut self, buffer: BufferId, written: bool) -> Result<()> {
        if is_fragment(self.body, buffer) {
            let detail = "an element of a fragment is accessed: only `tvm_load_matrix_sync` and its like may";
            return Err(Refusal::new(reasons::MEMORY_SCOPE, detail));
        }
        self.buffer(buffer, written)
    }

    /// The memory behind a pointer that an instruction is given.
    fn pointer_use(&mut self, pointer: ExprId, written: bool) -> Result<()> {
        let body = self.body;
        let mut at = pointer;
        loop {
            match body.expr(at).kind {
                ExprKind::BufferField(buffer, BufferField::Data)
                | ExprKind::Load { buffer, .. } => {
                    self.buffer(buffer, written)?;
                    let root = root_of(body, buffer)?;
                    if let Some(known) = self.roots.iter_mut().find(|it| it.root == root) {
                        known.has_pointer = true;
                    }
                    return Ok(());
                }
                ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
                    at = match (it, body.items(args)) {
                        (Intrinsic::AccessPtr, &[_, data, ..]) => data,
                        (Intrinsic::AddressOf, &[of, ..]) => of,
                        _ => break,
                    };
                }
                _ => break,
            }
        }
        Err(Refusal::new(reasons::BUFFER_POINTER, "an instruction is given a computed pointer"))
    }

    fn buffer(&mut self, buffer: BufferId, written: bool) -> Result<()> {
        let body = self.body;
        let data = &body.buffers[buffer];
        for &extra in data.strides.iter().flatten().chain(data.elem_offset.iter()) {
            self.expr(extra)?;
        }
        if data.shape.len() > 1 {
            for &extent in &data.shape[1..] {
                self.expr(extent)?;
            }
        }
        let root = root_of(body, buffer)?;
        let space = match root {
            Root::Param(_) | Root::Handle(_) => Space::Global,
            Root::Alloc(owner) => {
                let space = match space(body, owner)? {
                    _ if self.is_whole => Space::Local,
                    space => space,
                };
                if space == Space::Global && self.allocated.contains(&owner) {
                    return Err(Refusal::new(
                        reasons::GLOBAL_ALLOC_IN_KERNEL,
                        "global memory is allocated inside a kernel",
                    ));
                }
                space
            }
        };
        let dtype = data.dtype.element();
        match self.roots.iter_mut().find(|it| it.root == root) {
            Some(known) => {
                known.written |= written;
                if !known.dtypes.contains(&dtype) {
                    known.dtypes.push(dtype);
                }
            }
            None => self.roots.push(RootUse {
                root,
                space,
                dtypes: vec![dtype],
                written,
                has_pointer: false,
            }),
        }
        Ok(())
    }

    fn pointer(&self, root: Root) -> bool {
        self.roots.iter().any(|it| it.root == root)
    }
}

/// The memory behind a buffer, if code for all its views can be written.
pub(crate) fn root_of(body: &Body, buffer: BufferId) -> Result<Root> {
    let refused = |what: &str| Err(Refusal::new(reasons::BUFFER_VIEW, what));
    let mut at = buffer;
    // A chain of views is no longer than there are buffers.
    for _ in 0..=body.buffers.len() {
        at = match body.view_step(at) {
            ViewStep::Own => {
                return Ok(match body.buffers[at].origin {
                    BufferOrigin::Param | BufferOrigin::Match { .. } => Root::Param(at),
                    _ => Root::Alloc(at),
                });
            }
            ViewStep::Data(owner) => owner,
            ViewStep::View(source, method) if body.name(method) == "view" => source,
            ViewStep::View(_, method) => {
                return refused(&format!("`.{}()` of a buffer is not lowered", body.name(method)));
            }
            ViewStep::Region(_) => return refused("a matched region of a buffer is not lowered"),
            ViewStep::Pointer(pointer) => {
                return match body.expr(pointer).kind {
                    ExprKind::Value(value)
                        if matches!(body.values[value].kind, ValueKind::Param(_)) =>
                    {
                        let owner = matched_buffer(body, value);
                        Ok(owner.map_or(Root::Handle(value), Root::Param))
                    }
                    _ => {
                        let what = "a buffer's memory is given by a computed pointer";
                        Err(Refusal::new(reasons::BUFFER_POINTER, what))
                    }
                };
            }
        };
    }
    refused("views of a buffer go in a circle")
}

/// The buffer that a handle parameter stands for: its own, or its `match_buffer`.
pub(crate) fn matched_buffer(body: &Body, handle: ValueId) -> Option<BufferId> {
    if let Some(buffer) = body.params.iter().find(|it| it.value == handle).and_then(|it| it.buffer)
    {
        return Some(buffer);
    }
    body.buffers.iter().find_map(|(id, buffer)| match buffer.origin {
        BufferOrigin::Match { handle: it } => {
            (body.expr(it).kind == ExprKind::Value(handle)).then_some(id)
        }
        _ => None,
    })
}

/// The memory space of an allocation.
pub(crate) fn space(body: &Body, buffer: BufferId) -> Result<Space> {
    let data = &body.buffers[buffer];
    if data.origin == BufferOrigin::Cell {
        return Ok(Space::Local);
    }
    match data.scope {
        MemoryScope::Unwritten | MemoryScope::Global => Ok(Space::Global),
        MemoryScope::Shared => Ok(Space::Shared),
        MemoryScope::SharedDyn => Ok(Space::SharedDyn),
        MemoryScope::Local
        | MemoryScope::MatrixA
        | MemoryScope::MatrixB
        | MemoryScope::Accumulator => Ok(Space::Local),
        MemoryScope::Warp | MemoryScope::Unknown | MemoryScope::Other(..) => {
            let detail = format!("memory scope `{}` is not lowered", body.scope_name(data.scope));
            Err(Refusal::new(reasons::MEMORY_SCOPE, detail))
        }
    }
}

fn value_symbol(
    body: &Body,
    value: ValueId,
    loops: &FxHashSet<ValueId>,
    symbols: &mut Vec<Symbol>,
) -> Result<String> {
    let data = &body.values[value];
    let name = body.name(data.name).to_owned();
    if symbols.iter().any(|it| it.name == name) {
        return Ok(name);
    }
    let source = if loops.contains(&value) {
        SymbolSource::Loop
    } else {
        symbol_source(body, value).ok_or_else(|| {
            Refusal::new(
                reasons::FREE_VARIABLE,
                format!("nothing gives `{name}` a value on the host"),
            )
        })?
    };
    let dtype = data.ty.prim().unwrap_or(DataType::INT32);
    symbols.push(Symbol { name: name.clone(), dtype, source });
    Ok(name)
}

/// Returns the source of the value of a shape variable or parameter.
fn symbol_source(body: &Body, value: ValueId) -> Option<SymbolSource> {
    let is = |expr: ExprId| body.expr(expr).kind == ExprKind::Value(value);
    if let ValueKind::Param(index) = body.values[value].kind {
        return Some(SymbolSource::Param(index as usize));
    }
    // `n = TypeVar("n")` of the module is a shape variable of the functions that name it.
    if !matches!(body.values[value].kind, ValueKind::Symbol | ValueKind::Captured) {
        return None;
    }
    for (param, it) in body.params.iter().enumerate() {
        let Some(buffer) = it.buffer.or_else(|| matched_buffer(body, it.value)) else { continue };
        let data = &body.buffers[buffer];
        if let Some(dim) = data.shape.iter().position(|&it| is(it)) {
            return Some(SymbolSource::Shape { param, dim });
        }
        if let Some(dim) = data.strides.iter().flatten().position(|&it| is(it)) {
            return Some(SymbolSource::Stride { param, dim });
        }
        if data.elem_offset.is_some_and(is) {
            return Some(SymbolSource::ElemOffset { param });
        }
    }
    None
}

fn field_symbol(
    body: &Body,
    buffer: BufferId,
    field: BufferField,
    symbols: &mut Vec<Symbol>,
) -> Result<FieldValue> {
    let data = &body.buffers[buffer];
    let param = body
        .params
        .iter()
        .position(|it| it.buffer.or_else(|| matched_buffer(body, it.value)) == Some(buffer));
    match field {
        BufferField::Shape(dim) => match data.shape.get(dim as usize) {
            Some(&extent) => Ok(FieldValue::Expr(extent)),
            None => Err(Refusal::new(reasons::BUFFER_FIELD, "a buffer has no such dimension")),
        },
        BufferField::Stride(dim) => {
            match data.strides.as_ref().and_then(|it| it.get(dim as usize)) {
                Some(&stride) => Ok(FieldValue::Expr(stride)),
                None => {
                    Err(Refusal::new(reasons::BUFFER_FIELD, "a stride that is not written is read"))
                }
            }
        }
        BufferField::ElemOffset => match (data.elem_offset, param) {
            (Some(offset), _) => Ok(FieldValue::Expr(offset)),
            (None, Some(param)) if has_free_offset(body, buffer) => {
                let name = format!("{}.elem_offset", body.name(data.name));
                if !symbols.iter().any(|it| it.name == name) {
                    let source = SymbolSource::ElemOffset { param };
                    symbols.push(Symbol { name: name.clone(), dtype: DataType::INT32, source });
                }
                Ok(FieldValue::Symbol(name))
            }
            _ => Ok(FieldValue::Int(0)),
        },
        BufferField::Data => {
            Err(Refusal::new(reasons::HOST_POINTER, "a pointer is used as a number on the host"))
        }
    }
}

/// Returns true if the caller chooses the offset of a buffer parameter (`offset_factor=` without `elem_offset=`).
pub(crate) fn has_free_offset(body: &Body, buffer: BufferId) -> bool {
    let data = &body.buffers[buffer];
    data.elem_offset.is_none()
        && matches!(data.origin, BufferOrigin::Param | BufferOrigin::Match { .. })
        && body
            .dict(data.attrs)
            .iter()
            .any(|(key, value)| &**key == "offset_factor" && !matches!(value, Attr::Int(0, _)))
}

fn is_true(body: &Body, key: &str) -> bool {
    matches!(body.func_attr(key), Some(Attr::Bool(true) | Attr::Int(1, _)))
}
