//! Mapping between the text of a frame and the file: the regions of its functions are cut out of the frame.
//! O(log functions) a position. O(log functions) a position.

use rowan::{TextRange, TextSize};

use super::{UnitItem, UnitKind, Units};

/// To which side of a cut a position at it belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}

impl Units {
    /// A range of the text of a frame, as a range of the file. A range that contains a function contains its body.
    pub fn frame_to_file(&self, frame: usize, range: TextRange) -> TextRange {
        let start = self.to_file(frame, range.start(), Side::Behind);
        // An end at a cut is that of the function, or of something in its header.
        let ends_function = self.function_before(frame, range.end()).is_some_and(|it| {
            it.source.kind == UnitKind::Function && range.start() <= it.frame_start
        });
        let side = if ends_function { Side::Behind } else { Side::Before };
        let end = self.to_file(frame, range.end(), side);
        TextRange::new(start, end.max(start))
    }

    /// An offset of the file as one of the text of a frame; none inside of the body of a function.
    pub fn file_to_frame(&self, frame: usize, offset: TextSize) -> Option<TextSize> {
        let item = &self.frames[frame];
        if !item.range.contains_inclusive(offset) {
            return None;
        }
        let functions = &self.functions[item.functions.start as usize..item.functions.end as usize];
        let after = functions.partition_point(|it| it.range.start() <= offset);
        let Some(function) = after.checked_sub(1).map(|it| &functions[it]) else {
            return Some(offset - item.range.start());
        };
        let inner = offset - function.range.start();
        let mut removed = TextSize::from(0);
        for cut in function.source.cuts.iter().take_while(|it| it.start() < inner) {
            if inner < cut.end() {
                return None;
            }
            removed += cut.len();
        }
        Some(function.frame_start + inner - removed)
    }

    fn function_before(&self, frame: usize, offset: TextSize) -> Option<&UnitItem> {
        let range = &self.frames[frame].functions;
        let functions = &self.functions[range.start as usize..range.end as usize];
        let after = functions.partition_point(|it| it.frame_start < offset);
        after.checked_sub(1).map(|it| &functions[it])
    }

    fn to_file(&self, frame: usize, offset: TextSize, side: Side) -> TextSize {
        let functions = &self.frames[frame].functions;
        let in_frame = &self.functions[functions.start as usize..functions.end as usize];
        let is_past = |it: &UnitItem| match side {
            Side::Before => it.frame_start < offset,
            Side::Behind => it.frame_start <= offset,
        };
        let after = in_frame.partition_point(is_past);
        let Some(function) = after.checked_sub(1).map(|it| &in_frame[it]) else {
            return self.frames[frame].range.start() + offset;
        };
        let mut inner = offset - function.frame_start;
        for cut in &function.source.cuts {
            if inner < cut.start() || (inner == cut.start() && side == Side::Before) {
                break;
            }
            inner += cut.len();
        }
        function.range.start() + inner
    }
}
