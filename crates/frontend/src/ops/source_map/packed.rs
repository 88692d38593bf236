//! Places of operations and of short texts, in few bytes: a unit has millions.
//!
//! An operation takes 12 bytes, a use 3, the place of a value 5. Larger ones (operations of more than 250 bytes, mostly
//! those with regions) are in separate tables.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syntax::TextRange;

/// The place where an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct OpPlace {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name: u32,
    pub(super) name_end: u32,
    pub(super) first_use: u32,
    pub(super) n_uses: u32,
}

/// An operation, its parts by their distance from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct ShortOp {
    start: u32,
    /// Of a long one, its place in the list of these.
    first_use: u32,
    /// `u8::MAX` for a long one.
    len: u8,
    name: u8,
    name_len: u8,
    n_uses: u8,
}

/// Places of operations.
#[derive(Clone, Debug, Default)]
pub(super) struct OpPlaces {
    ops: Vec<ShortOp>,
    /// Those that became short again stay here unused: that is rare.
    long: Vec<OpPlace>,
}

impl PartialEq for OpPlaces {
    fn eq(&self, other: &OpPlaces) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for OpPlaces {}

impl OpPlaces {
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn reserve(&mut self, n: usize) {
        self.ops.reserve(n);
    }

    pub(super) fn get(&self, at: usize) -> Option<OpPlace> {
        let op = self.ops.get(at)?;
        if op.len == u8::MAX {
            return self.long.get(op.first_use as usize).copied();
        }
        let name = op.start + u32::from(op.name);
        Some(OpPlace {
            start: op.start,
            end: op.start + u32::from(op.len),
            name,
            name_end: name + u32::from(op.name_len),
            first_use: op.first_use,
            n_uses: u32::from(op.n_uses),
        })
    }

    pub(super) fn start(&self, at: usize) -> u32 {
        self.ops.get(at).map_or(0, |it| it.start)
    }

    pub(super) fn set(&mut self, at: usize, place: OpPlace) {
        if self.ops.len() <= at {
            self.ops.resize(at + 1, ShortOp::default());
        }
        let (short, was) = (ShortOp::of(&place), self.ops[at]);
        self.ops[at] = short.unwrap_or_else(|| {
            let first_use = match was.len {
                u8::MAX => was.first_use,
                _ => {
                    self.long.push(place);
                    self.long.len() as u32 - 1
                }
            };
            self.long[first_use as usize] = place;
            ShortOp { start: place.start, first_use, len: u8::MAX, ..ShortOp::default() }
        });
    }

    /// One more use of an operation.
    pub(super) fn add_use(&mut self, at: usize) {
        match self.ops.get_mut(at) {
            Some(op) if op.len < u8::MAX && op.n_uses < u8::MAX => op.n_uses += 1,
            Some(op) if op.len == u8::MAX => {
                if let Some(place) = self.long.get_mut(op.first_use as usize) {
                    place.n_uses += 1;
                }
            }
            _ => {
                let place = self.get(at).unwrap_or_default();
                self.set(at, OpPlace { n_uses: place.n_uses + 1, ..place });
            }
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = OpPlace> + '_ {
        (0..self.len()).map(|it| self.get(it).unwrap_or_default())
    }

    /// The places after a run of operations was replaced: those behind it move by `shift`, and so do the numbers of
    /// their uses. Differences wrap.
    pub(super) fn with_run(
        &self,
        run: &Range<usize>,
        new: impl Iterator<Item = OpPlace>,
        shift: Shift,
    ) -> OpPlaces {
        let mut res = OpPlaces { ops: Vec::with_capacity(self.ops.len()), long: self.long.clone() };
        res.ops.extend_from_slice(&self.ops[..run.start]);
        for (at, place) in (run.start..).zip(new) {
            res.set(at, place);
        }
        let behind = &self.ops[run.end..];
        res.ops.extend(behind.iter().map(|it| it.moved(shift)));
        for op in behind.iter().filter(|it| it.len == u8::MAX) {
            let place = &mut res.long[op.first_use as usize];
            *place = place.moved(shift);
        }
        res
    }

    /// The first operations, before the one with number `end`, that end behind an offset.
    pub(super) fn ending_behind(
        &self,
        end: usize,
        offset: u32,
    ) -> impl Iterator<Item = (usize, OpPlace)> + '_ {
        let ends = move |it: &ShortOp| it.len == u8::MAX || it.start + u32::from(it.len) > offset;
        let all = self.ops[..end].iter().enumerate().filter(move |(_, it)| ends(it));
        let all = all.map(|(at, _)| (at, self.get(at).unwrap_or_default()));
        all.filter(move |(_, it)| it.end > offset)
    }

