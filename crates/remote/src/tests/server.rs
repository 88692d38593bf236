//! A server of the Remote Execution API's caches in this process, with faults.
//!
//! In: a fault. Out: an address. All that it keeps is in memory, where tests look.

mod execution;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        action_cache_server::{ActionCache, ActionCacheServer},
        capabilities_server::{Capabilities, CapabilitiesServer},
        content_addressable_storage_server::{
            ContentAddressableStorage, ContentAddressableStorageServer,
        },
        execution_server::ExecutionServer,
        *,
    },
    google::{
        bytestream::{
            QueryWriteStatusRequest, QueryWriteStatusResponse, ReadRequest, ReadResponse,
            WriteRequest, WriteResponse,
            byte_stream_server::{ByteStream, ByteStreamServer},
        },
        longrunning::operations_server::OperationsServer,
        rpc,
    },
};
use tonic::{
    Code, Request, Response, Status, Streaming, async_trait,
    codegen::tokio_stream,
    transport::{ServerTlsConfig, server::TcpIncoming},
};

/// Describes what is wrong with a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    None,
    /// It takes calls and never answers.
    Silent,
    /// It lets nobody in.
    Refuses,
    /// Every call fails.
    Unavailable,
    /// Results are there, and their outputs are not.
    Evicted,
    /// A bit of each content is another.
    Flipped,
    /// Contents end early.
    Truncated,
    /// Each result has the output of another action.
    Swapped,
    /// Outputs are said to be larger than any memory.
    Enormous,
    /// Results have no output.
    NoOutput,
    /// It knows no such instance.
    OtherInstance,
    /// It knows other digests only.
    OtherDigests,
    /// Contents are packed, and unpack to far more than they should.
    Bomb,
    /// It has no room.
    Full,
    /// It forgets an input of each job once.
    LosesInputs,
    /// Streams of operations break after the first message.
    Breaks,
    /// One call of twenty is late, fails, or has a wrong bit; which ones a seed says.
    Sometimes(u64),
}

impl Fault {
    pub(super) const ALL: [Fault; 14] = [
        Fault::None,
        Fault::Silent,
        Fault::Refuses,
        Fault::Unavailable,
        Fault::Evicted,
        Fault::Flipped,
        Fault::Truncated,
        Fault::Swapped,
        Fault::Enormous,
        Fault::NoOutput,
        Fault::OtherInstance,
        Fault::OtherDigests,
        Fault::Bomb,
        Fault::Full,
    ];
}

/// Describes what it has and does.
pub(super) struct State {
    pub(super) fault: Fault,
    /// The limit of a batch; 0 for none.
    pub(super) batch: i64,
    pub(super) packs: bool,
    pub(super) inlines: bool,
    pub(super) token: Option<String>,
    pub(super) contents: BTreeMap<String, Vec<u8>>,
    pub(super) results: BTreeMap<String, ActionResult>,
    pub(super) calls: u64,
    /// Contents that came as streams.
    pub(super) streamed: u64,
    /// Jobs that were run.
    pub(super) run: u64,
    /// Jobs that are run at a time: the places of its workers.
    pub(super) places: Arc<tokio::sync::Semaphore>,
    /// Operations that nobody waits for.
    pub(super) cancelled: Vec<String>,
    /// Outcomes of operations by name, once they are there.
    operations: BTreeMap<String, Option<ExecuteResponse>>,
    random: u64,
}

#[derive(Clone)]
struct Service(Arc<Mutex<State>>);

/// A running server.
pub(super) struct Server {
    scheme: &'static str,
    address: SocketAddr,
    service: Service,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    pub(super) fn start(fault: Fault) -> Server {
        Server::start_with(fault, None)
    }

