//! Reading: results of actions, then contents that are not in them.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        ActionResult, BatchReadBlobsRequest, GetActionResultRequest, compressor,
    },
    google::{bytestream::ReadRequest, protobuf::Duration as DurationMessage},
};
use codegen::{
    Key,
    action::{Digest, OUTPUT},
    store::layer::Fetched,
};
use tokio::task::JoinSet;
use tonic::{Code, Status};

use super::{Abilities, Grpc, calls::failure, digest, message};
use crate::backend::{Answer, Class, Failure, LARGEST, Wanted};

/// Contents in one batch, however small.
const MOST_IN_BATCH: usize = 1000;
/// Bytes that a content may take more in a message, or packed.
const AROUND: u64 = 256;

/// A content that a result names.
pub(super) struct Named {
    pub(super) digest: Digest,
    pub(super) cost: Option<Duration>,
}

impl Grpc {
    /// Gets entries.
    pub(super) async fn read(&self, wanted: Vec<Wanted>, until: Instant) -> Vec<Answer> {
        let abilities = match self.abilities(until).await {
            Ok(it) => it,
            Err(failure) => return vec![Answer::Failed(failure); wanted.len()],
        };
        let mut answers = vec![Answer::Absent; wanted.len()];
        let mut named: Vec<(usize, Named)> = Vec::new();
        let mut results = JoinSet::new();
        for (at, it) in wanted.into_iter().enumerate() {
            let client = self.clone();
            results.spawn(async move { (at, client.result(it, until).await) });
        }
        while let Some(done) = results.join_next().await {
            match done {
                Ok((at, Ok(Found::Named(it)))) => named.push((at, it)),
                Ok((at, Ok(Found::Answer(it)))) => answers[at] = it,
                Ok((at, Err(it))) => answers[at] = Answer::Failed(it),
                // A panic in a library: as if it had not answered.
                Err(_) => {}
            }
        }
        named.sort_by_key(|it| it.0);
        for (at, answer) in self.contents_of(named, abilities, until).await {
            answers[at] = answer;
        }
        answers
    }

    /// Contents by their digests, with the numbers that they have here.
    pub(super) async fn contents_of(
        &self,
        named: Vec<(usize, Named)>,
        abilities: Abilities,
        until: Instant,
    ) -> Vec<(usize, Answer)> {
        let mut contents = JoinSet::new();
        for batch in batches(named, abilities) {
            let client = self.clone();
            contents.spawn(async move { client.batch(batch, abilities, until).await });
        }
        let mut answers = Vec::new();
        while let Some(done) = contents.join_next().await {
            answers.extend(done.unwrap_or_default());
        }
        answers
    }

    /// The result of an action: its output, or its name.
    async fn result(&self, wanted: Wanted, until: Instant) -> Result<Found, Failure> {
        let mut request = GetActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(message(Digest { hash: wanted.key.0, size: wanted.size })),
            inline_output_files: vec![OUTPUT.to_owned()],
            ..GetActionResultRequest::default()
        };
        let get = |request: GetActionResultRequest| async move {
            let call = || {
                let (mut client, request) = (self.results(), request.clone());
                async move { client.get_action_result(request).await }
            };
            self.call(until, call).await
        };
        let mut answer = get(request.clone()).await;
        // A server that puts more inside than a message holds.
        if answer.as_ref().is_err_and(|it| it.code() == Code::OutOfRange) {
            request.inline_output_files.clear();
            answer = get(request).await;
        }
        match answer {
            Ok(result) => found(result),
            Err(status) if status.code() == Code::NotFound => Ok(Found::Answer(Answer::Absent)),
            Err(status) => Err(failure(&status)),
        }
    }

    /// Contents of one batch, or one above its limit.
    async fn batch(
        &self,
        batch: Vec<(usize, Named)>,
        abilities: Abilities,
        until: Instant,
    ) -> Vec<(usize, Answer)> {
        if let [(at, named)] = &batch[..]
            && named.digest.size + AROUND > abilities.batch
        {
            return vec![(*at, self.stream(named, abilities, until).await)];
        }
        let all = |answer: Answer| batch.iter().map(|it| (it.0, answer.clone())).collect();
        let mut digests: Vec<Digest> = batch.iter().map(|it| it.1.digest).collect();
        digests.sort_unstable();
        digests.dedup();
        let mut compressors = vec![compressor::Value::Identity as i32];
        compressors.extend(abilities.packs.then_some(compressor::Value::Zstd as i32));
        let request = BatchReadBlobsRequest {
            instance_name: self.instance.clone(),
            digests: digests.into_iter().map(message).collect(),
            acceptable_compressors: compressors,
            ..BatchReadBlobsRequest::default()
        };
        let call = || {
            let (mut client, request) = (self.contents(), request.clone());
            async move { client.batch_read_blobs(request).await }
        };
        let answer = match self.call(until, call).await {
            Ok(it) => it,
            Err(status) => return all(Answer::Failed(failure(&status))),
        };
        let mut contents: BTreeMap<Digest, Result<Vec<u8>, Answer>> = BTreeMap::new();
        for it in answer.responses {
            let Some(digest) = it.digest.as_ref().and_then(digest) else { continue };
            let status = it.status.map_or(0, |it| it.code);
            let content = match Code::from_i32(status) {
                Code::Ok => unpacked(digest, it.data, it.compressor).map_err(Answer::Failed),
                // The result outlived its output.
                Code::NotFound => Err(Answer::Absent),
                code => Err(Answer::Failed(failure(&Status::new(code, "of a content")))),
            };
            contents.insert(digest, content);
        }
        let answer = |(at, named): &(usize, Named)| {
            let answer = match contents.get(&named.digest) {
                Some(Ok(file)) => Answer::Found(Fetched { file: file.clone(), cost: named.cost }),
                Some(Err(answer)) => answer.clone(),
                None => Answer::Failed(wrong("it does not give all that it was asked for")),
            };
            (*at, answer)
        };
        batch.iter().map(answer).collect()
    }

    /// A large content.
    async fn stream(&self, named: &Named, abilities: Abilities, until: Instant) -> Answer {
        let Digest { hash, size } = named.digest;
        let kind = if abilities.packs { "compressed-blobs/zstd" } else { "blobs" };
        let slash = if self.instance.is_empty() { "" } else { "/" };
        let name = format!("{}{slash}{kind}/{}/{size}", self.instance, Key(hash));
        let request = ReadRequest { resource_name: name, read_offset: 0, read_limit: 0 };
        let read = async {
            let mut stream = self.streams().read(request).await?.into_inner();
            let mut bytes = Vec::new();
            while let Some(part) = stream.message().await? {
                bytes.extend_from_slice(&part.data);
                // Packed bytes are hardly ever more than the bytes.
                if bytes.len() as u64 > size + size / 8 + AROUND {
                    break;
                }
            }
            Ok::<_, Status>(bytes)
        };
        let slot = self.calls.slot().await;
        let time = self.calls.timeout + Duration::from_millis(size >> 10);
        let end = until.min(Instant::now() + time);
        let result = tokio::time::timeout_at(end.into(), read).await;
        drop(slot);
        let compressor = match abilities.packs {
            true => compressor::Value::Zstd,
            false => compressor::Value::Identity,
        };
        match result {
            Err(_) => Answer::Failed(failure(&Status::deadline_exceeded(""))),
            Ok(Err(status)) if status.code() == Code::NotFound => Answer::Absent,
            Ok(Err(status)) => Answer::Failed(failure(&status)),
            Ok(Ok(bytes)) => match unpacked(named.digest, bytes, compressor as i32) {
                Ok(file) => Answer::Found(Fetched { file, cost: named.cost }),
                Err(failure) => Answer::Failed(failure),
            },
        }
    }
}

