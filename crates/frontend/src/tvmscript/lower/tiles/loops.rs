//! Loops: `T.Parallel`, `T.Pipelined`, `T.Persistent`, `T.serial` and `T.unroll` with TileLang's arguments.

use ir::{Attr, AttrDict, BinaryOp, DataType, ExprId, ForKind, OpKind};

use smallvec::SmallVec;
use syntax::TextRange;

use super::super::{
    Lowerer, R, Reported,
    arguments::Args,
    loops::{Axis, LoopName},
    source_tree::At,
    value::Val,
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run},
    source_map::DefinitionKind,
};

/// The tiles that `T.Persistent` walks.
struct Walk {
    /// Its extents.
    domain: Vec<ExprId>,
    /// The blocks of a wave, and the number of a block in it.
    wave: ExprId,
    index: ExprId,
    /// The tiles of a group, of all groups, and the waves that they are.
    group: ExprId,
    tiles: ExprId,
    waves: ExprId,
    /// The place of what the names are written in, if that is elsewhere.
    outside: Option<TextRange>,
}

/// The tiles of a group of `T.Persistent` where none are said.
const GROUP: i128 = 8;

impl<'a> Lowerer<'_, '_, 'a> {
    /// The loops of a form of TileLang; none if it is no loop.
    pub(in super::super) fn tile_axes(
        &mut self,
        ex: Ex,
        form: &str,
        args: &Args<'a>,
        targets: &[Ex],
    ) -> R<Option<Vec<Axis>>> {
        Ok(Some(match form {
            "tl.Parallel" => {
                let mut axes = self.grid_axes(ex, args, targets)?;
                for axis in &mut axes {
                    axis.kind = ForKind::Parallel;
                }
                let attrs = self.notes(args, &[("loop_layout", "parallel_loop_layout")])?;
                if let Some(first) = axes.first_mut() {
                    first.attrs = attrs;
                }
                axes
            }
            "tl.Pipelined" => vec![self.tile_axis(ex, args, ForKind::Serial)?],
            "tl.serial" => vec![self.tile_axis(ex, args, ForKind::Serial)?],
            "tl.unroll" => vec![self.tile_axis(ex, args, ForKind::Unrolled)?],
            _ => return Ok(None),
        }))
    }

    /// `for bx, by in T.Persistent([m, n], wave_size, index, group_size=8):` is a loop over waves of blocks: each block
    /// of a wave has one tile of the domain, which is walked in groups along its last dimension. TileLang binds the
    /// coordinates before that loop; here they are in it, since they name its variable. None of it has text of its own.
    pub(in super::super) fn persistent(
        &mut self,
        target: Ex,
        ex: Ex,
        args: &Args<'a>,
        body: Run,
    ) -> R<()> {
        use BinaryOp as B;
        let (ast, range) = (self.ast, self.range(ex));
        let at = At { range, is_real: false };
        let (Some(domain), Some(wave), Some(index)) =
            (args.get("domain"), args.get("wave_size"), args.get("index"))
        else {
            return Err(
                self.malformed(ex, "a domain, the blocks of a wave and an index are needed")
            );
        };
        let ev = self.eval(domain)?;
        let Some(items) = self.items(&ev) else {
            self.note_kept(range);
            return Err(Reported);
        };
        let mut domain: Vec<ExprId> = Vec::with_capacity(items.len());
        for item in &items {
            domain.push(self.lift(item)?.id);
        }
        let Some((&last, others)) = domain.split_last() else {
            return Err(self.malformed(ex, "the domain has no dimension"));
        };
        let one_target = [target];
        let targets: &[Ex] = match *ast.kind(target) {
            ExKind::Tuple(run) | ExKind::List(run) => ast.exs(run),
            _ => &one_target,
        };
        let names = self.loop_names(target, targets, domain.len(), true)?;
        let (wave, index) = (self.expr(wave)?.id, self.expr(index)?.id);
        let group = match args.get("group_size").filter(|&it| !self.is_none(it)) {
            Some(it) => self.expr(it)?.id,
            None => self.int(GROUP, DataType::INT32, at).id,
        };
        let least = self.tile_value(B::Min, group, last, at)?;
        let one = self.int(1, DataType::INT32, at).id;
        let group = self.tile_value(B::Max, one, least, at)?;
        let mut tiles = self.tile_quotient(last, group, at)?;
        for &extent in others.iter().chain([&group]) {
            tiles = self.tile_value(B::Mul, tiles, extent, at)?;
        }
        let waves = self.tile_quotient(tiles, wave, at)?;
        let (outer, outside) = (self.s.block, self.expansion.replace(range));
        self.s.scopes.push_frame();
        let walk = Walk { domain, wave, index, group, tiles, waves, outside };
        let result = self.tile_of_wave(&walk, names, at);
        self.expansion = outside;
        if result.is_ok() {
            self.suite_or_pass(body);
        }
        self.leave_frame();
        self.s.block = outer;
        result
    }

