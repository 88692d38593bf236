//! Records of source texts: the functions of a file without their code.
//!
//! In: the hash of a file's text. Out: for each function its structure, its names and its lines, which with target and
//! options give the key of its code. So a text that was seen before is not parsed, and a function of a text that
//! changed elsewhere is not lowered. Records are entries of the store; no path and no option is part of them.

use std::{cell::OnceCell, io, time::Duration};

use ir::guard::{Stage, guarded};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Broken, Place, SourceBody, SourceFunction, kernels::Repaired, layers::Layers};
use crate::{
    Options, Target,
    artifact::{
        action::{Action, Digest},
        canonical::Canonical,
        key::hex,
        store::{Kind, Read},
    },
    reasons::INTERNAL,
};

/// The functions of a text.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct TextRecord {
    pub(super) functions: Vec<FunctionRecord>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FunctionRecord {
    pub(super) name: String,
    /// Hash of all that its body depends on.
    pub(super) text: [u8; 32],
    pub(super) first_line: u32,
    pub(super) name_at: Place,
    pub(super) meaning: Meaning,
}

/// The structure of a function, or the reason why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Meaning {
    /// There is no body.
    Broken(Broken),
    /// It has a body.
    Body {
        /// None for a function with something unknown in it: its text is its identity.
        structure: Option<Structure>,
        /// Of its entities.
        names: Vec<String>,
        /// Of each operation.
        places: Vec<Place>,
    },
}

/// The structure of a function: equal for functions that are equal up to names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Structure {
    /// As manifests write it.
    pub(super) fingerprint: [u8; 16],
    /// The digest of its normal form, of which the key of its code is made.
    pub(super) digest: Digest,
}

impl Structure {
    fn of(body: &ir::Body) -> Option<Structure> {
        let form = ir::fingerprint::normal_form(body)?;
        let fingerprint = ir::fingerprint::of_normal_form(&form).0;
        Some(Structure { fingerprint, digest: Digest::of(&form) })
    }
}

impl TextRecord {
    /// None if there is none, or a broken one, which is noted if it will be written again.
    pub(super) fn read(
        layers: &Layers,
        action: &Action,
        repaired: Option<&Repaired>,
    ) -> io::Result<Option<TextRecord>> {
        let record = match layers.read(Kind::Text, action)? {
            Read::Absent => return Ok(None),
            Read::Found(bytes) => postcard::from_bytes(&bytes).ok(),
            Read::Corrupt => None,
        };
        if let (None, Some(repaired)) = (&record, repaired) {
            repaired.note(action.key());
        }
        Ok(record)
    }

    /// Stores it. `cost` is the time that it took to make.
    pub(super) fn write(&self, layers: &Layers, action: &Action, cost: Duration) -> io::Result<()> {
        let bytes = postcard::to_extend(self, Vec::new()).map_err(io::Error::other)?;
        layers.write(Kind::Text, action, &bytes, cost)
    }
}

impl FunctionRecord {
    /// Returns true if there is no body because of a mistake of ours: it is never stored.
    pub(super) fn is_mistaken(&self) -> bool {
        matches!(&self.meaning, Meaning::Broken(it) if it.reason == INTERNAL)
    }

    /// Describes what its code is made from.
    pub(super) fn action(&self, target: Target, options: &Options) -> Action {
        match self.meaning {
            Meaning::Body { structure: Some(it), .. } => {
                Action::of_artifact(it.digest, target, options)
            }
            _ => Action::of_unknown(&self.text, target, options),
        }
    }
}

/// The structure of a function, as the keys of manifests begin with it; none for one with something unknown in it.
pub fn structure(body: &ir::Body) -> Option<String> {
    let mut body = body.clone();
    forget_symbol(&mut body);
    ir::fingerprint::of_function(&body).map(|it| hex(&it.0))
}

/// A name like others: entry symbols follow the function's own.
fn forget_symbol(body: &mut ir::Body) {
    body.attrs.retain(|it| &*it.0 != "global_symbol");
}

/// A body that is asked for once, and only if something needs it.
#[derive(Default)]
pub(super) struct LazyBody(OnceCell<Result<Lowered, Broken>>);

pub(super) struct Lowered {
    pub(super) canonical: Canonical,
    structure: Option<Structure>,
    places: Vec<Place>,
}

impl LazyBody {
    pub(super) fn get(&self, function: &SourceFunction<'_>) -> Result<&Lowered, &Broken> {
        let lower = || {
            let SourceBody { mut body, places } = (function.body)()?;
            forget_symbol(&mut body);
            let canonical = Canonical::of(&body);
            let structure = Structure::of(&body);
            let places: FxHashMap<ir::OpId, Place> = places.into_iter().collect();
            let places = match places.is_empty() {
                true => Vec::new(),
                false => canonical
                    .ops
                    .iter()
                    .map(|it| places.get(it).copied().unwrap_or_default())
                    .collect(),
            };
            Ok(Lowered { canonical, structure, places })
        };
        // A panic costs the function.
        let lower = || {
            let lowered = guarded(Stage::Reading, &function.name, lower);
            lowered.unwrap_or_else(|panicked| Err(Broken::of_panic(&panicked)))
        };
        self.0.get_or_init(lower).as_ref()
    }

    pub(super) fn was_asked(&self) -> bool {
        self.0.get().is_some()
    }

    /// The record of the function.
    pub(super) fn record(&self, function: &SourceFunction<'_>) -> FunctionRecord {
        let meaning = match self.get(function) {
            Err(broken) => Meaning::Broken(broken.clone()),
            Ok(lowered) => Meaning::Body {
                structure: lowered.structure,
                names: lowered.canonical.names.clone(),
                places: lowered.places.clone(),
            },
        };
        FunctionRecord {
            name: function.name.clone(),
            text: function.text,
            first_line: function.first_line,
            name_at: function.name_at,
            meaning,
        }
    }
}
