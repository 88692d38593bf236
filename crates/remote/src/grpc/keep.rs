//! Keeping: the missing contents, then the results that name them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{MutexGuard, PoisonError},
    time::Instant,
};

use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        ActionResult, BatchUpdateBlobsRequest, ExecutedActionMetadata, FindMissingBlobsRequest,
        OutputFile, UpdateActionResultRequest, batch_update_blobs_request, compressor,
    },
    google::bytestream::WriteRequest,
};
use codegen::{
    Key,
    action::{Digest, OUTPUT},
};
use tokio::task::JoinSet;
use tonic::{Code, Status, codegen::tokio_stream};

use super::{Abilities, Grpc, PART, calls::failure, digest, message};
use crate::backend::{Class, Failure, Kept, Offered};

/// Digests in one question.
const MOST_ASKED: usize = 10_000;
/// Bytes that a content may take more in a message.
const AROUND: u64 = 256;
/// How hard to pack: as the reference server does.
const LEVEL: i32 = 3;

/// Contents by their digests.
type Contents = BTreeMap<Digest, Vec<u8>>;

impl Grpc {
    /// Keeps entries.
    pub(super) async fn write(&self, offered: Vec<Offered>, until: Instant) -> Kept {
        let mut kept = Kept::default();
        match self.put(offered, until, &mut kept).await {
            Ok(()) => kept,
            Err(failure) => Kept { failure: Some(failure), ..kept },
        }
    }