enum Found {
    Answer(Answer),
    Named(Named),
}

/// The output of a result: inside, or by name.
fn found(result: ActionResult) -> Result<Found, Failure> {
    let cost = result.execution_metadata.and_then(|it| it.virtual_execution_duration);
    let cost = cost.and_then(|it| time(&it));
    let Some(file) = result.output_files.into_iter().find(|it| it.path == OUTPUT) else {
        return Err(wrong("it gives a result without the output"));
    };
    let digest = file.digest.as_ref().and_then(digest);
    let digest = digest.ok_or_else(|| wrong("it gives a digest that is none"))?;
    if digest.size > LARGEST {
        return Err(wrong("it gives an output that is too large"));
    }
    if file.contents.is_empty() {
        return Ok(Found::Named(Named { digest, cost }));
    }
    let file = unpacked(digest, file.contents, compressor::Value::Identity as i32)?;
    Ok(Found::Answer(Answer::Found(Fetched { file, cost })))
}

/// A time, if it is one that passes.
fn time(message: &DurationMessage) -> Option<Duration> {
    Some(Duration::new(u64::try_from(message.seconds).ok()?, u32::try_from(message.nanos).ok()?))
}

/// The bytes of a content, if they are those of the digest.
fn unpacked(digest: Digest, data: Vec<u8>, compressor: i32) -> Result<Vec<u8>, Failure> {
    let size = usize::try_from(digest.size).unwrap_or(usize::MAX);
    let bytes = match compressor {
        it if it == compressor::Value::Zstd as i32 => {
            // No more is unpacked than the digest has.
            let unpacked = zstd::bulk::decompress(&data, size);
            unpacked.map_err(|_| wrong("it gives a content that is packed wrongly"))?
        }
        it if it == compressor::Value::Identity as i32 => data,
        _ => return Err(wrong("it gives a content that is packed in an unknown way")),
    };
    match Digest::of(&bytes) == digest {
        true => Ok(bytes),
        false => Err(wrong("it gives a content that does not have its digest")),
    }
}

fn wrong(text: &str) -> Failure {
    Failure::new(Class::Wrong, text)
}

/// Batches within the server's limit; what is above it is alone.
fn batches(named: Vec<(usize, Named)>, abilities: Abilities) -> Vec<Vec<(usize, Named)>> {
    let mut batches: Vec<Vec<(usize, Named)>> = Vec::new();
    let mut room = 0;
    for it in named {
        let size = it.1.digest.size + AROUND;
        match batches.last_mut() {
            Some(last) if size <= room && last.len() < MOST_IN_BATCH => last.push(it),
            _ => {
                room = abilities.batch;
                batches.push(vec![it]);
            }
        }
        room = room.saturating_sub(size);
    }
    batches
}
