//! Object stores: S3, Google's and Azure's, Redis, WebDAV, folders.
//!
//! In: keys of entries. Out: objects `ac/KEY`. An object is the result of the action as the Remote Execution API has
//! it, with the output inside, so that an entry is one call: the message `ActionResult`, of which the fields that are
//! used here are declared. Calls go out at once, some at a time; each is repeated where it failed in passing.

use std::time::{Duration, Instant};

use codegen::{
    Key,
    action::{Digest, OUTPUT},
    store::layer::Fetched,
};
use opendal::{Error, ErrorKind, Operator, services};
use prost::Message as _;
use tokio::task::JoinSet;

use crate::{
    Address, Environment, Scheme, Settings,
    backend::{Answer, Backend, Class, Failure, Kept, LARGEST, Later, Offered, Wanted},
    credentials,
    retry::{Calls, Missed},
};

/// Calls at a time.
const PARALLEL: usize = 32;
/// The messages, by their names and numbers there.
mod message {
    use codegen::action::DigestMessage;

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct OutputFile {
        #[prost(string, tag = "1")]
        pub(super) path: String,
        #[prost(message, optional, tag = "2")]
        pub(super) digest: Option<DigestMessage>,
        #[prost(bytes = "vec", tag = "5")]
        pub(super) contents: Vec<u8>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Duration {
        #[prost(int64, tag = "1")]
        pub(super) seconds: i64,
        #[prost(int32, tag = "2")]
        pub(super) nanos: i32,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ExecutedActionMetadata {
        #[prost(message, optional, tag = "12")]
        pub(super) virtual_execution_duration: Option<Duration>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ActionResult {
        #[prost(message, repeated, tag = "2")]
        pub(super) output_files: Vec<OutputFile>,
        #[prost(message, optional, tag = "9")]
        pub(super) execution_metadata: Option<ExecutedActionMetadata>,
    }
}

/// An object store.
#[derive(Clone)]
pub(crate) struct Objects {
    operator: Operator,
    calls: Calls,
}

impl Objects {
    pub(crate) fn new(
        settings: &Settings,
        environment: Environment<'_>,
    ) -> Result<Objects, String> {
        // Of the processes' rustls; somebody else may have chosen before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        opendal_http_transport_reqwest::install_default();
        let operator = operator(&settings.address, environment)
            .map_err(|it| format!("{}: {it}", settings.address))?;
        Ok(Objects { operator, calls: Calls::new(settings.timeout, PARALLEL) })
    }

    /// Makes a call that may be made again.
    async fn call<T, F>(&self, until: Instant, call: impl Fn() -> F) -> Result<T, Failure>
    where
        F: Future<Output = opendal::Result<T>>,
    {
        self.calls.call(until, Error::is_temporary, call).await.map_err(|missed| match missed {
            Missed::Failed(error) => failure(&error),
            Missed::Late => Failure::new(Class::Slow, "it does not answer in time"),
        })
    }

    async fn get(&self, wanted: Wanted, until: Instant) -> Answer {
        let path = path(wanted.key);
        let read = || async {
            match self.operator.read(&path).await {
                Ok(bytes) => Ok(Some(bytes.to_vec())),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        };
        match self.call(until, read).await {
            Ok(Some(bytes)) => entry(&bytes).map_or_else(Answer::Failed, Answer::Found),
            Ok(None) => Answer::Absent,
            Err(failure) => Answer::Failed(failure),
        }
    }

    async fn put(&self, offered: Offered, until: Instant) -> Result<u64, Failure> {
        let path = path(offered.action.key());
        let bytes = object(offered);
        let write = || async { self.operator.write(&path, bytes.clone()).await };
        self.call(until, write).await.map(|_| bytes.len() as u64)
    }
}

impl Backend for Objects {
    fn fetch(&self, wanted: Vec<Wanted>, until: Instant) -> Later<'_, Vec<Answer>> {
        Box::pin(async move {
            let mut answers = vec![Answer::Absent; wanted.len()];
            let mut calls = JoinSet::new();
            for (at, it) in wanted.into_iter().enumerate() {
                let client = self.clone();
                calls.spawn(async move { (at, client.get(it, until).await) });
            }
            while let Some(done) = calls.join_next().await {
                // A panic in a library: as if it had not answered.
                let Ok((at, answer)) = done else { continue };
                answers[at] = answer;
            }
            answers
        })
    }

    fn keep(&self, offered: Vec<Offered>, until: Instant) -> Later<'_, Kept> {
        Box::pin(async move {
            let mut kept = Kept::default();
            let mut calls = JoinSet::new();
            for it in offered {
                let client = self.clone();
                calls.spawn(async move { client.put(it, until).await });
            }
            while let Some(done) = calls.join_next().await {
                match done {
                    Ok(Ok(bytes)) => {
                        kept.entries += 1;
                        kept.bytes += bytes;
                    }
                    Ok(Err(failure)) => kept.failure = kept.failure.or(Some(failure)),
                    Err(_) => {}
                }
            }
            kept
        })
    }
}

fn path(key: Key) -> String {
    format!("ac/{key}")
}

/// The object of an entry.
fn object(offered: Offered) -> Vec<u8> {
    let digest = Digest::of(&offered.file);
    let time = message::Duration {
        seconds: i64::try_from(offered.cost.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(offered.cost.subsec_nanos()).unwrap_or(0),
    };
    let file = message::OutputFile {
        path: OUTPUT.to_owned(),
        digest: Some(digest.message()),
        contents: offered.file,
    };
    let metadata = message::ExecutedActionMetadata { virtual_execution_duration: Some(time) };
    message::ActionResult { output_files: vec![file], execution_metadata: Some(metadata) }
        .encode_to_vec()
}

/// The entry in an object.
fn entry(bytes: &[u8]) -> Result<Fetched, Failure> {
    let wrong = |text: &str| Failure::new(Class::Wrong, text);
    if bytes.len() as u64 > LARGEST + (1 << 16) {
        return Err(wrong("it gives an object that is too large"));
    }
    let result = message::ActionResult::decode(bytes)
        .map_err(|_| wrong("it gives an object that is no result"))?;
    let file = result.output_files.into_iter().find(|it| it.path == OUTPUT);
    let file = file.ok_or_else(|| wrong("it gives a result without the output"))?;
    if file.digest != Some(Digest::of(&file.contents).message()) {
        return Err(wrong("it gives a content that does not have its digest"));
    }
    let time = result.execution_metadata.and_then(|it| it.virtual_execution_duration);
    let cost = time.and_then(|it| {
        Some(Duration::new(u64::try_from(it.seconds).ok()?, u32::try_from(it.nanos).ok()?))
    });
    Ok(Fetched { file: file.contents, cost })
}

/// Describes what an error means for the layer.
fn failure(error: &Error) -> Failure {
    let class = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ConfigInvalid | ErrorKind::Unsupported => {
            Class::Refused
        }
        ErrorKind::RateLimited => Class::Full,
        ErrorKind::NotFound => Class::Refused,
        _ => Class::Down,
    };
    // The whole error has requests with their headers.
    let said: String = error.message().chars().filter(|it| !it.is_control()).take(200).collect();
    Failure::new(class, format!("{}: {said}", error.kind()))
}

/// The client of an address. What the clouds' own tools read of the environment holds here too (`AWS_REGION`,
/// `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, …); Redis and WebDAV take `username`, `password` and `token` of
/// [`credentials::HEADERS`].
fn operator(address: &Address, environment: Environment<'_>) -> Result<Operator, String> {
    let Address { scheme, host, path } = address;
    let root = format!("/{path}");
    let secrets = credentials::headers(address.host_name(), environment)?;
    let secret = |name: &str| {
        let found = secrets.iter().find(|it| it.0 == name);
        found.map_or("", |it| it.1.as_str()).to_owned()
    };
    let operator = match scheme {
        Scheme::Grpc | Scheme::Grpcs => return Err("it is no object store".to_owned()),
        Scheme::S3 => {
            let region = environment("AWS_REGION").or_else(|| environment("AWS_DEFAULT_REGION"));
            let mut s3 = services::S3::default().bucket(host).root(&root);
            s3 = s3.region(region.as_deref().unwrap_or("us-east-1"));
            if let Some(endpoint) = environment("AWS_ENDPOINT_URL") {
                s3 = s3.endpoint(&endpoint);
            }
            Operator::new(s3)
        }
        Scheme::Gcs => Operator::new(services::Gcs::default().bucket(host).root(&root)),
        Scheme::Azblob => {
            let connection = environment("AZURE_STORAGE_CONNECTION_STRING").unwrap_or_default();
            let azblob = services::Azblob::from_connection_string(&connection)
                .map_err(|_| "AZURE_STORAGE_CONNECTION_STRING is needed".to_owned())?;
            Operator::new(azblob.container(host).root(&root))
        }
        Scheme::Redis | Scheme::Rediss => {
            let redis = services::Redis::default()
                .endpoint(&format!("{}://{host}", scheme.name()))
                .root("/tir-analyzer/")
                .username(&secret("username"))
                .password(&secret("password"));
            let number = if path.is_empty() { Ok(0) } else { path.parse() };
            Operator::new(redis.db(number.map_err(|_| "the path is the number of a database")?))
        }
        Scheme::Webdav | Scheme::Webdavs => {
            let http = if *scheme == Scheme::Webdav { "http" } else { "https" };
            let webdav = services::Webdav::default()
                .endpoint(&format!("{http}://{host}"))
                .root(&root)
                .username(&secret("username"))
                .password(&secret("password"))
                .token(&secret("token"));
            Operator::new(webdav)
        }
        // Files are written beside their place and renamed.
        Scheme::File => Operator::new(
            services::Fs::default().root(&root).atomic_write_dir(&format!("{root}/.writing")),
        ),
    };
    operator.map_err(|it| it.message().to_owned())
}

#[cfg(test)]
mod tests;
