//! `NoContraction` on the float arithmetic of a SPIR-V module: naga writes none, and a driver may fuse arithmetic
//! without it.
//!
//! In: words of a module, as naga writes them. Out: the same with one decoration for each result of float arithmetic.
//! Linear. The layout is that of the specification (2.3 and 2.4): five words of header, instructions with their length
//! in the upper half of the first word, decorations before types.

const HEADER: usize = 5;
const OP_DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;
/// `OpFNegate`, `OpFAdd`, `OpFSub`, `OpFMul`, `OpFDiv`, `OpFRem`, `OpFMod`: the arithmetic that may be decorated.
const ARITHMETIC: [u32; 7] = [127, 129, 131, 133, 136, 140, 141];
/// Decorations stand after names and before these: types, constants, variables and functions.
const FIRST_TYPE: u32 = 19;
const LAST_BEFORE_TYPES: u32 = 18;

/// The module with decorations against contraction. A module that is not well-formed comes back as it is.
pub(super) fn without_contraction(words: &[u32]) -> Vec<u32> {
    let mut decorations = Vec::new();
    let mut place = None;
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let (len, code) = ((first >> 16) as usize, first & 0xffff);
        if len == 0 || at + len > words.len() {
            return words.to_vec();
        }
        if place.is_none() && is_annotation_or_type(code) {
            place = Some(at);
        }
        if ARITHMETIC.contains(&code) && len >= 3 {
            decorations.extend([(3 << 16) | OP_DECORATE, words[at + 2], NO_CONTRACTION]);
        }
        at += len;
    }
    let Some(place) = place else { return words.to_vec() };
    [&words[..place], &decorations, &words[place..]].concat()
}

/// Returns true if an instruction belongs to the decorations or to a later section.
fn is_annotation_or_type(code: u32) -> bool {
    const { assert!(LAST_BEFORE_TYPES < FIRST_TYPE) };
    // OpDecorate, OpMemberDecorate and their kin; OpTypeVoid to OpTypeForwardPointer.
    matches!(code, 71..=75) || (FIRST_TYPE..=39).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_float_operation_is_decorated_before_the_types() {
        let op = |code: u32, rest: &[u32]| {
            let mut words = vec![((rest.len() as u32 + 1) << 16) | code];
            words.extend(rest);
            words
        };
        let header = vec![0; HEADER];
        let memory_model = op(14, &[0, 1]);
        let rest = [op(22, &[1, 32]), op(129, &[1, 7, 5, 6]), op(128, &[2, 8, 5, 6])].concat();
        let module = [header.clone(), memory_model.clone(), rest.clone()].concat();
        let expected = [header, memory_model, op(71, &[7, NO_CONTRACTION]), rest].concat();
        assert_eq!(without_contraction(&module), expected);
    }
}
