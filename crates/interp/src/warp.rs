//! Calls whose value comes from other threads of a warp (SEMANTICS: Y6, P8).
//!
//! A statement with such a call runs in lockstep under every schedule. The operand of a shuffle is evaluated where it
//! is read from: in the source thread, before the statement writes anything. Terms: a *warp* is 32 consecutive threads
//! of a block in order of their linear index (or as many as a call gives); a *segment* is its part of `width` threads.
//! The participants are the threads that execute the statement; the mask operand is a claim about them, not evaluated.

use super::{EventKind, RunError, RunErrorKind, exec::Machine, ops::Val};
use ir::{ExprId, Type};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The thread of its warp that a thread reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Index,
    Up,
    Down,
    Xor,
}

/// The combination of one value from each participant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Vote {
    Any,
    All,
    Ballot,
    Add,
    Min,
}

/// The operands of a shuffle.
struct Shuffle {
    source: Source,
    value: ExprId,
    by: ExprId,
    width: Option<ExprId>,
    warp_size: Option<ExprId>,
}

fn shuffle_of(name: &str, args: &[ExprId]) -> Option<Shuffle> {
    let (source, has_mask) = match name {
        "tvm_warp_shuffle" | "cuda.__shfl_sync" => (Source::Index, true),
        "tvm_warp_shuffle_up" | "cuda.__shfl_up_sync" => (Source::Up, true),
        "tvm_warp_shuffle_down" | "cuda.__shfl_down_sync" => (Source::Down, true),
        "tvm_warp_shuffle_xor" | "cuda.__shfl_xor_sync" => (Source::Xor, true),
        "metal.simd_shuffle" | "webgpu.subgroup_shuffle" => (Source::Index, false),
        "metal.simd_shuffle_up" | "webgpu.subgroup_shuffle_up" => (Source::Up, false),
        "metal.simd_shuffle_down" | "webgpu.subgroup_shuffle_down" => (Source::Down, false),
        _ => return None,
    };
    let args = if has_mask { args.get(1..)? } else { args };
    let (width, warp_size) = (args.get(2).copied(), args.get(3).copied());
    Some(Shuffle { source, value: *args.first()?, by: *args.get(1)?, width, warp_size })
}

fn vote_of(name: &str) -> Option<Vote> {
    Some(match name {
        "cuda.any_sync" => Vote::Any,
        "cuda.all_sync" => Vote::All,
        "cuda.ballot_sync" => Vote::Ballot,
        "cuda.reduce_add_sync_u32" => Vote::Add,
        "cuda.reduce_min_sync_u32" => Vote::Min,
        _ => return None,
    })
}

impl Machine<'_> {
    /// The value of a call that looks at other threads; none if the name is no such call.
    pub(super) fn warp_call(
        &mut self,
        name: &str,
        args: &[ExprId],
        ty: Type,
        lane: usize,
    ) -> Option<Result<Val>> {
        if let Some(shuffle) = shuffle_of(name, args) {
            return Some(self.warp_shuffle(&shuffle, lane));
        }
        if matches!(name, "tvm_warp_activemask" | "cuda.__activemask" | "activemask") {
            let mask = self.warp_of(lane, 32).iter().fold(0u32, |mask, (at, _)| mask | 1 << at);
            let dtype = ty.prim().unwrap_or(ir::DataType::uint(32));
            return Some(Ok(Val::Int(dtype.wrap_int(mask.into()), false)));
        }
        let (vote, operand) = (vote_of(name)?, *args.get(1)?);
        Some(self.warp_vote(vote, operand, ty, lane))
    }

    /// The position in the warp and the lane of each participant of a lane's warp.
    fn warp_of(&self, lane: usize, size: u32) -> Vec<(u32, usize)> {
        let warp = self.frame.threads[lane] / size;
        let of_lane = |&other: &u32| {
            let thread = self.frame.threads[other as usize];
            (thread / size == warp).then_some((thread % size, other as usize))
        };
        if self.participants.is_empty() {
            return vec![(self.frame.threads[lane] % size, lane)];
        }
        self.participants.iter().filter_map(of_lane).collect()
    }

    fn warp_shuffle(&mut self, shuffle: &Shuffle, lane: usize) -> Result<Val> {
        if self.vector_depth > 0 {
            let message = "a shuffle in a vectorised loop".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        }
        let own = self.eval(shuffle.value, lane)?;
        let by = self.int(shuffle.by, lane)?;
        let mut extent = |expr: Option<ExprId>| expr.map_or(Ok(32), |it| self.int(it, lane));
        let (width, size) = (extent(shuffle.width)?, extent(shuffle.warp_size)?);
        let is_power = |it: i64| (1..=64).contains(&it) && it.count_ones() == 1;
        if !is_power(width) || !is_power(size) || width > size {
            let message = format!("a shuffle of {width} threads in a warp of {size}");
            return self.fail(RunErrorKind::Program, message);
        }
        let at = i64::from(self.frame.threads[lane]) % size;
        let first = at / width * width;
        let source = match shuffle.source {
            Source::Index => first + by.rem_euclid(width),
            Source::Up => at.saturating_sub(by),
            Source::Down => at.saturating_add(by),
            Source::Xor => at ^ by,
        };
        // Beyond the segment a thread keeps its own value; `xor` may read from segments before its own.
        let is_inside = match shuffle.source {
            Source::Xor => source >= 0 && source < first + width,
            _ => (first..first + width).contains(&source),
        };
        if !is_inside || source == at {
            return Ok(own);
        }
        let warp = self.warp_of(lane, size as u32);
        match warp.iter().find(|(position, _)| i64::from(*position) == source) {
            // The source thread counts what it computes itself.
            Some(&(_, other)) => self.uncounted(|it| it.eval(shuffle.value, other)),
            None => {
                let message = format!("thread {source} of the warp takes no part in a shuffle");
                self.event_with(EventKind::InactiveLane, |_| message);
                Ok(own)
            }
        }
    }

    fn warp_vote(&mut self, vote: Vote, operand: ExprId, ty: Type, lane: usize) -> Result<Val> {
        let mut values = Vec::new();
        for (position, other) in self.warp_of(lane, 32) {
            let value = if other == lane {
                self.int(operand, other)?
            } else {
                self.uncounted(|it| it.int(operand, other))?
            };
            values.push((position, value));
        }
        let all = values.iter().map(|(_, it)| i128::from(*it));
        let result: i128 = match vote {
            Vote::Any => all.clone().any(|it| it != 0).into(),
            Vote::All => all.clone().all(|it| it != 0).into(),
            Vote::Ballot => {
                let voters = values.iter().filter(|(_, it)| *it != 0);
                voters.fold(0, |mask, (position, _)| mask | 1 << position)
            }
            Vote::Add => all.sum(),
            Vote::Min => all.min().unwrap_or(0),
        };
        let dtype = ty.prim().unwrap_or(ir::DataType::uint(32));
        Ok(Val::Int(dtype.wrap_int(result), false))
    }
}
