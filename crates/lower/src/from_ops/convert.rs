//! The converter: walks the operations of a kernel, gives each its statement, and keeps the converted form of each
//! value.
//!
//! In: a launch. Out: the function. One pass; regions by `stacker`, everything else by loops.

use ir::{
    BinaryOp, BlockId, Body, DataType, Dialect, ExprId, ExprKind, Intrinsic, MemoryScope, OpId,
    OpKind, Param, RegionId, ThreadTag, Type, ValueId, ValueKind, arena::Id as _,
};
use rustc_hash::FxHashMap;

use super::{
    FromOps,
    launches::{Launch, Size},
    memory::View,
    text,
    values::value_of,
};
use crate::{LowerRefusal, edit::folded, reasons};

pub(super) type Converted<T> = Result<T, LowerRefusal>;

/// The converted form of a value.
#[derive(Clone)]
pub(super) enum Known {
    Expr(ExprId),
    Memory(View),
}

/// The number of uses of a value, and whether they are only in the block of its definition.
#[derive(Clone, Copy, Default)]
struct Uses {
    n: u32,
    elsewhere: bool,
}

pub(super) struct Converter<'a> {
    pub(super) from: &'a Body,
    pub(super) body: Body,
    /// The place where statements go.
    pub(super) at: BlockId,
    known: FxHashMap<ValueId, Known>,
    launch: &'a Launch<'a>,
    uses: FxHashMap<ValueId, Uses>,
    /// The operation that is converted.
    source: Option<OpId>,
    origins: Vec<(OpId, OpId)>,
    /// Place of the block, place of the thread, blocks, threads; in x, y, z.
    places: [ExprId; 12],
}

const SIZES: [&str; 6] = ["grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"];
const NAMES: [&str; 6] = ["bx", "by", "bz", "tx", "ty", "tz"];

/// The function of a launch.
pub(super) fn convert(launch: &Launch<'_>) -> Converted<FromOps> {
    let body = Body::new(&launch.name, Dialect::Tirx);
    let at = body.entry(body.root);
    let mut it = Converter {
        from: launch.body,
        at,
        known: FxHashMap::default(),
        launch,
        uses: uses(launch.body),
        source: None,
        origins: Vec::new(),
        places: [ExprId::new(0); 12],
        body,
    };
    let region = launch.region;
    let &[block] = launch.body.regions[region].blocks.as_slice() else {
        return Err(branches(launch.body, region));
    };
    for &param in &launch.params {
        it.parameter(param)?;
    }
    if launch.params.is_empty() {
        it.captures(region)?;
    }
    it.launches();
    for (&value, place) in launch.places.iter().zip(it.places) {
        it.known.insert(value, Known::Expr(place));
    }
    for (scope, values) in
        [(MemoryScope::Shared, &launch.shared), (MemoryScope::Local, &launch.private)]
    {
        for &value in values {
            it.attribution(value, scope)?;
        }
    }
    it.operations(block)?;
    let sizes = launch.sizes.map(|it| match it {
        Size::Known(size) => Some(size),
        Size::Free => None,
    });
    Ok(FromOps { body: it.body, origins: it.origins, sizes })
}

/// Returns the place where control goes between blocks of a region.
pub(super) fn branches(from: &Body, region: RegionId) -> LowerRefusal {
    let refusal = LowerRefusal::new(reasons::BRANCHES, "blocks with branches between them");
    let blocks = &from.regions[region].blocks;
    match blocks.first().and_then(|&it| from.blocks[it].ops.last()) {
        Some(&op) => refusal.at(op),
        None => LowerRefusal::new(reasons::NO_BODY, "it has no body"),
    }
}

fn uses(from: &Body) -> FxHashMap<ValueId, Uses> {
    let mut res: FxHashMap<ValueId, Uses> = FxHashMap::default();
    for op in from.ops_preorder() {
        for &operand in &from.ops[op].operands {
            let ExprKind::Value(value) = from.expr(operand).kind else { continue };
            let uses = res.entry(value).or_default();
            uses.n += 1;
            uses.elsewhere |= match from.values[value].kind {
                ValueKind::Result(by, _) => from.ops[by].parent != from.ops[op].parent,
                _ => true,
            };
        }
    }
    res
}

impl<'a> Converter<'a> {
    // ---- values ----

    /// The value that an operand names.
    pub(super) fn operand(&self, op: OpId, at: usize) -> Converted<ValueId> {
        match self.from.ops[op].operands.get(at).map(|&it| self.from.expr(it).kind) {
            Some(ExprKind::Value(value)) => Ok(value),
            _ => Err(self.unknown(op)),
        }
    }