    /// Returns the number of operations, from the first on, that begin before an offset, or not behind it.
    pub(super) fn n_before(&self, offset: u32, or_at: bool) -> usize {
        self.ops.partition_point(|it| it.start < offset || or_at && it.start == offset)
    }
}

/// The numbers that are added to places that move, and to the numbers of uses. Both may be negative: they wrap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub(super) text: u32,
    pub(super) uses: u32,
}

impl OpPlace {
    fn moved(self, shift: Shift) -> OpPlace {
        let moved = |it: u32| it.wrapping_add(shift.text);
        OpPlace {
            start: moved(self.start),
            end: moved(self.end),
            name: moved(self.name),
            name_end: moved(self.name_end),
            first_use: self.first_use.wrapping_add(shift.uses),
            n_uses: self.n_uses,
        }
    }
}

impl ShortOp {
    /// The same operation elsewhere; that of a long one still leads to its place in the list of these.
    fn moved(self, shift: Shift) -> ShortOp {
        let uses = if self.len == u8::MAX { 0 } else { shift.uses };
        ShortOp {
            start: self.start.wrapping_add(shift.text),
            first_use: self.first_use.wrapping_add(uses),
            ..self
        }
    }

    fn of(place: &OpPlace) -> Option<ShortOp> {
        let len = u8::try_from(place.end.checked_sub(place.start)?).ok()?;
        (len < u8::MAX).then_some(())?;
        Some(ShortOp {
            start: place.start,
            first_use: place.first_use,
            len,
            name: u8::try_from(place.name.checked_sub(place.start)?).ok()?,
            name_len: u8::try_from(place.name_end.checked_sub(place.name)?).ok()?,
            n_uses: u8::try_from(place.n_uses).ok()?,
        })
    }
}

impl FromIterator<OpPlace> for OpPlaces {
    fn from_iter<T: IntoIterator<Item = OpPlace>>(places: T) -> OpPlaces {
        let mut res = OpPlaces::default();
        let places = places.into_iter();
        res.ops.reserve(places.size_hint().0);
        for (at, place) in places.enumerate() {
            res.set(at, place);
        }
        res
    }
}

/// The places of uses, by the distance from the start of their operation: they are unchanged where it moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    starts: Vec<u16>,
    /// `u8::MAX` for one that is in the table of long ones.
    lens: Vec<u8>,
    /// In order. Distances may be negative: they wrap.
    long: Vec<(u32, (u32, u32))>,
}

impl Uses {
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn reserve(&mut self, n: usize) {
        self.starts.reserve(n);
        self.lens.reserve(n);
    }

    /// The place of a use of an operation that begins at `op`.
    pub(super) fn get(&self, at: usize, op: u32) -> TextRange {
        let (Some(&start), Some(&len)) = (self.starts.get(at), self.lens.get(at)) else {
            return TextRange::default();
        };
        let (start, len) = match len {
            u8::MAX => match self.long.binary_search_by_key(&(at as u32), |it| it.0) {
                Ok(at) => self.long[at].1,
                Err(_) => (0, 0),
            },
            _ => (u32::from(start), u32::from(len)),
        };
        TextRange::at(op.wrapping_add(start).into(), len.into())
    }

    pub(super) fn push(&mut self, op: u32, (start, end): (u32, u32)) {
        let (distance, len) = (start.wrapping_sub(op), end.saturating_sub(start));
        let short = (u16::try_from(distance), u8::try_from(len));
        let (short, short_len) = match short {
            (Ok(distance), Ok(len)) if len < u8::MAX => (distance, len),
            _ => {
                self.long.push((self.starts.len() as u32, (distance, len)));
                (0, u8::MAX)
            }
        };
        self.starts.push(short);
        self.lens.push(short_len);
    }

    /// Appends a part of other uses.
    pub(super) fn extend(&mut self, other: &Uses, which: Range<usize>) {
        let first = self.len();
        self.starts.extend_from_slice(&other.starts[which.clone()]);
        self.lens.extend_from_slice(&other.lens[which.clone()]);
        let long = other.long.iter().filter(|it| which.contains(&(it.0 as usize)));
        let number = |at: u32| (at as usize - which.start + first) as u32;
        self.long.extend(long.map(|&(at, place)| (number(at), place)));
    }
}

