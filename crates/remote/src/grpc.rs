//! A server of the Remote Execution API, version 2: action cache, content, byte streams.
//!
//! In: digests of actions. Out: their entries. The results of all actions are asked for at once, on one connection,
//! with
//! their outputs inside where the server does that; other outputs come in batches, those above the limit of a batch as
//! streams of bytes, packed where the server offers it. Each is compared with the digest that the result names. An
//! entry is kept in three steps: which of its contents are missing, those, and the result, so a result never leads to
//! nothing. Calls that fail in passing are repeated, after growing pauses, until the caller's moment.

mod calls;
pub(crate) mod execute;
mod keep;
mod read;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        Digest as DigestMessage, GetCapabilitiesRequest, RequestMetadata, ToolDetails,
        action_cache_client::ActionCacheClient, capabilities_client::CapabilitiesClient,
        compressor, content_addressable_storage_client::ContentAddressableStorageClient,
        digest_function,
    },
    google::{
        bytestream::byte_stream_client::ByteStreamClient, protobuf::Duration as DurationMessage,
    },
};
use codegen::{Key, action::Digest};
use prost::Message as _;
use tokio::{runtime::Runtime, sync::OnceCell};
use tonic::{
    Code, Request, Status,
    metadata::{BinaryMetadataValue, MetadataKey, MetadataMap},
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};

use crate::{
    Environment, Scheme, Settings,
    backend::{Answer, Backend, Class, Failure, Kept, Later, Offered, Wanted},
    credentials,
    retry::Calls,
};

/// Calls at a time.
const PARALLEL: usize = 64;
/// The most bytes of a message that is sent or taken: what servers and clients of gRPC take unless told otherwise,
/// less room for what is around.
const MESSAGE: u64 = (4 << 20) - (64 << 10);
/// Bytes of a part of a stream.
const PART: usize = 1 << 20;

/// The certificate of an own authority, and the client's own with its key: paths of PEM files.
const AUTHORITY: &str = "TIR_ANALYZER_CACHE_CA";
const CERTIFICATE: &str = "TIR_ANALYZER_CACHE_CERT";
const PRIVATE_KEY: &str = "TIR_ANALYZER_CACHE_KEY";

/// A connection, made when it is first used.
#[derive(Clone)]
pub(crate) struct Grpc {
    channel: InterceptedService<Channel, Headers>,
    instance: String,
    calls: Calls,
    abilities: Arc<OnceCell<Abilities>>,
    /// Contents that the server has.
    present: Arc<Mutex<BTreeSet<Digest>>>,
    /// The turn of a job that sends large inputs.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Describes what the server can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Abilities {
    /// Bytes of a batch.
    batch: u64,
    /// Packs streams and what is read in batches.
    packs: bool,
    /// Takes packed batches.
    takes_packed: bool,
}

/// Adds the headers of each call.
#[derive(Clone)]
struct Headers(Arc<MetadataMap>);

impl Interceptor for Headers {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for entry in self.0.iter() {
            match entry {
                tonic::metadata::KeyAndValueRef::Ascii(name, value) => {
                    request.metadata_mut().append(name, value.clone());
                }
                tonic::metadata::KeyAndValueRef::Binary(name, value) => {
                    request.metadata_mut().append_bin(name, value.clone());
                }
            }
        }
        Ok(request)
    }
}

impl Grpc {
    pub(crate) fn new(
        settings: &Settings,
        environment: Environment<'_>,
        runtime: &Runtime,
    ) -> Result<Grpc, String> {
        let address = &settings.address;
        let is_tls = address.scheme == Scheme::Grpcs;
        let uri = format!("{}://{}", if is_tls { "https" } else { "http" }, address.host);
        let mut endpoint = Endpoint::from_shared(uri)
            .map_err(|it| format!("{address}: {it}"))?
            .connect_timeout(settings.timeout)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(settings.timeout)
            .keep_alive_timeout(settings.timeout)
            .http2_adaptive_window(true);
        if is_tls {
            let tls = tls(environment)?;
            endpoint = endpoint.tls_config(tls).map_err(|it| format!("{address}: {it}"))?;
        }
        let channel = {
            let _inside = runtime.enter();
            endpoint.connect_lazy()
        };
        let headers = credentials::headers(address.host_name(), environment)?;
        let headers = Headers(Arc::new(metadata(&headers)?));
        Ok(Grpc {
            channel: InterceptedService::new(channel, headers),
            instance: address.path.clone(),
            calls: Calls::new(settings.timeout, PARALLEL),
            abilities: Arc::default(),
            present: Arc::default(),
            turn: Arc::default(),
        })
    }

    fn results(&self) -> ActionCacheClient<InterceptedService<Channel, Headers>> {
        ActionCacheClient::new(self.channel.clone())
    }

