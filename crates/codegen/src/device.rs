//! The pipeline from a function to device code: lowering of schedules, common subexpressions, host/device split,
//! reductions, barriers, code generation.

use ir::{
    Body,
    effects::EffectTable,
    guard::{Stage, guarded},
};
use lower::{Origins, serial_threads};
use transform::{broken::kept, passes::Pass};

use crate::{
    Options, Target,
    artifact::{Artifact, Refused, SharedLine, canonical::Canonical},
    backend::{Backend, DeviceCode, c_family, naga},
    kernel::{
        Kernel, KernelSet, Refusal, Result, Split, Unsupported, allreduce,
        barrier::check_instructions, bound::Bound, index_width, split, sync,
    },
    reasons,
};

/// The kernels of a function, with reductions over threads lowered and barriers placed. A function that launches
/// nothing has none; one that cannot be split has the reason in `unsupported`. Calls do what the table of the product
/// says.
pub fn kernels(body: &Body) -> KernelSet {
    split_by(body, |body| launched(body, false, EffectTable::builtin()))
}

/// Returns the kernels that a target generates code for: those of the function, or, for a language whose functions the
/// host calls, the whole function as one.
pub fn kernels_for(body: &Body, target: Target, effects: &EffectTable) -> KernelSet {
    match target.is_host() {
        true => split_by(body, |body| whole(body, effects)),
        false => split_by(body, |body| launched(body, target.has_shuffles(), effects)),
    }
}

/// A function as `split` takes it apart, which may change it, or the reason why it does not.
fn split_by(body: &Body, split: impl FnOnce(&mut Body) -> Result<Split>) -> KernelSet {
    let mut body = body.clone();
    match split(&mut body) {
        Ok(split) => KernelSet::new(body, split),
        Err(refusal) => refused(body, refusal),
    }
}

/// All of a function as one kernel, with loops for its launches.
fn whole(body: &mut Body, effects: &EffectTable) -> Result<Split> {
    if split::launches(body) {
        for kernel in &launched(body, false, effects)?.kernels {
            serial_threads::run(body, kernel.op).map_err(Refusal::of_lowering)?;
        }
    }
    split::whole(body)
}

/// The kernels of a function, which it gets reductions over threads and barriers in place; `shuffles` says whether
/// threads of a warp may hand values to each other.
fn launched(body: &mut Body, shuffles: bool, effects: &EffectTable) -> Result<Split> {
    if !split::launches(body) {
        return Ok(Split::default());
    }
    let mut split = split::split(body)?;
    let origins = allreduce::lower(body, &split.kernels, shuffles, effects)?;
    if !origins.is_empty() {
        // The reductions brought memory, which kernels list.
        split = Split { origins, ..split::split(body)? };
    }
    sync::insert_barriers(body, &split.kernels, effects)?;
    Ok(split)
}

/// No kernels, and the reason.
fn refused(body: Body, refusal: Refusal) -> KernelSet {
    let unsupported = vec![unsupported(&body, refusal)];
    KernelSet { unsupported, ..KernelSet::new(body, Split::default()) }
}

/// A scheduled function after lowering; none for a function that launches nothing and of which nothing is written.
fn lowered(body: &Body, target: Target, options: &Options) -> Result<Option<(Body, Origins)>> {
    if !split::launches(body) && !target.is_host() {
        return Ok(None);
    }
    if !target.has_instructions() {
        check_instructions(body)?;
    }
    match lower::lower_with_origins(body, &options.lowering(target)) {
        Ok(lowered) => Ok(Some(lowered)),
        Err(refused) => Err(Refusal::of_lowering(refused)),
    }
}

/// The function with the barriers that a build places, and how many they are; none where a build places none, or
/// refuses the function. Operations keep their ids, new ones come after them.
pub fn with_barriers(body: &Body, effects: &EffectTable) -> Option<(Body, usize)> {
    if !split::launches(body) {
        return None;
    }
    let mut body = body.with_declared_memory().unwrap_or_else(|| body.clone());
    let kernels = split::split(&body).ok()?.kernels;
    let n = sync::insert_barriers(&mut body, &kernels, effects).ok()?;
    (n > 0).then_some((body, n))
}

fn unsupported(body: &Body, refusal: Refusal) -> Unsupported {
    let Refusal { reason, detail, op } = refusal;
    Unsupported { function: body.name.to_string(), reason, detail, op }
}

/// The source of one kernel, with slots for names.
pub fn emit(
    set: &KernelSet,
    kernel: &Kernel,
    target: Target,
    options: &Options,
) -> std::result::Result<DeviceCode, Unsupported> {
    let checked = match options.device.index_bits {
        Some(32) => index_width::check(&set.body, kernel),
        _ => Ok(()),
    };
    let written = checked.and_then(|()| match target.backend(options) {
        Backend::C(dialect) => c_family::emit(set, kernel, dialect.as_ref()),
        Backend::Naga(language) => naga::emit(set, kernel, language, options),
    });
    // What is not about one operation is about the launch.
    written.map_err(|it| unsupported(&set.body, it.at(kernel.op)))
}

