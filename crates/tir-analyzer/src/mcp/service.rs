//! The protocol: the list of tools, and calls.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool as ToolModel, ToolAnnotations,
    },
    service::RequestContext,
};
use tokio::sync::Semaphore;

use super::{
    answer::answer,
    inside::Root,
    tools::{TOOLS, Tool},
};

/// The most that a client waits for an answer. What was begun goes on in the background until it ends by itself.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Calls that are answered at once; others wait.
const MAX_AT_ONCE: usize = 2;

const INSTRUCTIONS: &str = "Checks, explains, simplifies, executes and compiles kernels in tensor IR: TVMScript and \
    TileLang in Python files, MLIR (also of Triton, IREE, StableHLO), Paddle PIR. All tools only read. After an edit of \
    a kernel call `check` on its file; before index arithmetic is written by hand ask `simplify`; to see whether a \
    kernel is right on small shapes use `run`.";

/// The server of one client.
#[derive(Clone, Debug)]
pub(super) struct Service {
    root: Root,
    at_once: Arc<Semaphore>,
}

impl Service {
    pub(super) fn new(root: Root) -> Service {
        Service { root, at_once: Arc::new(Semaphore::new(MAX_AT_ONCE)) }
    }

    /// Runs a tool on a thread of its own.
    async fn answer(
        &self,
        tool: &'static Tool,
        request: CallToolRequestParams,
    ) -> Result<String, String> {
        let arguments = request.arguments.unwrap_or_default();
        let root = self.root.clone();
        let permit = self.at_once.clone().acquire_owned().await;
        let permit = permit.map_err(|_| "the server ends".to_owned())?;
        let work = tokio::task::spawn_blocking(move || {
            let answer = answer(tool, &arguments, &root);
            drop(permit);
            answer
        });
        work.await.map_err(|it| format!("the tool failed: {it}"))?
    }
}

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        let version = crate::version::NUMBER;
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tir-analyzer", version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(model).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|it| it.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|it| it.name).collect();
            let what =
                format!("there is no tool `{}`; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(what, None));
        };
        let outcome = tokio::select! {
            outcome = self.answer(tool, request) => outcome,
            () = context.ct.cancelled() => Err("cancelled".to_owned()),
            () = tokio::time::sleep(MAX_TIME) => Err(format!(
                "no answer in {} seconds: ask for one file or one function, or for smaller shapes",
                MAX_TIME.as_secs()
            )),
        };
        let result = match outcome {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(result.into())
    }
}

fn model(tool: &Tool) -> ToolModel {
    let annotations =
        ToolAnnotations::with_title(tool.title).read_only(true).idempotent(true).open_world(false);
    ToolModel::new(tool.name, tool.description, Arc::new(tool.schema())).annotate(annotations)
}
