//! Entries as one file, which another machine makes.
//!
//! In: the files of entries. Out: bytes; and the entries again, of which nothing is believed: each has to be the one of
//! its kind and key by its own checksum ([`Pack::get`]). Linear in the bytes.

use std::{collections::BTreeMap, time::Duration};

use super::{Kind, data_of};
use crate::artifact::key::Key;

/// The first bytes of the file; the number is raised with its form.
const MARK: &[u8] = b"tir-analyzer entries 1\n";

/// Entries by kind and key.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pack(BTreeMap<(Kind, Key), Packed>);

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    /// Its file, as a store has it.
    pub file: Vec<u8>,
    /// The time that it took to make.
    pub cost: Duration,
}

impl Pack {
    /// Adds the file of an entry.
    pub fn add(&mut self, kind: Kind, key: Key, packed: Packed) {
        self.0.insert((kind, key), packed);
    }

    /// The entry of a kind and key, if it is whole, and its data.
    pub fn get(&self, kind: Kind, key: Key) -> Option<(&Packed, &[u8])> {
        let packed = self.0.get(&(kind, key))?;
        Some((packed, data_of(kind, key, &packed.file)?))
    }

    /// The bytes of all entries.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        for ((kind, key), Packed { file, cost }) in &self.0 {
            bytes.extend(u8::try_from(*kind as usize));
            bytes.extend_from_slice(&key.0);
            bytes.extend(u64::try_from(cost.as_micros()).unwrap_or(u64::MAX).to_le_bytes());
            bytes.extend((file.len() as u64).to_le_bytes());
            bytes.extend_from_slice(file);
        }
        bytes
    }

    /// Reads bytes; none if they are no entries from the first to the last.
    pub fn read(bytes: &[u8]) -> Option<Pack> {
        let mut rest = bytes.strip_prefix(MARK)?;
        let mut pack = Pack::default();
        while !rest.is_empty() {
            let kind = *Kind::ALL.get(usize::from(take::<1>(&mut rest)?[0]))?;
            let key = Key(take(&mut rest)?);
            let cost = Duration::from_micros(u64::from_le_bytes(take(&mut rest)?));
            let size = usize::try_from(u64::from_le_bytes(take(&mut rest)?)).ok()?;
            let (file, after) = rest.split_at_checked(size)?;
            rest = after;
            pack.add(kind, key, Packed { file: file.to_vec(), cost });
        }
        Some(pack)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::store::layer::file_of;

    fn pack() -> Pack {
        let mut pack = Pack::default();
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            let key = Key([at as u8; 32]);
            let file = file_of(kind, key, &vec![7; 10 * at]);
            pack.add(kind, key, Packed { file, cost: Duration::from_micros(at as u64) });
        }
        pack
    }

    #[test]
    fn entries_come_back_and_nothing_else_is_taken_for_some() {
        let bytes = pack().write();
        assert_eq!(Pack::read(&bytes), Some(pack()));
        assert_eq!(Pack::read(MARK), Some(Pack::default()));
        let n_whole = (0..bytes.len()).filter(|it| Pack::read(&bytes[..*it]).is_some()).count();
        // Cut between entries.
        assert_eq!(n_whole, Kind::ALL.len());
        assert_eq!(Pack::read(&[&bytes[..], b"x"].concat()), None);
        let mut enormous = bytes;
        let size = MARK.len() + 1 + 32 + 8;
        enormous[size..size + 8].fill(0xff);
        assert_eq!(Pack::read(&enormous), None);
    }

    #[test]
    fn an_entry_of_another_kind_or_key_or_with_another_bit_is_none() {
        let (kind, key) = (Kind::Text, Key([1; 32]));
        assert_eq!(pack().get(kind, key).map(|it| it.1), Some(&[7; 10][..]));
        assert_eq!(pack().get(Kind::Kernel, key), None);
        let file = file_of(kind, Key([9; 32]), b"of another");
        let mut swapped = pack();
        swapped.add(kind, key, Packed { file, cost: Duration::ZERO });
        assert_eq!(swapped.get(kind, key), None);
        let mut flipped = pack();
        let (packed, _) = pack().get(kind, key).map(|it| (it.0.clone(), ())).expect("an entry");
        let mut file = packed.file;
        *file.last_mut().expect("bytes") ^= 1;
        flipped.add(kind, key, Packed { file, ..packed });
        assert_eq!(flipped.get(kind, key), None);
    }
}