    /// The loop over waves, the coordinates of the tile that a block has, and the conditions under which there is one.
    fn tile_of_wave(&mut self, walk: &Walk, names: SmallVec<[LoopName<'_>; 4]>, at: At) -> R<()> {
        use BinaryOp as B;
        let Walk { domain, wave, index, group, tiles, waves, .. } = walk;
        let (wave, index, group, tiles) = (*wave, *index, *group, *tiles);
        let Some((&last, others)) = domain.split_last() else { return Err(Reported) };
        let waves = self.tx(*waves, at);
        let zero = self.int(0, self.dtype(waves).unwrap_or(DataType::INT32), at);
        let op = self.emit(OpKind::For(ForKind::Serial), &[zero, waves]);
        self.enter_region(op);
        let (block, ty) = (self.s.block, self.ty(zero));
        let var = self.s.body.new_block_arg(block, "w", ty);
        self.s.loop_domains.insert(var, (zero.id, waves.id));
        let number = self.s.body.value_expr(var);
        let first = self.tile_value(B::Mul, number, wave, at)?;
        let number = self.tile_value(B::Add, first, index, at)?;
        let mut rest = self.tile_value(B::Div, number, group, at)?;
        let in_group = self.tile_value(B::Mod, number, group, at)?;
        let mut coordinates = Vec::with_capacity(domain.len());
        for &extent in others.iter().rev() {
            coordinates.push(self.tile_value(B::Mod, rest, extent, at)?);
            rest = self.tile_value(B::Div, rest, extent, at)?;
        }
        coordinates.reverse();
        let before = self.tile_value(B::Mul, rest, group, at)?;
        let along = self.tile_value(B::Add, before, in_group, at)?;
        coordinates.push(along);
        let mut conditions = Vec::new();
        // In the last of several waves some blocks have nothing left.
        if self.const_int(waves).is_some_and(|it| it >= 2) {
            conditions.push(self.tile_value(B::Lt, number, tiles, at)?);
        }
        conditions.push(self.tile_value(B::Lt, along, last, at)?);
        self.name_coordinates(&coordinates, names, at, walk.outside);
        for condition in conditions {
            let condition = self.tx(condition, at);
            let op = self.emit(OpKind::If, &[condition]);
            self.enter_region(op);
        }
        Ok(())
    }

    /// Binds coordinates, the last one first as TileLang does, and gives them their names.
    fn name_coordinates(
        &mut self,
        coordinates: &[ExprId],
        names: SmallVec<[LoopName<'_>; 4]>,
        at: At,
        outside: Option<TextRange>,
    ) {
        let of = names.iter().flat_map(|it| std::iter::repeat_n(it.0, it.2.unwrap_or(1)));
        let of: Vec<&str> = of.collect();
        let mut vars = Vec::with_capacity(coordinates.len());
        for (&value, name) in coordinates.iter().zip(of).rev() {
            let value = self.tx(value, at);
            let ty = self.ty(value);
            let op = self.emit(OpKind::Bind, &[value]);
            let var = self.s.body.push_result(op, name, ty);
            vars.push(Val::Expr(self.s.body.value_expr(var)));
        }
        // The names, unlike the loop, have text of their own.
        let inside = std::mem::replace(&mut self.expansion, outside);
        let mut vars = vars.into_iter().rev();
        for (name, target, count) in names {
            match count {
                None => {
                    if let Some(val) = vars.next() {
                        self.define_at(name, target, DefinitionKind::Index, val);
                    }
                }
                Some(count) => {
                    let all: Vec<Val> = vars.by_ref().take(count).collect();
                    let all = Val::Seq(all.into_iter().collect());
                    self.define_at(name, target, DefinitionKind::Meta, all);
                }
            }
        }
        self.expansion = inside;
    }

    fn tile_value(&mut self, op: BinaryOp, a: ExprId, b: ExprId, at: At) -> R<ExprId> {
        let (a, b) = (self.tx(a, at), self.tx(b, at));
        Ok(self.arithmetic(op, a, b, at)?.id)
    }

    fn tile_quotient(&mut self, a: ExprId, b: ExprId, at: At) -> R<ExprId> {
        let (a, b) = (self.tx(a, at), self.tx(b, at));
        Ok(self.ceildiv_of(a, b, at)?.id)
    }

    fn tile_axis(&mut self, ex: Ex, args: &Args<'a>, kind: ForKind) -> R<Axis> {
        let mut axis = self.axis_by(ex, kind, args)?;
        let renamed =
            [("explicit", "pragma_unroll_explicit"), ("unroll_factor", "pragma_unroll_factor")];
        axis.attrs = self.notes(args, &renamed)?;
        Ok(axis)
    }

    /// The notes to the compiler about a loop, by the names that TileLang prints.
    fn notes(&mut self, args: &Args<'a>, renamed: &[(&str, &str)]) -> R<AttrDict> {
        let mut attrs = self.loop_attrs(args)?;
        let is_bound = |key: &str| matches!(key, "start" | "stop" | "step" | "annotations");
        let given: Vec<_> = args.named().filter(|it| !is_bound(it.0)).collect();
        for (key, value) in given {
            if self.is_none(value) {
                continue;
            }
            let key = renamed.iter().find(|it| it.0 == key).map_or(key, |it| it.1);
            let value = self.attr(value);
            // Without stages there is no pipeline, and TileLang says nothing of it.
            let is_nothing = key == "num_stages" && matches!(value, Attr::Int(0, _));
            if !matches!(value, Attr::None) && !is_nothing {
                attrs.push((key.into(), value));
            }
        }
        Ok(attrs)
    }
}