    async fn put(
        &self,
        offered: Vec<Offered>,
        until: Instant,
        kept: &mut Kept,
    ) -> Result<(), Failure> {
        let abilities = self.abilities(until).await?;
        let mut contents = Contents::new();
        let mut results = Vec::new();
        for Offered { action, file, cost } in offered {
            // A result is of an action that is there, with its command: servers may ask for them.
            for part in [action.message(), action.command(), action.root()] {
                contents.insert(Digest::of(part), part.to_vec());
            }
            let output = Digest::of(&file);
            let key = Digest { hash: action.key().0, size: action.message().len() as u64 };
            results.push((key, output, cost));
            contents.insert(output, file);
        }
        contents.retain(|it, _| !self.present().contains(it));
        let missing = self.missing(contents.keys().copied().collect(), until).await?;
        let absent = |it: &Digest| missing.contains(it);
        let there: Vec<Digest> = contents.keys().copied().filter(|it| !absent(it)).collect();
        self.present().extend(there);
        contents.retain(|it, _| absent(it));
        let mut failed = self.upload(contents, abilities, until, kept).await;
        let mut updates = JoinSet::new();
        for (key, output, cost) in results {
            if !self.present().contains(&output) {
                continue;
            }
            let client = self.clone();
            updates.spawn(async move { client.update(key, output, cost, until).await });
        }
        while let Some(done) = updates.join_next().await {
            match done {
                Ok(Ok(())) => kept.entries += 1,
                Ok(Err(it)) => failed = failed.or(Some(it)),
                Err(_) => {}
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Those of the contents that are not known to be there.
    pub(super) fn unknown(&self, all: impl Iterator<Item = Digest>) -> Vec<Digest> {
        let present = self.present();
        all.filter(|it| !present.contains(it)).collect()
    }

    /// Notes contents that are there.
    pub(super) fn note_present(&self, all: impl Iterator<Item = Digest>) {
        self.present().extend(all);
    }

    /// Nothing is known of these contents any more.
    pub(super) fn forget<'d>(&self, all: impl Iterator<Item = &'d Digest>) {
        let mut present = self.present();
        for it in all {
            present.remove(it);
        }
    }

    fn present(&self) -> MutexGuard<'_, BTreeSet<Digest>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which contents the server lacks.
    pub(super) async fn missing(
        &self,
        all: Vec<Digest>,
        until: Instant,
    ) -> Result<BTreeSet<Digest>, Failure> {
        let mut missing = BTreeSet::new();
        for some in all.chunks(MOST_ASKED) {
            let request = FindMissingBlobsRequest {
                instance_name: self.instance.clone(),
                blob_digests: some.iter().copied().map(message).collect(),
                ..FindMissingBlobsRequest::default()
            };
            let call = || {
                let (mut client, request) = (self.contents(), request.clone());
                async move { client.find_missing_blobs(request).await }
            };
            let answer = self.call(until, call).await.map_err(|it| failure(&it))?;
            missing.extend(answer.missing_blob_digests.iter().filter_map(digest));
        }
        Ok(missing)
    }

    /// Uploads contents, and notes those that are there; the first failure.
    pub(super) async fn upload(
        &self,
        contents: Contents,
        abilities: Abilities,
        until: Instant,
        kept: &mut Kept,
    ) -> Option<Failure> {
        let mut uploads = JoinSet::new();
        for batch in batches(contents, abilities) {
            let client = self.clone();
            uploads.spawn(async move { client.upload_batch(batch, abilities, until).await });
        }
        let mut failed = None;
        while let Some(done) = uploads.join_next().await {
            let Ok((there, failure)) = done else { continue };
            kept.bytes += there.iter().map(|it| it.size).sum::<u64>();
            self.present().extend(there);
            failed = failed.or(failure);
        }
        failed
    }

    async fn upload_batch(
        &self,
        batch: Vec<(Digest, Vec<u8>)>,
        abilities: Abilities,
        until: Instant,
    ) -> (Vec<Digest>, Option<Failure>) {
        if let [(it, bytes)] = &batch[..]
            && it.size + AROUND > abilities.batch
        {
            return match self.stream_out(*it, bytes, abilities, until).await {
                Ok(()) => (vec![*it], None),
                Err(status) => (Vec::new(), Some(failure(&status))),
            };
        }
        let request = |(it, bytes): &(Digest, Vec<u8>)| {
            let packed = abilities.takes_packed.then(|| zstd::bulk::compress(bytes, LEVEL).ok());
            let packed = packed.flatten().filter(|it| it.len() < bytes.len());
            let compressor = match packed {
                Some(_) => compressor::Value::Zstd,
                None => compressor::Value::Identity,
            };
            batch_update_blobs_request::Request {
                digest: Some(message(*it)),
                data: packed.unwrap_or_else(|| bytes.clone()),
                compressor: compressor as i32,
            }
        };
        let request = BatchUpdateBlobsRequest {
            instance_name: self.instance.clone(),
            requests: batch.iter().map(request).collect(),
            ..BatchUpdateBlobsRequest::default()
        };
        let call = || {
            let (mut client, request) = (self.contents(), request.clone());
            async move { client.batch_update_blobs(request).await }
        };
        let answer = match self.call(until, call).await {
            Ok(it) => it,
            Err(status) => return (Vec::new(), Some(failure(&status))),
        };
        let mut there = Vec::new();
        let mut failed = None;
        for it in answer.responses {
            match Code::from_i32(it.status.map_or(0, |it| it.code)) {
                Code::Ok => there.extend(it.digest.as_ref().and_then(digest)),
                code => {
                    let status = Status::new(code, "a content is not kept");
                    failed = failed.or_else(|| Some(failure(&status)));
                }
            }
        }
        // Only what was sent counts.
        there.retain(|it| batch.iter().any(|(sent, _)| sent == it));
        (there, failed)
    }

    /// A large content.
    async fn stream_out(
        &self,
        it: Digest,
        bytes: &[u8],
        abilities: Abilities,
        until: Instant,
    ) -> Result<(), Status> {
        let packed = abilities.packs.then(|| zstd::bulk::compress(bytes, LEVEL).ok()).flatten();
        let kind = if packed.is_some() { "compressed-blobs/zstd" } else { "blobs" };
        let slash = if self.instance.is_empty() { "" } else { "/" };
        let upload = unique(it);
        let name =
            format!("{}{slash}uploads/{upload}/{kind}/{}/{}", self.instance, Key(it.hash), it.size);
        let data = packed.unwrap_or_else(|| bytes.to_vec());
        let last = data.len().div_ceil(PART).max(1) - 1;
        let part = |(at, part): (usize, &[u8])| WriteRequest {
            resource_name: if at == 0 { name.clone() } else { String::new() },
            write_offset: i64::try_from(at * PART).unwrap_or(i64::MAX),
            finish_write: at == last,
            data: part.to_vec(),
        };
        let parts: Vec<WriteRequest> = data.chunks(PART).enumerate().map(part).collect();
        let slot = self.calls.slot().await;
        let write = async { self.streams().write(tokio_stream::iter(parts)).await };
        let result = tokio::time::timeout_at(until.into(), write).await;
        drop(slot);
        let answer = result.map_err(|_| Status::deadline_exceeded(""))??.into_inner();
        // Either all that was sent, or the size of a content that was there already.
        let sizes = [data.len() as u64, it.size].map(|it| i64::try_from(it).unwrap_or(i64::MAX));
        match sizes.contains(&answer.committed_size) || answer.committed_size == -1 {
            true => Ok(()),
            false => Err(Status::data_loss("a content was not kept whole")),
        }
    }

    async fn update(
        &self,
        key: Digest,
        output: Digest,
        cost: std::time::Duration,
        until: Instant,
    ) -> Result<(), Failure> {
        let file = OutputFile {
            path: OUTPUT.to_owned(),
            digest: Some(message(output)),
            ..OutputFile::default()
        };
        let metadata = ExecutedActionMetadata {
            virtual_execution_duration: Some(super::duration(cost)),
            ..ExecutedActionMetadata::default()
        };
        let result = ActionResult {
            output_files: vec![file],
            execution_metadata: Some(metadata),
            ..ActionResult::default()
        };
        let request = UpdateActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(message(key)),
            action_result: Some(result),
            ..UpdateActionResultRequest::default()
        };
        let call = || {
            let (mut client, request) = (self.results(), request.clone());
            async move { client.update_action_result(request).await }
        };
        match self.call(until, call).await {
            Ok(_) => Ok(()),
            Err(status) if status.code() == Code::Unimplemented => {
                Err(Failure::new(Class::Refused, "it takes no results of actions"))
            }
            Err(status) => Err(failure(&status)),
        }
    }
}

/// The name of an upload, as a UUID: nobody else has it.
fn unique(of: Digest) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = format!("{} {:?} {}", std::process::id(), now.unwrap_or_default(), Key(of.hash));
    let hex = Key(Digest::of(seed.as_bytes()).hash).to_string();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]].join("-")
}

/// Batches within the server's limit; what is above it is alone.
fn batches(contents: Contents, abilities: Abilities) -> Vec<Vec<(Digest, Vec<u8>)>> {
    let mut batches: Vec<Vec<(Digest, Vec<u8>)>> = Vec::new();
    let mut room = 0;
    for it in contents {
        let size = it.0.size + AROUND;
        match batches.last_mut() {
            Some(last) if size <= room => last.push(it),
            _ => {
                room = abilities.batch;
                batches.push(vec![it]);
            }
        }
        room = room.saturating_sub(size);
    }
    batches
}