    fn contents(&self) -> ContentAddressableStorageClient<InterceptedService<Channel, Headers>> {
        ContentAddressableStorageClient::new(self.channel.clone())
    }

    fn streams(&self) -> ByteStreamClient<InterceptedService<Channel, Headers>> {
        ByteStreamClient::new(self.channel.clone())
    }

    /// Describes what the server can do; asked once.
    async fn abilities(&self, until: Instant) -> Result<Abilities, Failure> {
        let ask = || async {
            let request = GetCapabilitiesRequest { instance_name: self.instance.clone() };
            let call = || {
                let mut client = CapabilitiesClient::new(self.channel.clone());
                let request = request.clone();
                async move { client.get_capabilities(request).await }
            };
            let plain = Abilities { batch: MESSAGE, packs: false, takes_packed: false };
            match self.call(until, call).await {
                // A plain cache need not have the service.
                Err(it) if it.code() == Code::Unimplemented => Ok(plain),
                Err(it) => Err(calls::failure(&it)),
                Ok(all) => {
                    let Some(cache) = all.cache_capabilities else { return Ok(plain) };
                    let sha256 = digest_function::Value::Sha256 as i32;
                    if !cache.digest_functions.contains(&sha256) {
                        let text = "it does not know contents by SHA-256";
                        return Err(Failure::new(Class::Refused, text));
                    }
                    let zstd = compressor::Value::Zstd as i32;
                    let batch = u64::try_from(cache.max_batch_total_size_bytes).unwrap_or(0);
                    Ok(Abilities {
                        batch: if batch == 0 { MESSAGE } else { batch.min(MESSAGE) },
                        packs: cache.supported_compressors.contains(&zstd),
                        takes_packed: cache.supported_batch_update_compressors.contains(&zstd),
                    })
                }
            }
        };
        self.abilities.get_or_try_init(ask).await.copied()
    }
}

impl Backend for Grpc {
    fn fetch(&self, wanted: Vec<Wanted>, until: Instant) -> Later<'_, Vec<Answer>> {
        Box::pin(self.read(wanted, until))
    }

    fn keep(&self, offered: Vec<Offered>, until: Instant) -> Later<'_, Kept> {
        Box::pin(self.write(offered, until))
    }
}

/// The authorities of the system, or the one that the environment names; and the client's own certificate.
fn tls(environment: Environment<'_>) -> Result<ClientTlsConfig, String> {
    let read = |name: &str| {
        let path = environment(name);
        let text = |path: String| {
            files::read_named(std::path::Path::new(&path), files::SETTINGS)
                .map_err(|it| format!("cannot read {path}, which {name} names: {it}"))
        };
        path.map(text).transpose()
    };
    let mut tls = ClientTlsConfig::new();
    tls = match read(AUTHORITY)? {
        Some(authority) => tls.ca_certificate(Certificate::from_pem(authority)),
        None => tls.with_native_roots(),
    };
    match (read(CERTIFICATE)?, read(PRIVATE_KEY)?) {
        (Some(certificate), Some(key)) => Ok(tls.identity(Identity::from_pem(certificate, key))),
        (None, None) => Ok(tls),
        _ => Err(format!("{CERTIFICATE} and {PRIVATE_KEY} belong together")),
    }
}

/// The headers of each call: the user's, and who calls.
fn metadata(headers: &credentials::Headers) -> Result<MetadataMap, String> {
    let mut map = MetadataMap::new();
    for (name, value) in headers {
        let bad = || format!("`{name}` with its value cannot be a header");
        let name = MetadataKey::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value: tonic::metadata::AsciiMetadataValue = value.parse().map_err(|_| bad())?;
        value.set_sensitive(true);
        map.append(name, value);
    }
    let tool = ToolDetails {
        tool_name: "tir-analyzer".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let metadata = RequestMetadata { tool_details: Some(tool), ..RequestMetadata::default() };
    let value = BinaryMetadataValue::from_bytes(&metadata.encode_to_vec());
    map.append_bin("build.bazel.remote.execution.v2.requestmetadata-bin", value);
    Ok(map)
}

/// The message of a time.
fn duration(time: Duration) -> DurationMessage {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    DurationMessage { seconds, nanos: i32::try_from(time.subsec_nanos()).unwrap_or(0) }
}

/// The message of a digest.
pub(crate) fn message(digest: Digest) -> DigestMessage {
    DigestMessage {
        hash: Key(digest.hash).to_string(),
        size_bytes: i64::try_from(digest.size).unwrap_or(i64::MAX),
    }
}

/// The digest of a message, if it is one of SHA-256.
fn digest(message: &DigestMessage) -> Option<Digest> {
    let hash = Key::parse(&message.hash)?.0;
    Some(Digest { hash, size: u64::try_from(message.size_bytes).ok()? })
}