    /// One with TLS, if there are settings for it.
    pub(super) fn start_with(fault: Fault, tls: Option<ServerTlsConfig>) -> Server {
        let scheme = if tls.is_some() { "grpcs" } else { "grpc" };
        let state = State {
            fault,
            batch: 0,
            packs: true,
            inlines: true,
            token: None,
            contents: BTreeMap::new(),
            results: BTreeMap::new(),
            calls: 0,
            streamed: 0,
            run: 0,
            places: Arc::new(tokio::sync::Semaphore::new(64)),
            cancelled: Vec::new(),
            operations: BTreeMap::new(),
            random: if let Fault::Sometimes(seed) = fault { seed } else { 1 },
        };
        let service = Service(Arc::new(Mutex::new(state)));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let limit = 64 << 20;
        let contents = ContentAddressableStorageServer::new(service.clone());
        let router = {
            let _inside = runtime.enter();
            let mut builder = tonic::transport::Server::builder();
            if let Some(tls) = tls {
                builder = builder.tls_config(tls).expect("certificates");
            }
            builder
                .add_service(ActionCacheServer::new(service.clone()))
                .add_service(contents.max_decoding_message_size(limit))
                .add_service(
                    ByteStreamServer::new(service.clone()).max_decoding_message_size(limit),
                )
                .add_service(CapabilitiesServer::new(service.clone()))
                .add_service(ExecutionServer::new(service.clone()))
                .add_service(OperationsServer::new(service.clone()))
        };
        runtime.spawn(router.serve_with_incoming(TcpIncoming::from(listener)));
        Server { scheme, address, service, runtime }
    }

    pub(super) fn address(&self) -> String {
        format!("{}://{}/main", self.scheme, self.address)
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Looks at what it has, or changes it.
    pub(super) fn set<R>(&self, set: impl FnOnce(&mut State) -> R) -> R {
        set(&mut self.service.lock())
    }

    pub(super) fn take_contents_of(&self, other: &Server) {
        let (contents, results) = other.set(|it| (it.contents.clone(), it.results.clone()));
        self.set(|it| (it.contents, it.results) = (contents, results));
    }

    /// Ends it in the middle of what it does.
    pub(super) fn stop(self) {
        self.runtime.shutdown_background();
    }
}

impl Service {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each call begins here; true if a bit of its answer is to be wrong.
    async fn enter<T>(&self, request: &Request<T>, instance: &str) -> Result<bool, Status> {
        let (fault, chance) = {
            let mut state = self.lock();
            state.calls += 1;
            let token = request.metadata().get("authorization").and_then(|it| it.to_str().ok());
            if state.token.is_some() && state.token.as_deref() != token {
                return Err(Status::unauthenticated("who are you?"));
            }
            // xorshift
            state.random ^= state.random << 13;
            state.random ^= state.random >> 7;
            state.random ^= state.random << 17;
            (state.fault, state.random % 60)
        };
        let silence = Duration::from_secs(3600);
        match fault {
            Fault::Silent => tokio::time::sleep(silence).await,
            Fault::Refuses => return Err(Status::permission_denied("not you")),
            Fault::Unavailable => return Err(Status::unavailable("not now")),
            Fault::OtherInstance => return Err(Status::invalid_argument("no such instance")),
            Fault::Sometimes(_) => match chance {
                0 => tokio::time::sleep(super::TIMEOUT / 2).await,
                1 => return Err(Status::unavailable("by chance")),
                2 => return Ok(true),
                _ => {}
            },
            _ => {}
        }
        match instance {
            "main" => Ok(false),
            _ => Err(Status::invalid_argument(format!("no instance {instance}"))),
        }
    }
}

/// Contents as a fault has them.
fn damaged(mut data: Vec<u8>, fault: Fault, is_wrong: bool) -> Vec<u8> {
    if (is_wrong || fault == Fault::Flipped)
        && let Some(last) = data.last_mut()
    {
        *last ^= 4;
    }
    if fault == Fault::Truncated {
        data.truncate(data.len() / 2);
    }
    data
}

#[async_trait]
impl Capabilities for Service {
    async fn get_capabilities(
        &self,
        request: Request<GetCapabilitiesRequest>,
    ) -> Result<Response<ServerCapabilities>, Status> {
        self.enter(&request, &request.get_ref().instance_name).await?;
        let state = self.lock();
        let digests = match state.fault {
            Fault::OtherDigests => digest_function::Value::Sha1,
            _ => digest_function::Value::Sha256,
        };
        let zstd = if state.packs { vec![compressor::Value::Zstd as i32] } else { Vec::new() };
        let cache = CacheCapabilities {
            digest_functions: vec![digests as i32],
            max_batch_total_size_bytes: state.batch,
            supported_compressors: zstd.clone(),
            supported_batch_update_compressors: zstd,
            ..CacheCapabilities::default()
        };
        let all =
            ServerCapabilities { cache_capabilities: Some(cache), ..ServerCapabilities::default() };
        Ok(Response::new(all))
    }
}

#[async_trait]
impl ActionCache for Service {
    async fn get_action_result(
        &self,
        request: Request<GetActionResultRequest>,
    ) -> Result<Response<ActionResult>, Status> {
        let is_wrong = self.enter(&request, &request.get_ref().instance_name).await?;
        let state = self.lock();
        let request = request.into_inner();
        let key = request.action_digest.unwrap_or_default().hash;
        let result = match state.fault {
            Fault::Swapped => {
                let other = state.results.iter().find(|it| *it.0 != key);
                state.results.get(&key).and(other).map(|it| it.1)
            }
            _ => state.results.get(&key),
        };
        let mut result = result.cloned().ok_or_else(|| Status::not_found("no such result"))?;
        for file in &mut result.output_files {
            let digest = file.digest.get_or_insert_default();
            if state.inlines
                && !request.inline_output_files.is_empty()
                && let Some(data) = state.contents.get(&digest.hash)
            {
                file.contents = damaged(data.clone(), state.fault, is_wrong);
            }
            match state.fault {
                Fault::Enormous => digest.size_bytes = i64::MAX,
                Fault::Evicted => file.contents.clear(),
                _ => {}
            }
        }
        if state.fault == Fault::NoOutput {
            result.output_files.clear();
        }
        Ok(Response::new(result))
    }

