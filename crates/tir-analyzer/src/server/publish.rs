//! Diagnostics for clients that do not ask for them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::Sender;
use lsp_types as lsp;

use crate::server::{
    event::Event,
    handlers::request,
    outbox::{Key, Outbox},
    snapshot::{Failure, Snapshot},
    thread_pool::{Delivery, Job, TooLong},
    transport::{self, Frame},
};

/// The job that computes the diagnostics of a version of a document and sends them. If an edit interrupts it, it says
/// so.
pub(crate) fn diagnostics(
    snapshot: Snapshot,
    uri: lsp::Uri,
    version: i32,
    outbox: Outbox,
    events: Sender<Event>,
) -> Job {
    let token = snapshot.analysis.cancellation_token();
    let name = format!("computing the diagnostics of {uri}");
    let of_job = token.clone();
    let run = Box::new(move |too_long: &TooLong| -> Delivery {
        // Nobody waits for them: they are whole.
        let compute = || -> Result<_, Failure> {
            let document = snapshot.document(&uri)?;
            Ok(request::file_diagnostics(&snapshot, document, &ide::Pace::default())?)
        };
        let outcome = catch_unwind(AssertUnwindSafe(compute));
        let notebooks = snapshot.notebooks.clone();
        drop(snapshot);
        let is_given_up = too_long.is_set();
        Box::new(move || match outcome {
            Ok(Ok((items, _))) if !of_job.is_cancelled() => {
                match notebooks.diagnostics(uri.as_ref(), &items) {
                    Some(cells) => {
                        for (cell, items) in cells {
                            let frame = cell_frame(&cell, items);
                            outbox.answer_with(Key::Cell(cell), frame);
                        }
                    }
                    None => {
                        let frame = frame(uri.clone(), Some(version), items);
                        outbox.answer_with(Key::Diagnostics(uri), frame);
                    }
                }
            }
            Ok(_) if !is_given_up => {
                let _ = events.send(Event::NotPublished { uri, version });
            }
            Ok(_) | Err(_) => {}
        })
    });
    Job { name, id: None, token, patience: None, run }
}

/// The diagnostics of a document, none of them if it is closed.
pub(crate) fn frame(
    uri: lsp::Uri,
    version: Option<i32>,
    diagnostics: Vec<lsp::Diagnostic>,
) -> Frame {
    let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
    transport::notification("textDocument/publishDiagnostics", &params)
}

/// The diagnostics of a cell, whose version nobody counts.
pub(crate) fn cell_frame(uri: &str, diagnostics: Vec<serde_json::Value>) -> Frame {
    let params = serde_json::json!({ "uri": uri, "diagnostics": diagnostics });
    transport::notification("textDocument/publishDiagnostics", &params)
}
