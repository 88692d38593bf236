//! Deterministic random numbers: xorshift with a multiplication at the end (xorshift64*).

/// A generator of random numbers. The same seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator; any seed will do.
    pub fn new(seed: u64) -> Rng {
        // A state of zero would stay zero; neighbouring seeds should not begin alike.
        let state = (seed ^ 0x2545_f491_4f6c_dd1d).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = Rng { state: if state == 0 { 1 } else { state } };
        rng.next_u64();
        rng
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of the product: no division, and the slight bias does not matter to tests.
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low).wrapping_add(1) as u64;
        if span == 0 {
            return self.next_u64() as i64;
        }
        low.wrapping_add(((u128::from(self.next_u64()) * u128::from(span)) >> 64) as i64)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, which must not be empty.
    #[track_caller]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        assert!(!items.is_empty(), "nothing to pick from");
        &items[self.below(items.len())]
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_repeat_with_the_seed_and_stay_in_bounds() {
        let numbers = |seed| {
            let mut rng = Rng::new(seed);
            (0..100).map(|_| rng.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        let mut seen = numbers(3);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
        let mut rng = Rng::new(0x2545_f491_4f6c_dd1d);
        assert!((0..1000).all(|_| (-3..=3).contains(&rng.between(-3, 3))));
        assert_eq!(rng.below(0), 0);
        rng.between(i64::MIN, i64::MAX);
    }
}