    /// An operand that is a number.
    pub(super) fn expr(&self, op: OpId, at: usize) -> Converted<ExprId> {
        match self.known.get(&self.operand(op, at)?) {
            Some(Known::Expr(expr)) => Ok(*expr),
            _ => Err(self.unknown(op)),
        }
    }

    /// All operands from one on, which are numbers.
    pub(super) fn exprs(&self, op: OpId, from: usize) -> Converted<Vec<ExprId>> {
        (from..self.from.ops[op].operands.len()).map(|at| self.expr(op, at)).collect()
    }

    /// An operand that is memory.
    pub(super) fn memory(&self, op: OpId, at: usize) -> Converted<View> {
        match self.known.get(&self.operand(op, at)?) {
            Some(Known::Memory(view)) => Ok(view.clone()),
            _ => Err(self.unknown(op)),
        }
    }

    pub(super) fn set(&mut self, value: ValueId, known: Known) {
        self.known.insert(value, known);
    }

    pub(super) fn is_used(&self, value: ValueId) -> bool {
        self.uses.contains_key(&value)
    }

    /// The one result of an operation.
    pub(super) fn result(&self, op: OpId) -> Converted<ValueId> {
        self.from.ops[op].results.first().copied().ok_or_else(|| self.unknown(op))
    }

    pub(super) fn scalar(&self, value: ValueId) -> Converted<DataType> {
        let ty = text::type_of(self.from, value);
        text::scalar(ty)
            .ok_or_else(|| LowerRefusal::new(reasons::TYPE, format!("a value of type `{ty}`")))
    }

    /// Binds a value to a name, so that it keeps its present value.
    pub(super) fn bind(&mut self, value: ValueId, expr: ExprId) {
        let name = self.name(value);
        let ty = self.body.ty(expr);
        let op = self.push(OpKind::Bind, &[expr]);
        let bound = self.body.push_result(op, &name, ty);
        let expr = self.body.value_expr(bound);
        self.set(value, Known::Expr(expr));
    }

    /// The name of a value, as a name of the function.
    pub(super) fn name(&self, value: ValueId) -> String {
        text::identifier(self.from.name(self.from.values[value].name))
    }

    /// Not converted, by its name.
    pub(super) fn unknown(&self, op: OpId) -> LowerRefusal {
        let name = text::name_of(self.from, op);
        LowerRefusal::new(reasons::OPERATION, format!("`{name}` is not written as statements"))
            .at(op)
    }

    // ---- statements ----

    pub(super) fn push(&mut self, kind: OpKind, operands: &[ExprId]) -> OpId {
        let op = self.body.push_op(self.at, kind, operands);
        self.origins.extend(self.source.map(|source| (op, source)));
        op
    }

    /// Converts the only block of a region into a block.
    pub(super) fn inside(&mut self, block: BlockId, region: RegionId) -> Converted<()> {
        let &[inner] = self.from.regions[region].blocks.as_slice() else {
            return Err(branches(self.from, region));
        };
        let (before, source) = (std::mem::replace(&mut self.at, block), self.source);
        let res = ir::stack::with_room(|| self.operations(inner));
        (self.at, self.source) = (before, source);
        res
    }

    fn operations(&mut self, block: BlockId) -> Converted<()> {
        let from = self.from;
        for &op in &from.blocks[block].ops {
            self.source = Some(op);
            self.operation(op).map_err(|it| it.at(op))?;
        }
        Ok(())
    }

    fn operation(&mut self, op: OpId) -> Converted<()> {
        let name = text::name_of(self.from, op);
        let Some((dialect, rest)) = name.split_once('.') else { return Err(self.unknown(op)) };
        match dialect {
            "scf" => self.control(op, rest),
            "memref" => self.memref(op, rest),
            "gpu" => self.gpu(op, rest),
            _ => self.value(op),
        }
    }

    /// An operation that only has a value.
    fn value(&mut self, op: OpId) -> Converted<()> {
        let result = self.result(op)?;
        self.scalar(result)?;
        let operands = self.exprs(op, 0)?;
        let Some(expr) = value_of(&mut self.body, self.from, op, &operands) else {
            return Err(self.unknown(op));
        };
        let uses = self.uses.get(&result).copied().unwrap_or_default();
        if self.body.expr(expr).is_leaf() || (uses.n <= 1 && !uses.elsewhere) {
            self.set(result, Known::Expr(expr));
        } else {
            self.bind(result, expr);
        }
        Ok(())
    }

    // ---- gpu ----

