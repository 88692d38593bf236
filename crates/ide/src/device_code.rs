//! The device code of the function at a place.

use db::{RootDatabase, SourceFile};
use syntax::TextSize;

use codegen::{Options, Target};

use crate::function_at::function_at;

/// Device code as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCodeView {
    /// The kernels, or comments that say why there are none.
    pub text: String,
    /// The editor's name of the language.
    pub language_id: &'static str,
    /// Name of the function.
    pub function: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// What could not be lowered, and why.
    pub notes: Vec<String>,
}

pub(crate) fn view_device_code(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    target: Target,
    options: Options,
) -> Option<DeviceCodeView> {
    let (at, _) = function_at(db, file, offset)?;
    let name = &at.function.source(db).name;
    let mut view = DeviceCodeView {
        text: String::new(),
        language_id: match target {
            Target::Cuda => "cuda-cpp",
            Target::OpenCl => "opencl",
            Target::Hip => "hip",
            Target::C => "c",
            // SPIR-V is binary: its text is that of the same module in WGSL.
            Target::Spirv | Target::Wgsl => "wgsl",
            Target::Metal => "metal",
        },
        function: name.to_string(),
        kernels: Vec::new(),
        notes: Vec::new(),
    };
    match db::device_code(db, at.function, target, options) {
        Ok(sources) if sources.is_empty() => {
            view.notes.push(format!("`{name}` launches no threads: it has no kernel"));
        }
        Ok(sources) => {
            let texts: Vec<&str> = sources.iter().map(|it| it.text.as_str()).collect();
            view.text = texts.join("\n");
            view.kernels = sources.iter().map(|it| it.entry.clone()).collect();
        }
        Err(reasons) => {
            let note = |it: &codegen::Unsupported| format!("{}: {}", it.reason, it.detail);
            view.notes.extend(reasons.iter().map(note));
        }
    }
    for note in &view.notes {
        view.text.push_str(&format!("// {}\n", note.replace(['\n', '\r'], " ")));
    }
    Some(view)
}
