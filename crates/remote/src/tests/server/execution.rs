//! Runs commands in folders of their own.

use std::{fs, path::Path, process::Command as Process};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::execution_server::Execution,
    google::{
        longrunning::{operations_server::Operations, *},
        protobuf::{Any, Empty},
    },
};
use prost::Message as _;

use super::*;

type Stream = Parts<Operation>;

/// A message of an operation.
fn operation(name: &str, outcome: Option<&ExecuteResponse>) -> Operation {
    let any = |it: &ExecuteResponse| Any {
        type_url: "type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse".to_owned(),
        value: it.encode_to_vec(),
    };
    Operation {
        name: name.to_owned(),
        done: outcome.is_some(),
        result: outcome.map(|it| operation::Result::Response(any(it))),
        ..Operation::default()
    }
}

impl Service {
    fn content(&self, digest: Option<&Digest>) -> Option<Vec<u8>> {
        self.lock().contents.get(&digest?.hash).cloned()
    }

    fn keep(&self, data: Vec<u8>) -> Digest {
        let digest = crate::grpc::message(codegen::action::Digest::of(&data));
        self.lock().contents.insert(digest.hash.clone(), data);
        digest
    }

    /// Puts a folder of the input root on the disk.
    fn unpack(&self, digest: Option<&Digest>, to: &Path) -> Option<()> {
        let folder = Directory::decode(&*self.content(digest)?).ok()?;
        for file in &folder.files {
            let path = to.join(&file.name);
            fs::write(&path, self.content(file.digest.as_ref())?).ok()?;
            #[cfg(unix)]
            if file.is_executable {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).ok()?;
            }
        }
        for it in &folder.directories {
            let path = to.join(&it.name);
            fs::create_dir(&path).ok()?;
            self.unpack(it.digest.as_ref(), &path)?;
        }
        Some(())
    }

    /// Runs an action; none if a content is missing.
    fn run(&self, action: &Digest) -> Option<ActionResult> {
        let message = Action::decode(&*self.content(Some(action))?).ok()?;
        let command = Command::decode(&*self.content(message.command_digest.as_ref())?).ok()?;
        let folder = tempfile::tempdir().ok()?;
        self.unpack(message.input_root_digest.as_ref(), folder.path())?;
        self.lock().run += 1;
        let variables = command.environment_variables.iter().map(|it| (&it.name, &it.value));
        let mut process = Process::new(&command.arguments[0]);
        process.args(&command.arguments[1..]).env_clear().envs(variables);
        let output = process.current_dir(folder.path()).output().ok()?;
        let mut result = ActionResult {
            exit_code: output.status.code().unwrap_or(-1),
            stdout_raw: output.stdout,
            stderr_digest: Some(self.keep(output.stderr)),
            execution_metadata: Some(ExecutedActionMetadata {
                worker: "worker-1".to_owned(),
                ..ExecutedActionMetadata::default()
            }),
            ..ActionResult::default()
        };
        for path in command.output_paths {
            let Ok(data) = fs::read(folder.path().join(&path)) else { continue };
            let digest = Some(self.keep(data));
            result.output_files.push(OutputFile { path, digest, ..OutputFile::default() });
        }
        Some(result)
    }

    fn executed(&self, action: &Digest, is_anew: bool) -> ExecuteResponse {
        let known = self.lock().results.get(&action.hash).cloned().filter(|_| !is_anew);
        let cached_result = known.is_some();
        let Some(result) = known.or_else(|| self.run(action)) else {
            let status = rpc::Status {
                code: Code::FailedPrecondition as i32,
                message: "an input is missing".to_owned(),
                ..rpc::Status::default()
            };
            return ExecuteResponse { status: Some(status), ..ExecuteResponse::default() };
        };
        if result.exit_code == 0 {
            self.lock().results.insert(action.hash.clone(), result.clone());
        }
        ExecuteResponse { result: Some(result), cached_result, ..ExecuteResponse::default() }
    }

    /// The messages of an operation up to its end, or up to where the stream breaks.
    fn followed(&self, name: String, breaks: bool) -> Stream {
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        let service = self.clone();
        tokio::spawn(async move {
            let first = operation(&name, None);
            // Who has gone is not told.
            let _ = sender.send(Ok(first)).await;
            while !sender.is_closed() {
                let known = service.lock().operations.get(&name).cloned();
                let last = match known {
                    _ if breaks => Err(Status::unavailable("a proxy went away")),
                    None => Err(Status::not_found("no such operation")),
                    Some(Some(outcome)) => Ok(operation(&name, Some(&outcome))),
                    Some(None) => {
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        continue;
                    }
                };
                let _ = sender.send(last).await;
                return;
            }
        });
        Box::pin(Receiver(receiver))
    }
}

struct Receiver(tokio::sync::mpsc::Receiver<Result<Operation, Status>>);

impl tokio_stream::Stream for Receiver {
    type Item = Result<Operation, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

#[async_trait]
impl Execution for Service {
    type ExecuteStream = Stream;
    type WaitExecutionStream = Stream;

    async fn execute(&self, request: Request<ExecuteRequest>) -> Result<Response<Stream>, Status> {
        self.enter(&request, &request.get_ref().instance_name).await?;
        let request = request.into_inner();
        let action = request.action_digest.unwrap_or_default();
        let (name, breaks) = {
            let mut state = self.lock();
            let name = format!("operations/{}", state.operations.len());
            state.operations.insert(name.clone(), None);
            if state.fault == Fault::LosesInputs && state.operations.len() == 1 {
                state.contents.pop_first();
            }
            (name, state.fault == Fault::Breaks)
        };
        let (service, of) = (self.clone(), name.clone());
        let places = Arc::clone(&self.lock().places);
        tokio::spawn(async move {
            let _place = places.acquire().await;
            let run = move || {
                let outcome = service.executed(&action, request.skip_cache_lookup);
                service.lock().operations.insert(of, Some(outcome));
            };
            // A panic is told by who waits in vain.
            let _ = tokio::task::spawn_blocking(run).await;
        });
        Ok(Response::new(self.followed(name, breaks)))
    }

    async fn wait_execution(
        &self,
        request: Request<WaitExecutionRequest>,
    ) -> Result<Response<Stream>, Status> {
        Ok(Response::new(self.followed(request.into_inner().name, false)))
    }
}

#[async_trait]
impl Operations for Service {
    async fn list_operations(
        &self,
        _: Request<ListOperationsRequest>,
    ) -> Result<Response<ListOperationsResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_operation(
        &self,
        _: Request<GetOperationRequest>,
    ) -> Result<Response<Operation>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn delete_operation(
        &self,
        _: Request<DeleteOperationRequest>,
    ) -> Result<Response<Empty>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn cancel_operation(
        &self,
        request: Request<CancelOperationRequest>,
    ) -> Result<Response<Empty>, Status> {
        self.lock().cancelled.push(request.into_inner().name);
        Ok(Response::new(Empty::default()))
    }

    async fn wait_operation(
        &self,
        _: Request<WaitOperationRequest>,
    ) -> Result<Response<Operation>, Status> {
        Err(Status::unimplemented(""))
    }
}
