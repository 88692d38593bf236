//! Names with numbers, in a table that is made when the product is built.
//!
//! In: names, when the product is built. Out: the text of a [`Names`] in Rust, which is static. The number of a name is
//! one hash away; nothing is read or allocated at start.

use std::fmt::Write as _;

/// Names, numbered from 0.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// All names, one behind the other.
    pub text: &'static str,
    /// For each name its start in the text, and its length.
    pub places: &'static [(u32, u8)],
    /// For each hash, modulo their number, one more than the number of the name; the slot behind it, if there are two.
    pub slots: &'static [u16],
}

impl Names {
    /// Returns the number of a name, if it is one of these.
    pub fn number(&self, name: &str) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash(name) as usize & mask;
        loop {
            let number = usize::from(self.slots[at].checked_sub(1)?);
            if self.name(number) == name {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The name of a number.
    pub fn name(&self, number: usize) -> &'static str {
        let (start, len) = self.places[number];
        let start = start as usize;
        &self.text[start..start + usize::from(len)]
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        (0..self.places.len()).map(|it| self.name(it))
    }
}

/// FNV-1a of the bytes of a name: the same when the product is built and when it runs.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The fields of a table of these names in Rust, in braces, for build scripts. The names are different from each other.
///
/// # Errors
///
/// More names than a number of 16 bits counts, or a name of more than 255 bytes.
pub fn write<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<String, String> {
    let names: Vec<&str> = names.into_iter().collect();
    let mut slots = vec![0u16; (2 * names.len() + 1).next_power_of_two()];
    let (mut text, mut places) = (String::new(), String::new());
    for (at, name) in names.iter().enumerate() {
        let number = u16::try_from(at + 1).map_err(|_| "too many names".to_owned())?;
        let len = u8::try_from(name.len()).map_err(|_| format!("`{name}` is too long"))?;
        let _ = write!(places, "({}, {len}), ", text.len());
        text.push_str(name);
        let mut slot = hash(name) as usize & (slots.len() - 1);
        while slots[slot] != 0 {
            slot = (slot + 1) & (slots.len() - 1);
        }
        slots[slot] = number;
    }
    Ok(format!("{{ text: {text:?}, places: &[{places}], slots: &{slots:?} }}"))
}
