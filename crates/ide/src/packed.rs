//! Numbers and texts in few bytes: what is kept of a file for as long as the workspace is open.
//!
//! A number takes a byte for each seven bits. A text stands where it comes first; then its number stands for it.

use rustc_hash::FxHashMap;

/// Writes numbers and texts.
#[derive(Default)]
pub(crate) struct Writer<'a> {
    bytes: Vec<u8>,
    texts: FxHashMap<&'a str, u64>,
}

impl<'a> Writer<'a> {
    pub(crate) fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// A number that is near another one.
    pub(crate) fn near(&mut self, number: u32, other: u32) {
        let difference = i64::from(number) - i64::from(other);
        self.number(((difference << 1) ^ (difference >> 63)) as u64);
    }

    pub(crate) fn text(&mut self, text: &'a str) {
        let next = self.texts.len() as u64 + 1;
        match *self.texts.entry(text).or_insert(next) {
            number if number == next => {
                self.number(0);
                self.number(text.len() as u64);
                self.bytes.extend_from_slice(text.as_bytes());
            }
            number => self.number(number),
        }
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what was written, in the same order. Behind the end all numbers are 0 and all texts are empty.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    texts: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, texts: Vec::new() }
    }

    pub(crate) fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    /// A number that is near another one.
    pub(crate) fn near(&mut self, other: u32) -> u32 {
        let number = self.number();
        let difference = (number >> 1) as i64 ^ -((number & 1) as i64);
        i64::from(other).wrapping_add(difference) as u32
    }

    pub(crate) fn text(&mut self) -> &'a str {
        let number = self.number() as usize;
        if let Some(before) = number.checked_sub(1) {
            return self.texts.get(before).copied().unwrap_or_default();
        }
        let length = (self.number() as usize).min(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        let text = std::str::from_utf8(text).unwrap_or_default();
        self.texts.push(text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let near = [(0, 0), (5, 7), (7, 5), (0, u32::MAX), (u32::MAX, 0)];
        let texts = ["a", "", "böse", "a", "böse", ""];
        let mut writer = Writer::default();
        numbers.iter().for_each(|it| writer.number(*it));
        near.iter().for_each(|it| writer.near(it.0, it.1));
        texts.iter().for_each(|it| writer.text(it));
        let bytes = writer.bytes();
        let mut reader = Reader::new(&bytes);
        assert_eq!(numbers.map(|_| reader.number()), numbers);
        assert_eq!(near.map(|it| reader.near(it.1)), near.map(|it| it.0));
        assert_eq!(texts.map(|_| reader.text()), texts);
        assert_eq!((reader.number(), reader.text()), (0, ""));
    }

    #[test]
    fn a_text_that_comes_again_takes_a_byte() {
        let mut writer = Writer::default();
        writer.text("kernel");
        let once = writer.bytes.len();
        writer.text("kernel");
        assert_eq!(writer.bytes().len(), once + 1);
    }
}