    fn gpu(&mut self, op: OpId, name: &str) -> Converted<()> {
        let axis = text::attr(self.from, op, "dimension")
            .and_then(|it| ["x", "y", "z"].iter().position(|axis| text::has_word(it, axis)));
        let first = match name {
            "terminator" | "return" if self.from.ops[op].operands.is_empty() => return Ok(()),
            "barrier" => {
                self.barrier();
                return Ok(());
            }
            "block_id" => 0,
            "thread_id" | "global_id" => 3,
            "grid_dim" => 6,
            "block_dim" => 9,
            _ => return Err(self.unknown(op)),
        };
        let (result, Some(axis)) = (self.result(op)?, axis) else { return Err(self.unknown(op)) };
        let mut place = self.places[first + axis];
        if name == "global_id" {
            let (block, size) = (self.places[axis], self.places[9 + axis]);
            let before = folded(&mut self.body, BinaryOp::Mul, block, size);
            place = folded(&mut self.body, BinaryOp::Add, before, place);
        }
        self.set(result, Known::Expr(place));
        Ok(())
    }

    fn barrier(&mut self) {
        let callee = self.body.intrinsic(Intrinsic::StorageSync);
        let scope = self.body.string("shared");
        let ty = Type::Prim(DataType::INT32);
        let call = self.body.call(callee, &[scope], Body::no_attrs(), ty, true);
        self.push(OpKind::Evaluate, &[call]);
    }

    // ---- the function ----

    /// A new parameter.
    pub(super) fn new_param(&mut self, name: &str, dtype: DataType) -> ValueId {
        let kind = ValueKind::Param(self.body.params.len() as u32);
        let value = self.body.new_value(name, dtype.into(), kind);
        self.body.params.push(Param { value, buffer: None });
        value
    }

    fn parameter(&mut self, value: ValueId) -> Converted<()> {
        if text::type_of(self.from, value).starts_with("memref<") {
            return self.memory_param(value);
        }
        let dtype = self.scalar(value)?;
        let param = self.new_param(&self.name(value), dtype);
        let expr = self.body.value_expr(param);
        self.set(value, Known::Expr(expr));
        Ok(())
    }

    /// Collects the values that a region uses from outside: constants, or parameters in the order of their first uses.
    fn captures(&mut self, region: RegionId) -> Converted<()> {
        let launch = self.launch;
        let mut inside = rustc_hash::FxHashSet::default();
        for event in launch.body.walk(region) {
            let ir::walk::WalkEvent::Enter(op) = event else { continue };
            let operation = &launch.body.ops[op];
            inside.extend(operation.results.iter().copied());
            for &inner in &operation.regions {
                for &block in &launch.body.regions[inner].blocks {
                    inside.extend(launch.body.blocks[block].args.iter().copied());
                }
            }
            for &operand in &operation.operands {
                let ExprKind::Value(value) = launch.body.expr(operand).kind else { continue };
                let is_argument = launch.places.contains(&value)
                    || launch.shared.contains(&value)
                    || launch.private.contains(&value);
                if is_argument || inside.contains(&value) || self.known.contains_key(&value) {
                    continue;
                }
                match launch.constants.known.get(&value) {
                    Some(&constant) => {
                        let ir::Expr { kind, ty, .. } = launch.constants.body.expr(constant);
                        let expr = self.body.make(kind, ty);
                        self.set(value, Known::Expr(expr));
                    }
                    None => self.parameter(value).map_err(|it| it.at(op))?,
                }
            }
        }
        Ok(())
    }

    /// The launch around everything: a size of one needs none, but each kernel has a block and a thread.
    fn launches(&mut self) {
        let sizes: Vec<ExprId> = (0..6)
            .map(|at| match self.launch.sizes[at] {
                Size::Known(size) => self.body.int(size.into(), DataType::INT64),
                Size::Free => {
                    let param = self.new_param(SIZES[at], DataType::INT64);
                    self.body.value_expr(param)
                }
            })
            .collect();
        for at in 0..6 {
            self.places[6 + at] = sizes[at];
            if self.launch.sizes[at] == Size::Known(1) && at % 3 != 0 {
                self.places[at] = self.body.int(0, DataType::INT64);
                continue;
            }
            let tag = ThreadTag::LAUNCH[at];
            let var = ValueId::new(0);
            let op = self.push(OpKind::LaunchThread { tag, var }, &[sizes[at]]);
            let region = self.body.push_region(op);
            self.at = self.body.entry(region);
            let var = self.body.new_block_arg(self.at, NAMES[at], DataType::INT64.into());
            self.body.ops[op].kind = OpKind::LaunchThread { tag, var };
            self.places[at] = self.body.value_expr(var);
        }
    }
}
