//! Which files go together.
//!
//! In: hashes and sizes of texts. Out: shards of at most so many bytes, in the order of the hashes. A shard is all
//! texts whose hashes begin with the same bits, as few bits as make it small enough. So it depends on no path and no
//! order, and an edit of one text leaves all shards but two as they were: a service that did one of them before knows
//! it. O(n log n) in the texts.

/// A file that may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    /// Its number among the files of the build.
    pub(crate) at: usize,
    /// The hash of its text.
    pub(crate) text: [u8; 32],
    pub(crate) bytes: u64,
}

/// Shards of at most `limit` bytes, or of one text.
pub(super) fn cut(mut files: Vec<Candidate>, limit: u64) -> Vec<Vec<Candidate>> {
    files.sort_by_key(|it| (it.text, it.at));
    let mut shards = Vec::new();
    // The one in front is the last.
    let mut parts = vec![(&files[..], 0)];
    while let Some((part, bit)) = parts.pop() {
        if part.is_empty() {
            continue;
        }
        if bit == 256 || part[0].text == part[part.len() - 1].text || bytes(part) <= limit {
            shards.push(part.to_vec());
            continue;
        }
        let (zeros, ones) = part.split_at(part.partition_point(|it| !is_set(&it.text, bit)));
        parts.extend([(ones, bit + 1), (zeros, bit + 1)]);
    }
    shards
}

/// Two parts of a shard, each as a smaller limit would have made it; none if it is one text.
pub(super) fn halves(shard: &[Candidate]) -> Option<[Vec<Candidate>; 2]> {
    let (first, last) = (shard.first()?, shard.last()?);
    let bit = (0..256).find(|it| is_set(&first.text, *it) != is_set(&last.text, *it))?;
    let (zeros, ones) = shard.split_at(shard.partition_point(|it| !is_set(&it.text, bit)));
    Some([zeros.to_vec(), ones.to_vec()])
}

/// The bytes of texts that are in order, equal ones once.
fn bytes(part: &[Candidate]) -> u64 {
    part.chunk_by(|a, b| a.text == b.text).map(|it| it[0].bytes).fold(0, u64::saturating_add)
}

fn is_set(text: &[u8; 32], bit: usize) -> bool {
    text[bit / 8] & (0x80 >> (bit % 8)) != 0
}

#[cfg(test)]
mod tests {
    use codegen::build::hash_of;

    use super::*;

    fn file(at: usize, bytes: u64) -> Candidate {
        Candidate { at, text: hash_of(&[&at.to_le_bytes()]), bytes }
    }

    fn files(n: usize) -> Vec<Candidate> {
        (0..n).map(|it| file(it, 100 + (it as u64 * 37) % 900)).collect()
    }

    fn texts(shards: &[Vec<Candidate>]) -> Vec<Vec<[u8; 32]>> {
        shards.iter().map(|it| it.iter().map(|it| it.text).collect()).collect()
    }

    #[test]
    fn shards_are_bounded_and_have_each_file_once_whatever_the_order() {
        let shards = cut(files(1000), 10_000);
        assert!(shards.iter().all(|it| bytes(it) <= 10_000));
        // More than half full on average.
        assert!(shards.len() < 110, "{}", shards.len());
        let mut all: Vec<usize> = shards.iter().flatten().map(|it| it.at).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        let mut others: Vec<Candidate> = files(1000);
        others.reverse();
        // As in another checkout, where files have other names.
        others.iter_mut().for_each(|it| it.at += 7);
        assert_eq!(texts(&cut(others, 10_000)), texts(&shards));
        assert_eq!(cut(Vec::new(), 10_000), Vec::<Vec<Candidate>>::new());
    }

    #[test]
    fn an_edit_changes_two_shards_at_most() {
        let before = texts(&cut(files(1000), 10_000));
        let mut edited = files(1000);
        edited[500] = Candidate { at: 500, ..file(5000, edited[500].bytes) };
        let after = texts(&cut(edited, 10_000));
        let n_new = after.iter().filter(|it| !before.contains(it)).count();
        assert!((1..=3).contains(&n_new), "{n_new}");
    }

    #[test]
    fn a_large_file_is_alone_and_equal_texts_are_together() {
        let mut all = files(20);
        all[3].bytes = 1_000_000;
        let shards = cut(all.clone(), 10_000);
        assert!(shards.iter().any(|it| it.len() == 1 && it[0].at == 3));
        // However many there are: they are sent once.
        let equal = (0..500).map(|at| Candidate { at, ..all[0] }).collect();
        assert_eq!(cut(equal, 50).len(), 1);
    }

    #[test]
    fn halves_are_those_of_a_smaller_limit() {
        let shard = cut(files(8), u64::MAX).remove(0);
        let [front, back] = halves(&shard).expect("two");
        assert_eq!([front, back].concat(), shard);
        assert_eq!(halves(&shard[..1]), None);
        assert_eq!(halves(&[]), None);
    }
}
