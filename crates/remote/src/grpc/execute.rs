//! Running: the inputs, then the command, then what it left.
//!
//! In: a job. Out: its exit code, outputs and logs. Inputs are sent where the service lacks them; where it has lost one
//! by the time of running, all are sent once more. A stream that breaks is taken up again by the name of the
//! operation. Every content of the outcome is compared with its digest.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        Action, ActionResult, Command, Digest as DigestMessage, Directory, DirectoryNode,
        ExecuteRequest, ExecuteResponse, FileNode, Platform, WaitExecutionRequest,
        command::EnvironmentVariable, execution_client::ExecutionClient, platform::Property,
    },
    google::longrunning::{
        self, CancelOperationRequest, operation, operations_client::OperationsClient,
    },
};
use codegen::{
    action::Digest,
    execute::{Content, Done, Job},
};
use prost::Message as _;
use tonic::{Code, Status, Streaming};

use super::{Grpc, calls, calls::failure, digest, duration, message, read};
use crate::backend::{Answer, Class, Failure, Kept, LARGEST};

/// Beginnings of an execution, the first included.
const TRIES: u32 = 4;
/// The pause before the second; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(100);
/// Bytes of an input that jobs which begin at once do not all send.
const SHARED: u64 = 1 << 20;
/// Bytes of a log; what is beyond it is lost.
const LOG: u64 = 4 << 20;

/// An operation of the service.
#[derive(Default)]
pub(crate) struct Operation {
    /// Its name, once the service told it.
    pub(crate) name: Option<String>,
}

/// The messages of a job, and its contents by their digests.
struct Inputs {
    action: Digest,
    contents: BTreeMap<Digest, Content>,
}

/// How an execution ended that left no result.
enum Ended {
    /// The service lacks an input.
    Missing,
    /// It may go well another time.
    Passing(Status),
    Failed(Failure),
}