/// Called between the steps of code generation, before each pass and each kernel. It may unwind to end the work:
/// nothing that generation changes is left behind.
pub type Checkpoint<'a> = &'a dyn Fn();

/// Generates the code of a function whose names have been taken out. A panic costs the function its code, and becomes
/// the reason.
pub(crate) fn generate(
    canonical: &Canonical,
    target: Target,
    options: &Options,
    checkpoint: Checkpoint<'_>,
) -> Artifact {
    let work = || generated(canonical, target, options, checkpoint);
    guarded(Stage::Emitting, &canonical.function, work).unwrap_or_else(|panicked| {
        // What is stored knows no name of the user: it may be the code of others too.
        let report = panicked.report_about("the function");
        without_code(canonical, Refusal::new(reasons::INTERNAL, report))
    })
}

/// No code, and the reason.
fn without_code(canonical: &Canonical, refusal: Refusal) -> Artifact {
    let set = refused(canonical.body.clone(), refusal);
    Artifact::new(&set, (&canonical.ops, &[]), Vec::new(), set.unsupported.clone())
}

fn generated(
    canonical: &Canonical,
    target: Target,
    options: &Options,
    checkpoint: Checkpoint<'_>,
) -> Artifact {
    checkpoint();
    let lowered = match lowered(&canonical.body, target, options) {
        Ok(lowered) => lowered,
        Err(refusal) => return without_code(canonical, refusal),
    };
    let (body, origins) = match &lowered {
        Some((body, origins)) => (body, origins.as_slice()),
        None => (&canonical.body, [].as_slice()),
    };
    let passes = options.passes.iter().filter_map(|it| Pass::from_name(it));
    let mut bound = Bound::default();
    let optimized = passes.into_iter().try_fold(None, |done: Option<Body>, pass| {
        checkpoint();
        let body = done.as_ref().unwrap_or(body);
        let after = match pass {
            Pass::Cse => bound.bind(body, &options.effects),
            _ => pass.run(body, &options.effects),
        };
        kept(pass.name(), body, after).map(Some)
    });
    checkpoint();
    let optimized = match optimized {
        Ok(optimized) => optimized,
        Err(broken) => {
            return without_code(canonical, Refusal::new(reasons::INTERNAL, broken.report()));
        }
    };
    let set = kernels_for(optimized.as_ref().unwrap_or(body), target, &options.effects);
    let mut refused = set.unsupported.clone();
    let mut sources = Vec::new();
    for kernel in &set.kernels {
        checkpoint();
        match emit(&set, kernel, target, options) {
            Ok(mut code) => {
                code.shared = bound.lines(&set.body, &code.lines);
                sources.push(code);
            }
            Err(reason) => refused.push(reason),
        }
    }
    Artifact::new(&set, (&canonical.ops, origins), sources, refused)
}

/// The code of one kernel, as it is written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Entry symbol.
    pub entry: String,
    /// Text.
    pub text: String,
    /// Words of the binary, for a language that has one; then the text only shows its contents.
    pub binary: Vec<u32>,
    /// Lines of the text, from 1, and the number of the operation of the function (in program order) that each begins.
    pub lines: Vec<(u32, u32)>,
    /// Lines that compute a value that the function computes several times.
    pub shared: Vec<SharedLine>,
}

impl Source {
    /// Returns the contents of the file.
    pub fn bytes(&self) -> std::borrow::Cow<'_, [u8]> {
        match self.binary.is_empty() {
            true => self.text.as_bytes().into(),
            false => self.binary.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>().into(),
        }
    }
}

/// The device code of a function, with its own names, for editors.
pub fn device_code(
    body: &Body,
    target: Target,
    options: &Options,
) -> std::result::Result<Vec<Source>, Vec<Unsupported>> {
    device_code_until(body, target, options, &|| {})
}

/// As [`device_code`], with something to do between its steps.
pub fn device_code_until(
    body: &Body,
    target: Target,
    options: &Options,
    checkpoint: Checkpoint<'_>,
) -> std::result::Result<Vec<Source>, Vec<Unsupported>> {
    let canonical = Canonical::of(body);
    let artifact = generate(&canonical, target, options, checkpoint);
    checkpoint();
    let refused = artifact.refused(&canonical.names, target, options);
    let unsupported = |it: Refused| Unsupported {
        function: canonical.function.clone(),
        reason: it.reason,
        detail: it.detail,
        op: it.op.and_then(|number| canonical.ops.get(number as usize).copied()),
    };
    match refused.is_empty() {
        true => Ok(artifact.join(&canonical.names, &canonical.function, target)),
        false => Err(refused.into_iter().map(unsupported).collect()),
    }
}
