//! Copies that the copy engine and `cp.async` do not take.
//!
//! In: the two parts of a `T.tma_copy` or `T.async_copy`. Out: why TileLang refuses it on every device that has the
//! instruction (its `cuda/op/copy_analysis.cc` and `cuda/op/copy.cc`; each was given to TileLang 0.1.15). A plain
//! `T.copy` is never refused for this: TileLang copies it by loads and stores. Types below a byte are left out, as
//! their copies may unpack them. O(dimensions).

use ir::{AttrDictId, Body, DataType};

use super::extents::{Part, is_fragment, number};

/// Bytes of which addresses and lengths of the copy engine are multiples.
const ENGINE: i64 = 16;
/// The least that an instruction of `cp.async` copies.
const LEAST: i64 = 4;

/// Why the copy engine does not take a copy.
pub(super) fn of_engine(
    body: &Body,
    from: &Part,
    to: &Part,
    attrs: AttrDictId,
    n_operands: usize,
) -> Option<String> {
    let name = |it: &Part| body.name(body.buffers[it.buffer].name);
    let scope = |it: &Part| body.buffers[it.buffer].scope;
    if let Some(it) = [from, to].into_iter().find(|it| is_fragment(body, it.buffer)) {
        return Some(format!(
            " copies between global and shared memory, and `{}` is a fragment",
            name(it)
        ));
    }
    let far = match () {
        () if scope(from).is_global() && scope(to).is_plain_shared() => from,
        () if scope(from).is_plain_shared() && scope(to).is_global() => to,
        () if scope(from).is_plain_shared() && scope(to).is_plain_shared() => {
            return Some(format!(
                " copies between global and shared memory, and `{}` and `{}` are shared tiles",
                name(from),
                name(to)
            ));
        }
        () => return None,
    };
    let is_named = |it: &(Box<str>, ir::Attr)| matches!(&*it.0, "barrier" | "annotations" | "**");
    if std::ptr::eq(far, from) && n_operands == 2 && !body.dict(attrs).iter().any(is_named) {
        return Some(" needs the barrier at which it arrives: `barrier=…`".to_owned());
    }
    let bytes = bytes_of_one_type(body, from, to)?;
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(why) => return Some(why),
    };
    if body.buffers[far.buffer].strides.is_some() {
        return None;
    }
    if let Some(Some(extent)) = far.extents.last()
        && (extent * bytes) % ENGINE != 0
    {
        return Some(format!(
            " copies rows of {} bytes of `{}`: the copy engine takes a multiple of {ENGINE}",
            extent * bytes,
            name(far)
        ));
    }
    // The distance of rows; that of outer dimensions is a multiple of it.
    let (&row, outer) = body.buffers[far.buffer].shape.split_last()?;
    let row = number(body, row)?.checked_mul(bytes)?;
    (!outer.is_empty() && row % ENGINE != 0).then(|| {
        format!(
            " copies of `{}`, whose rows are {row} bytes apart: the copy engine takes a multiple of {ENGINE}",
            name(far)
        )
    })
}

/// The bytes of an element, or why two types are not copied; none if they are not known.
fn bytes_of_one_type(body: &Body, from: &Part, to: &Part) -> Option<Result<i64, String>> {
    let [a, b] = [from, to].map(|it| body.buffers[it.buffer].dtype);
    let is_known = |it: &DataType| !it.is_symbolic() && it.is_scalar() && it.bits >= 8;
    if ![&a, &b].into_iter().all(is_known) {
        return None;
    }
    if a != b {
        let (a, b) = (body.dtype_name(a), body.dtype_name(b));
        return Some(Err(format!(" copies bytes, and {a} is not {b}")));
    }
    Some(Ok(i64::from(a.bits / 8)))
}

/// Why `cp.async` does not take a copy between parts that TileLang gives to it.
pub(super) fn of_instructions(body: &Body, from: &Part, to: &Part) -> Option<String> {
    let bytes = match bytes_of_one_type(body, from, to)? {
        Ok(bytes) => bytes,
        Err(why) => return Some(why),
    };
    // Rows that are not all of a buffer stand alone: no instruction takes the end of one and the start of the next.
    [from, to].into_iter().find_map(|it| {
        let extent = (*it.extents.last()?)?;
        let all = number(body, *body.buffers[it.buffer].shape.last()?)?;
        let is_alone = extent < all || it.extents.len() == 1;
        let row = extent * bytes;
        (is_alone && row % LEAST != 0).then(|| {
            format!(
                " copies rows of {row} bytes of `{}`: an instruction copies {LEAST}, 8 or {ENGINE}",
                body.name(body.buffers[it.buffer].name)
            )
        })
    })
}
