//! Offsets of the page and of the tool: UTF-16 units of JavaScript's strings, and bytes.
//!
//! In: a text. Out: both directions of the conversion, O(log n) in the characters that are not ASCII. Most texts have
//! none, and then both are the same number.

use ide::{TextRange, TextSize};

/// The characters of a text that are longer in bytes than in UTF-16 units.
#[derive(Default)]
pub(crate) struct Offsets {
    wide: Vec<Wide>,
    len: u32,
}

/// Such a character: its start in both counts, and its lengths.
struct Wide {
    byte: u32,
    unit: u32,
    n_bytes: u32,
    n_units: u32,
}

impl Offsets {
    /// The conversion for a text.
    pub(crate) fn new(text: &str) -> Offsets {
        let mut excess = 0;
        let wide = text.char_indices().filter(|it| !it.1.is_ascii()).map(|(at, it)| {
            let (n_bytes, n_units) = (it.len_utf8() as u32, it.len_utf16() as u32);
            let found = Wide { byte: at as u32, unit: at as u32 - excess, n_bytes, n_units };
            excess += n_bytes - n_units;
            found
        });
        Offsets { wide: wide.collect(), len: text.len() as u32 }
    }

    /// The bytes before a unit: of one inside of a character those before it, beyond the text all.
    pub(crate) fn bytes(&self, unit: u32) -> TextSize {
        let before = self.wide.partition_point(|it| it.unit <= unit);
        let bytes = match before.checked_sub(1).map(|it| &self.wide[it]) {
            None => unit,
            Some(it) if unit - it.unit < it.n_units => it.byte,
            Some(it) => (it.byte + it.n_bytes).saturating_add(unit - it.unit - it.n_units),
        };
        bytes.min(self.len).into()
    }

    /// The range of bytes between two units, in any order.
    pub(crate) fn range(&self, from: u32, to: u32) -> TextRange {
        TextRange::new(self.bytes(from.min(to)), self.bytes(from.max(to)))
    }

    /// The units before a byte.
    pub(crate) fn unit(&self, byte: TextSize) -> u32 {
        let byte = u32::from(byte).min(self.len);
        let before = self.wide.partition_point(|it| it.byte < byte);
        match before.checked_sub(1).map(|it| &self.wide[it]) {
            None => byte,
            Some(it) => it.unit + it.n_units + byte.saturating_sub(it.byte + it.n_bytes),
        }
    }

    /// The units of a range.
    pub(crate) fn units(&self, range: TextRange) -> [u32; 2] {
        [self.unit(range.start()), self.unit(range.end())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_agree_at_every_character() {
        let text = "a = 'π𝔁' # é\nb𝔁";
        let offsets = Offsets::new(text);
        let mut unit = 0;
        for (byte, it) in text.char_indices() {
            assert_eq!(offsets.unit(TextSize::from(byte as u32)), unit);
            assert_eq!(u32::from(offsets.bytes(unit)), byte as u32);
            unit += it.len_utf16() as u32;
        }
        assert_eq!(u32::from(offsets.bytes(unit)), text.len() as u32);
        assert_eq!(u32::from(offsets.bytes(unit + 9)), text.len() as u32);
        assert_eq!(offsets.unit(TextSize::from(text.len() as u32)), unit);
    }

    #[test]
    fn unit_inside_of_a_character_is_its_start() {
        assert_eq!(u32::from(Offsets::new("x𝔁y").bytes(2)), 1);
    }
}