/// The place where short texts are: mostly names, of which a unit has millions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    starts: Vec<u32>,
    lens: Vec<u8>,
    /// Lengths that do not fit.
    long: FxHashMap<u32, u32>,
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn reserve(&mut self, n: usize) {
        self.starts.reserve(n);
        self.lens.reserve(n);
    }

    pub(super) fn get(&self, at: usize) -> TextRange {
        let (Some(&start), Some(&len)) = (self.starts.get(at), self.lens.get(at)) else {
            return TextRange::default();
        };
        let len = match len {
            u8::MAX => self.long.get(&(at as u32)).copied().unwrap_or_default(),
            _ => u32::from(len),
        };
        TextRange::at(start.into(), len.into())
    }

    /// The places after a run of them was replaced; `moved` gives the new start of those behind it.
    pub(super) fn with_run(
        &self,
        run: &Range<usize>,
        new: impl Iterator<Item = (u32, u32)>,
        moved: impl Fn(u32) -> u32,
    ) -> Places {
        let mut res = Places {
            starts: Vec::with_capacity(self.len()),
            lens: Vec::with_capacity(self.len()),
            long: FxHashMap::default(),
        };
        res.starts.extend_from_slice(&self.starts[..run.start]);
        res.lens.extend_from_slice(&self.lens[..run.start]);
        for (at, place) in (run.start..).zip(new) {
            res.set(at, place);
        }
        let n_before = res.len();
        res.starts.extend(self.starts[run.end..].iter().map(|&it| moved(it)));
        res.lens.extend_from_slice(&self.lens[run.end..]);
        // Most have none.
        if !self.long.is_empty() {
            let is_long = |at: &usize| self.lens[*at] == u8::MAX;
            let before = (0..run.start).filter(is_long).map(|at| (at, at));
            let behind = (run.end..self.len()).filter(is_long);
            let behind = behind.map(|at| (at, at - run.end + n_before));
            for (old, new) in before.chain(behind) {
                res.long.insert(new as u32, self.get(old).len().into());
            }
        }
        res
    }

    pub(super) fn pairs(&self, which: Range<usize>) -> impl Iterator<Item = (u32, u32)> + '_ {
        which.map(|it| self.get(it)).map(|it| (it.start().into(), it.end().into()))
    }

    pub(super) fn set(&mut self, at: usize, (start, end): (u32, u32)) {
        if self.len() <= at {
            self.starts.resize(at + 1, 0);
            self.lens.resize(at + 1, 0);
        }
        if self.lens[at] == u8::MAX {
            self.long.remove(&(at as u32));
        }
        let len = end.saturating_sub(start);
        self.starts[at] = start;
        self.lens[at] = u8::try_from(len).unwrap_or(u8::MAX);
        if len >= u32::from(u8::MAX) {
            self.long.insert(at as u32, len);
        }
    }
}

impl FromIterator<(u32, u32)> for Places {
    fn from_iter<T: IntoIterator<Item = (u32, u32)>>(places: T) -> Places {
        let mut res = Places::default();
        for (at, place) in places.into_iter().enumerate() {
            res.set(at, place);
        }
        res
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range((start, end): (u32, u32)) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    const PLACES: [(u32, u32); 8] =
        [(7, 9), (0, 0), (5, 259), (5, 260), (5, 261), (5, 262), (9, 1 << 30), (3, 4)];

    #[test]
    fn places_of_any_length_come_back() {
        let mut places = Places::default();
        for (at, &place) in PLACES.iter().enumerate() {
            places.set(2 * at, (1, 900));
            places.set(2 * at, place);
        }
        for (at, &place) in PLACES.iter().enumerate() {
            assert_eq!(places.get(2 * at), range(place));
            assert_eq!(places.get(2 * at + 1), TextRange::default());
        }
        assert_eq!(places.long.len(), 4);
    }

    #[test]
    fn operations_of_any_length_come_back() {
        let op = |start: u32, len: u32, name: u32, n_uses: u32| OpPlace {
            start,
            end: start + len,
            name: start + name,
            name_end: start + name + 10,
            first_use: 7,
            n_uses,
        };
        let lens = [0, 9, 254, 255, 256, 100_000];
        let all: Vec<OpPlace> = lens
            .iter()
            .flat_map(|&len| {
                [(0, 0), (255, 254), (256, 255), (3, 256)].map(|it| op(70, len, it.0, it.1))
            })
            .chain([OpPlace { start: 9, end: 3, ..OpPlace::default() }])
            .collect();
        let mut places = OpPlaces::default();
        for (at, &place) in all.iter().enumerate() {
            places.set(at, op(0, 1 << 20, 0, 0));
            places.set(at, OpPlace { n_uses: 0, ..place });
            (0..place.n_uses).for_each(|_| places.add_use(at));
        }
        assert_eq!(places.iter().collect::<Vec<_>>(), all);
        assert_eq!(places, all.into_iter().collect());
        assert!(size_of::<ShortOp>() <= 12);
    }

    #[test]
    fn uses_move_with_their_operation() {
        let mut uses = Uses::default();
        let all =
            [(100, 103), (90, 95), (100 + (1 << 16), 101 + (1 << 16)), (100, 100), (120, 500)];
        all.iter().for_each(|&it| uses.push(100, it));
        let mut twice = Uses::default();
        twice.extend(&uses, 1..5);
        twice.extend(&uses, 0..5);
        for (at, &(start, end)) in all[1..].iter().chain(&all).enumerate() {
            assert_eq!(twice.get(at, 1100), range((start + 1000, end + 1000)));
        }
        assert_eq!(twice.len(), 9);
    }
}