    async fn update_action_result(
        &self,
        request: Request<UpdateActionResultRequest>,
    ) -> Result<Response<ActionResult>, Status> {
        self.enter(&request, &request.get_ref().instance_name).await?;
        let mut state = self.lock();
        let request = request.into_inner();
        let action = request.action_digest.unwrap_or_default();
        let result = request.action_result.unwrap_or_default();
        // As strict servers do: nothing leads to nothing.
        let outputs = result.output_files.iter().filter_map(|it| it.digest.as_ref());
        for digest in outputs.chain([&action]) {
            if !state.contents.contains_key(&digest.hash) {
                return Err(Status::failed_precondition("a content is missing"));
            }
        }
        state.results.insert(action.hash, result.clone());
        Ok(Response::new(result))
    }
}

#[async_trait]
impl ContentAddressableStorage for Service {
    async fn find_missing_blobs(
        &self,
        request: Request<FindMissingBlobsRequest>,
    ) -> Result<Response<FindMissingBlobsResponse>, Status> {
        self.enter(&request, &request.get_ref().instance_name).await?;
        let state = self.lock();
        let mut missing = request.into_inner().blob_digests;
        missing.retain(|it| !state.contents.contains_key(&it.hash));
        Ok(Response::new(FindMissingBlobsResponse { missing_blob_digests: missing }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<BatchUpdateBlobsRequest>,
    ) -> Result<Response<BatchUpdateBlobsResponse>, Status> {
        self.enter(&request, &request.get_ref().instance_name).await?;
        let mut state = self.lock();
        if state.fault == Fault::Full {
            return Err(Status::resource_exhausted("no room"));
        }
        let mut responses = Vec::new();
        for it in request.into_inner().requests {
            let digest = it.digest.unwrap_or_default();
            let data = match it.compressor {
                0 => it.data,
                _ => zstd::bulk::decompress(&it.data, 64 << 20).unwrap_or_default(),
            };
            let code = match digest == crate::grpc::message(codegen::action::Digest::of(&data)) {
                true => Code::Ok,
                false => Code::InvalidArgument,
            };
            if code == Code::Ok {
                state.contents.insert(digest.hash.clone(), data);
            }
            let status = rpc::Status { code: code as i32, ..rpc::Status::default() };
            responses.push(batch_update_blobs_response::Response {
                digest: Some(digest),
                status: Some(status),
            });
        }
        Ok(Response::new(BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        request: Request<BatchReadBlobsRequest>,
    ) -> Result<Response<BatchReadBlobsResponse>, Status> {
        let is_wrong = self.enter(&request, &request.get_ref().instance_name).await?;
        let state = self.lock();
        let request = request.into_inner();
        let packs = request.acceptable_compressors.contains(&(compressor::Value::Zstd as i32));
        let response = |digest: Digest| {
            let data = state.contents.get(&digest.hash).filter(|_| state.fault != Fault::Evicted);
            let code = if data.is_some() { Code::Ok } else { Code::NotFound };
            let data = damaged(data.cloned().unwrap_or_default(), state.fault, is_wrong);
            let (data, compressor) = match packs {
                true if state.fault == Fault::Bomb => {
                    (zstd::bulk::compress(&vec![0; 1 << 20], 1), 1)
                }
                true => (zstd::bulk::compress(&data, 1), compressor::Value::Zstd as i32),
                false => (Ok(data), 0),
            };
            batch_read_blobs_response::Response {
                digest: Some(digest),
                data: data.expect("in memory"),
                compressor,
                status: Some(rpc::Status { code: code as i32, ..rpc::Status::default() }),
            }
        };
        let responses = request.digests.into_iter().map(response).collect();
        Ok(Response::new(BatchReadBlobsResponse { responses }))
    }

    type GetTreeStream = Parts<GetTreeResponse>;

    async fn get_tree(
        &self,
        _: Request<GetTreeRequest>,
    ) -> Result<Response<Self::GetTreeStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn split_blob(
        &self,
        _: Request<SplitBlobRequest>,
    ) -> Result<Response<SplitBlobResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    type GetChunkMappingStream = Parts<GetChunkMappingResponse>;

    async fn get_chunk_mapping(
        &self,
        _: Request<GetChunkMappingRequest>,
    ) -> Result<Response<Self::GetChunkMappingStream>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<Streaming<RegisterChunkMappingRequest>>,
    ) -> Result<Response<RegisterChunkMappingResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn splice_blob(
        &self,
        _: Request<SpliceBlobRequest>,
    ) -> Result<Response<SpliceBlobResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}

type Parts<T> = Pin<Box<dyn tokio_stream::Stream<Item = Result<T, Status>> + Send>>;

/// The instance, whether it is packed, and the hash in the name of a resource.
fn named(name: &str) -> Option<(&str, bool, &str)> {
    let (instance, rest) = name.split_once('/')?;
    let is_packed = rest.contains("compressed-blobs/zstd/");
    let hash = rest.split_once("blobs/")?.1.trim_start_matches("zstd/").split('/').next()?;
    Some((instance, is_packed, hash))
}

#[async_trait]
impl ByteStream for Service {
    type ReadStream = Parts<ReadResponse>;

    async fn read(
        &self,
        request: Request<ReadRequest>,
    ) -> Result<Response<Self::ReadStream>, Status> {
        let name = request.get_ref().resource_name.clone();
        let (instance, is_packed, hash) =
            named(&name).ok_or_else(|| Status::invalid_argument(""))?;
        let is_wrong = self.enter(&request, instance).await?;
        let state = self.lock();
        let data = state.contents.get(hash).cloned().ok_or_else(|| Status::not_found("no"))?;
        let data = damaged(data, state.fault, is_wrong);
        let data =
            if is_packed { zstd::bulk::compress(&data, 1).expect("in memory") } else { data };
        let part = |it: &[u8]| Ok(ReadResponse { data: it.to_vec() });
        let parts: Vec<_> = data.chunks(60_000).map(part).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(parts))))
    }