impl Grpc {
    /// Runs a job to its end.
    pub(crate) async fn execute(
        &self,
        job: &Job,
        operation: &Mutex<Operation>,
        until: Instant,
    ) -> Result<Done, Failure> {
        let inputs = inputs(job);
        self.send(&inputs, until).await?;
        let (mut tried, mut pause, mut is_anew) = (0, PAUSE, false);
        loop {
            tried += 1;
            let ended = match self.outcome(&inputs, operation, is_anew).await {
                Ok(answer) => match self.done(job, answer, until).await? {
                    Some(done) => return Ok(done),
                    // The service knows a result whose outputs are gone.
                    None => {
                        is_anew = true;
                        Ended::Passing(Status::not_found("outputs of a result are gone"))
                    }
                },
                Err(ended) => ended,
            };
            let last = match ended {
                Ended::Failed(failure) => return Err(failure),
                Ended::Missing => {
                    self.forget(inputs.contents.keys());
                    self.send(&inputs, until).await?;
                    Failure::new(Class::Down, "it loses the inputs of jobs")
                }
                Ended::Passing(status) => failure(&status),
            };
            if tried == TRIES || Instant::now() + pause >= until {
                return Err(last);
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    /// Tells the service that nobody waits for an operation.
    pub(crate) async fn cancel(&self, name: String) -> Result<(), Status> {
        let mut client = OperationsClient::new(self.channel.clone());
        client.cancel_operation(CancelOperationRequest { name }).await.map(drop)
    }

    /// Sends the inputs that the service lacks.
    async fn send(&self, inputs: &Inputs, until: Instant) -> Result<(), Failure> {
        let abilities = self.abilities(until).await?;
        let unknown = || self.unknown(inputs.contents.keys().copied());
        // Many jobs begin at once with the same programs: one sends them while the others wait.
        let is_large = |it: &Digest| it.size >= SHARED;
        let _turn = match unknown().iter().any(is_large) {
            true => Some(self.turn.lock().await),
            false => None,
        };
        let unknown = unknown();
        let missing = self.missing(unknown.clone(), until).await?;
        let mut contents = BTreeMap::new();
        for it in &missing {
            let Some(content) = inputs.contents.get(it) else { continue };
            // One of ours that cannot be read is no fault of the service's; the job runs here.
            let bytes = content.bytes().map_err(|it| Failure::new(Class::Down, it.to_string()))?;
            contents.insert(*it, bytes.to_vec());
        }
        let failed = self.upload(contents, abilities, until, &mut Kept::default()).await;
        self.note_present(unknown.into_iter().filter(|it| !missing.contains(it)));
        failed.map_or(Ok(()), Err)
    }

    /// Runs it, or goes on waiting for it.
    async fn outcome(
        &self,
        inputs: &Inputs,
        operation: &Mutex<Operation>,
        is_anew: bool,
    ) -> Result<ExecuteResponse, Ended> {
        let known = || operation.lock().unwrap_or_else(PoisonError::into_inner).name.take();
        let mut client = ExecutionClient::new(self.channel.clone());
        let stream = match known().filter(|_| !is_anew) {
            Some(name) => client.wait_execution(WaitExecutionRequest { name }).await,
            None => {
                let request = ExecuteRequest {
                    instance_name: self.instance.clone(),
                    skip_cache_lookup: is_anew,
                    action_digest: Some(message(inputs.action)),
                    inline_stdout: true,
                    inline_stderr: true,
                    ..ExecuteRequest::default()
                };
                client.execute(request).await
            }
        };
        match stream {
            Ok(stream) => followed(stream.into_inner(), operation).await,
            Err(status) => Err(ended(status)),
        }
    }

    /// The outcome that a result describes, whole; none where some of it is gone.
    async fn done(
        &self,
        job: &Job,
        answer: ExecuteResponse,
        until: Instant,
    ) -> Result<Option<Done>, Failure> {
        let result = answer.result.ok_or_else(|| wrong("it gives no result of a job"))?;
        let mut wanted: Vec<(Named, DigestMessage, Vec<u8>)> = Vec::new();
        for file in &result.output_files {
            if job.outputs.contains(&file.path) {
                let named = Named::Output(file.path.clone());
                let digest = file.digest.clone().unwrap_or_default();
                wanted.push((named, digest, file.contents.clone()));
            }
        }
        let logs = [
            (Named::Stdout, &result.stdout_raw, &result.stdout_digest),
            (Named::Stderr, &result.stderr_raw, &result.stderr_digest),
        ];
        let mut done = Done {
            exit_code: result.exit_code,
            outputs: Vec::new(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            worker: worker(&result),
            is_cached: answer.cached_result,
        };
        for (named, raw, digest) in logs {
            match digest {
                Some(digest) if raw.is_empty() && digest.size_bytes > 0 => {
                    if u64::try_from(digest.size_bytes).is_ok_and(|it| it <= LOG) {
                        wanted.push((named, digest.clone(), Vec::new()));
                    }
                }
                _ => done.take(named, raw.clone()),
            }
        }
        let mut named = Vec::new();
        let mut total = 0_u64;
        for (at, (_, it, contents)) in wanted.iter_mut().enumerate() {
            let digest = digest(it).ok_or_else(|| wrong("it gives a digest that is none"))?;
            total = total.saturating_add(digest.size);
            if total > LARGEST {
                return Err(wrong("it gives outputs that are too large"));
            }
            if digest.size == 0 {
                contents.clear();
            } else if contents.is_empty() {
                named.push((at, read::Named { digest, cost: None }));
            } else if Digest::of(contents) != digest {
                return Err(wrong("it gives a content that does not have its digest"));
            }
        }
        let abilities = self.abilities(until).await?;
        for (at, answer) in self.contents_of(named, abilities, until).await {
            match answer {
                Answer::Found(it) => wanted[at].2 = it.file,
                Answer::Absent => return Ok(None),
                Answer::Failed(failure) => return Err(failure),
            }
        }
        for (named, digest, contents) in wanted {
            // One may not have come at all.
            if u64::try_from(digest.size_bytes) != Ok(contents.len() as u64) {
                return Err(wrong("it does not give all that it was asked for"));
            }
            done.take(named, contents);
        }
        Ok(Some(done))
    }
}

/// A content of an outcome.
enum Named {
    Output(String),
    Stdout,
    Stderr,
}

trait Take {
    fn take(&mut self, named: Named, bytes: Vec<u8>);
}

impl Take for Done {
    fn take(&mut self, named: Named, bytes: Vec<u8>) {
        match named {
            Named::Output(path) => self.outputs.push((path, bytes)),
            Named::Stdout => self.stdout = bytes,
            Named::Stderr => self.stderr = bytes,
        }
    }
}

/// The messages of an operation up to the last.
async fn followed(
    mut stream: Streaming<longrunning::Operation>,
    operation: &Mutex<Operation>,
) -> Result<ExecuteResponse, Ended> {
    loop {
        let it = match stream.message().await {
            Ok(Some(it)) => it,
            Ok(None) => return Err(Ended::Passing(Status::unavailable("a stream ended early"))),
            Err(status) => return Err(ended(status)),
        };
        if !it.name.is_empty() {
            operation.lock().unwrap_or_else(PoisonError::into_inner).name = Some(it.name);
        }
        if !it.done {
            continue;
        }
        // What is done is not waited for again.
        operation.lock().unwrap_or_else(PoisonError::into_inner).name = None;
        let answer = match it.result {
            Some(operation::Result::Response(any)) => ExecuteResponse::decode(&*any.value)
                .map_err(|_| Ended::Failed(wrong("it gives an outcome that is none")))?,
            Some(operation::Result::Error(status)) => {
                return Err(ended(Status::new(Code::from_i32(status.code), status.message)));
            }
            None => return Err(Ended::Failed(wrong("it gives no outcome of a job"))),
        };
        let status = answer.status.clone().unwrap_or_default();
        return match Code::from_i32(status.code) {
            Code::Ok => Ok(answer),
            // The command took longer than it may: the machine is slow, or the job too large.
            Code::DeadlineExceeded => {
                Err(Ended::Failed(Failure::new(Class::Down, "a job took longer than it may")))
            }
            code => Err(ended(Status::new(code, status.message))),
        };
    }
}

/// Describes what a status means for an execution.
fn ended(status: Status) -> Ended {
    match status.code() {
        Code::FailedPrecondition => Ended::Missing,
        // The operation is not known any more: it begins anew.
        Code::NotFound => Ended::Passing(status),
        code if calls::is_passing(code) => Ended::Passing(status),
        Code::Unimplemented => {
            Ended::Failed(Failure::new(Class::Refused, "it is a cache and runs no jobs"))
        }
        _ => Ended::Failed(failure(&status)),
    }
}

fn worker(result: &ActionResult) -> String {
    let name = result.execution_metadata.as_ref().map_or("", |it| &it.worker);
    // What a service says is not ours.
    name.chars().filter(|it| !it.is_control()).take(80).collect()
}

fn wrong(text: &str) -> Failure {
    Failure::new(Class::Wrong, text)
}

/// Folders with what is in them.
#[derive(Default)]
struct Folder<'j> {
    files: BTreeMap<&'j str, FileNode>,
    folders: BTreeMap<&'j str, Folder<'j>>,
}

impl<'j> Folder<'j> {
    fn add(&mut self, path: &'j str, content: &Content, is_executable: bool) {
        let mut folder = self;
        let mut rest = path;
        while let Some((first, after)) = rest.split_once('/') {
            folder = folder.folders.entry(first).or_default();
            rest = after;
        }
        let node = FileNode {
            name: rest.to_owned(),
            digest: Some(message(content.digest())),
            is_executable,
            node_properties: None,
        };
        folder.files.insert(rest, node);
    }

    /// Its message and those of the folders in it, which are added; the depth is that of the paths of compilers.
    fn message(self, contents: &mut BTreeMap<Digest, Content>) -> Digest {
        let mut directory =
            Directory { files: self.files.into_values().collect(), ..Directory::default() };
        for (name, folder) in self.folders {
            let digest = message(folder.message(contents));
            let node = DirectoryNode { name: name.to_owned(), digest: Some(digest) };
            directory.directories.push(node);
        }
        added(directory.encode_to_vec(), contents)
    }
}

fn added(bytes: Vec<u8>, contents: &mut BTreeMap<Digest, Content>) -> Digest {
    let content = Content::of_bytes(bytes);
    let digest = content.digest();
    contents.insert(digest, content);
    digest
}

/// The messages of a job, in the canonical form: what is a set is sorted.
fn inputs(job: &Job) -> Inputs {
    let mut contents = BTreeMap::new();
    let mut root = Folder::default();
    for file in &job.files {
        root.add(&file.path, &file.content, file.is_executable);
        contents.insert(file.content.digest(), file.content.clone());
    }
    let root = root.message(&mut contents);
    let mut environment: Vec<_> = job.environment.clone();
    environment.sort();
    let variable = |(name, value)| EnvironmentVariable { name, value };
    let mut properties: Vec<_> = job.platform.clone();
    properties.sort();
    let property = |(name, value)| Property { name, value };
    let platform = Platform { properties: properties.into_iter().map(property).collect() };
    let platform = (!platform.properties.is_empty()).then_some(platform);
    let mut outputs = job.outputs.clone();
    outputs.sort();
    outputs.dedup();
    #[expect(deprecated, reason = "servers from before version 2.2 look for the platform there")]
    let command = Command {
        arguments: job.arguments.clone(),
        environment_variables: environment.into_iter().map(variable).collect(),
        output_paths: outputs,
        platform: platform.clone(),
        ..Command::default()
    };
    let command = added(command.encode_to_vec(), &mut contents);
    let action = Action {
        command_digest: Some(message(command)),
        input_root_digest: Some(message(root)),
        timeout: Some(duration(job.timeout)),
        platform,
        ..Action::default()
    };
    let action = added(action.encode_to_vec(), &mut contents);
    Inputs { action, contents }
}
