//! `reference.txt`: what `mlir-opt`, the reference compiler, says of operations where that is not what the effects
//! table says.

use std::sync::LazyLock;

use ir::plan::Preset;
use rustc_hash::{FxHashMap, FxHashSet};

/// `reference.txt`, as it holds for one version of the reference compiler.
pub(super) struct ReferenceTraits {
    classes: FxHashMap<&'static str, &'static str>,
    /// Prefixes of names that end in `*`.
    prefixes: Vec<(&'static str, &'static str)>,
    traits: FxHashSet<(&'static str, &'static str)>,
}

impl ReferenceTraits {
    /// The reference compiler's word; none for rules that follow none of MLIR.
    pub(super) fn of(preset: Preset) -> Option<&'static ReferenceTraits> {
        static WORDS: LazyLock<[ReferenceTraits; 3]> = LazyLock::new(|| {
            ["19", "24", ""].map(|it| ReferenceTraits::read(include_str!("reference.txt"), it))
        });
        match preset {
            Preset::Mlir19 => Some(&WORDS[0]),
            Preset::Mlir24 => Some(&WORDS[1]),
            Preset::Pir => None,
            _ => Some(&WORDS[2]),
        }
    }

    fn read(text: &'static str, version: &str) -> ReferenceTraits {
        let mut words = ReferenceTraits {
            classes: FxHashMap::default(),
            prefixes: Vec::new(),
            traits: FxHashSet::default(),
        };
        let mut class = "";
        for line in text.lines().filter(|it| !it.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[') {
                let mut parts = header.trim_end_matches(']').split(' ');
                class = parts.next().unwrap_or_default();
                // Without a version, only what is no claim about effects counts.
                let is_fact = matches!(class, "isolated" | "one-time");
                if parts.next().is_some_and(|it| it != version) || (version.is_empty() && !is_fact)
                {
                    class = "";
                }
                continue;
            }
            for name in line.split_whitespace().filter(|_| !class.is_empty()) {
                words.insert(name, class);
            }
        }
        words
    }

    fn insert(&mut self, name: &'static str, class: &'static str) {
        let traits = ["commutative", "ordered", "isolated", "one-time", "recursive", "stated-only"];
        if traits.contains(&class) {
            self.traits.insert((name, class));
        } else if let Some(prefix) = name.strip_suffix('*') {
            self.prefixes.push((prefix, class));
        } else {
            self.classes.insert(name, class);
        }
    }

    pub(super) fn class(&self, name: &str) -> Option<&'static str> {
        let by_prefix = || self.prefixes.iter().find(|it| name.starts_with(it.0)).map(|it| it.1);
        self.classes.get(name).copied().or_else(by_prefix)
    }

    fn has(&self, name: &str, what: &'static str) -> bool {
        self.traits.contains(&(name, what))
    }

    pub(super) fn is_commutative(&self, name: &str) -> Option<bool> {
        if self.has(name, "commutative") {
            return Some(true);
        }
        self.has(name, "ordered").then_some(false)
    }

    pub(super) fn is_isolated(&self, name: &str) -> bool {
        self.has(name, "isolated")
    }

    /// True for an operation that does what is in its regions besides what its class says.
    pub(super) fn is_recursive(&self, name: &str) -> bool {
        self.has(name, "recursive")
    }

    /// True for an operation of whose regions only those effects count that an operation right in them states.
    pub(super) fn counts_what_is_stated(&self, name: &str) -> bool {
        self.has(name, "stated-only")
    }

    pub(super) fn is_one_time(&self, name: &str) -> bool {
        self.has(name, "one-time")
    }
}