    async fn write(
        &self,
        request: Request<Streaming<WriteRequest>>,
    ) -> Result<Response<WriteResponse>, Status> {
        self.enter(&request, "main").await?;
        let mut stream = request.into_inner();
        let mut name = String::new();
        let mut data = Vec::new();
        while let Some(part) = stream.message().await? {
            if name.is_empty() {
                name = part.resource_name;
            }
            if usize::try_from(part.write_offset) != Ok(data.len()) {
                return Err(Status::invalid_argument("an offset"));
            }
            data.extend_from_slice(&part.data);
        }
        let (_, is_packed, hash) = named(&name).ok_or_else(|| Status::invalid_argument(""))?;
        let committed_size = data.len() as i64;
        if is_packed {
            data = zstd::bulk::decompress(&data, 64 << 20).unwrap_or_default();
        }
        if codegen::Key(codegen::action::Digest::of(&data).hash).to_string() != hash {
            return Err(Status::invalid_argument("a digest"));
        }
        let mut state = self.lock();
        state.streamed += 1;
        state.contents.insert(hash.to_owned(), data);
        Ok(Response::new(WriteResponse { committed_size }))
    }

    async fn query_write_status(
        &self,
        _: Request<QueryWriteStatusRequest>,
    ) -> Result<Response<QueryWriteStatusResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}
