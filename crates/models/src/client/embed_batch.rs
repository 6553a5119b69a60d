//! Vectors in lists: many texts in one request, each with an entry of its own in the record, under the key that it would have
//! alone.

use std::time::Duration;

use probare_core::{CallPurpose, ChatRequest, Message, ModelReply};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{CacheLookup, Client, FailedCall, dropped_question_error, into_reply};
use crate::cache::Lease;
use crate::{CacheEntry, CacheKey, CallError, Fault, ModelRequest};

/// Bytes of the texts of one request.
const MOST_BYTES: usize = 100_000;

/// How long texts wait for company.
const GATHERING: Duration = Duration::from_millis(10);

/// A text that is to be asked for.
struct PendingEmbedding {
    at: usize,
    request: ModelRequest,
    key: CacheKey,
    lease: Option<Lease>,
}

impl Client {
    /// The vectors of these texts, as the JSON of their numbers; one reply for each, in their order.
    pub fn embed(&self, texts: &[String]) -> Vec<ModelReply> {
        self.0
            .shared
            .block_on(self.vectors(texts))
            .unwrap_or_else(|| vec![dropped_question_error().reply(); texts.len()])
    }

    /// The same for whoever waits in the runtime.
    pub(crate) async fn vectors(&self, texts: &[String]) -> Vec<ModelReply> {
        let replies = self.embed_all(texts).await;
        replies.into_iter().map(|reply| reply.unwrap_or_else(|| dropped_question_error().reply())).collect()
    }

    async fn embed_all(&self, texts: &[String]) -> Vec<Option<ModelReply>> {
        let mut replies: Vec<Option<ModelReply>> = vec![None; texts.len()];
        let Some(handle) = self.0.shared.handle() else { return replies };
        let mut claims = JoinSet::new();
        for (at, text) in texts.iter().enumerate() {
            let (client, text) = (self.clone(), text.clone());
            claims.spawn_on(async move { (at, client.claim_text(at, &text).await) }, handle);
        }
        let mut tasks = JoinSet::new();
        let mut gathered: Vec<PendingEmbedding> = Vec::new();
        let most = self.0.name.provider.dialect().most_vectors().max(1);
        // Whoever waits for the lease of somebody else must not keep others from being asked: two that wait for each other would
        // wait for ever.
        loop {
            let next = match timeout(GATHERING, claims.join_next()).await {
                Ok(None) => break,
                Ok(Some(ended)) => ended.ok(),
                Err(_) => None,
            };
            let is_gathered = match next {
                Some((_, Ok(Ok(part)))) => {
                    gathered.push(part);
                    let bytes: usize = gathered.iter().map(|part| part.request.embedding_text().len()).sum();
                    gathered.len() >= most || bytes >= MOST_BYTES
                }
                Some((at, Ok(Err(reply)))) => {
                    put(&mut replies, at, *reply);
                    false
                }
                Some((at, Err(error))) => {
                    put(&mut replies, at, into_reply(self.count_outcome(Err(error.into()))));
                    false
                }
                None => true,
            };
            if is_gathered && !gathered.is_empty() {
                let (client, list) = (self.clone(), std::mem::take(&mut gathered));
                tasks.spawn_on(async move { client.ask_list(list).await }, handle);
            }
        }
        if !gathered.is_empty() {
            let client = self.clone();
            tasks.spawn_on(async move { client.ask_list(gathered).await }, handle);
        }
        while let Some(ended) = tasks.join_next().await {
            for (at, reply) in ended.unwrap_or_default() {
                put(&mut replies, at, reply);
            }
        }
        replies
    }

    /// What the record says about a text: its reply, or that it is to be asked for.
    async fn claim_text(&self, at: usize, text: &str) -> Result<Result<PendingEmbedding, Box<ModelReply>>, CallError> {
        let question = ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() };
        let request = self.request(&question, 0)?;
        let key = CacheKey::from_request(&self.redacted_request(&request));
        Ok(match self.claim(key).await? {
            CacheLookup::NotFound(lease) => Ok(PendingEmbedding { at, request, key, lease }),
            CacheLookup::Found(answered) => Err(Box::new(into_reply(self.count_outcome(Ok(*answered))))),
        })
    }

    /// Asks for a list. What is wrong with one text must not be the end of the others: they are asked for one by one then.
    async fn ask_list(&self, list: Vec<PendingEmbedding>) -> Vec<(usize, ModelReply)> {
        let requests: Vec<ModelRequest> = list.iter().map(|item| item.request.clone()).collect();
        let Some(key) = list.first().map(|item| item.key) else { return Vec::new() };
        match self.send_requests(&requests, key, None, CallPurpose::Embedding).await {
            Ok(entries) => {
                let mut replies = Vec::with_capacity(list.len());
                for (item, entry) in list.into_iter().zip(entries) {
                    replies.push((item.at, self.finish(item.lease, Ok(entry)).await));
                }
                replies
            }
            Err(FailedCall {
                error: CallError::Provider { fault: Fault::BadRequest | Fault::Moderated | Fault::Forbidden, .. },
                ..
            }) if list.len() > 1 => {
                let mut replies = Vec::with_capacity(list.len());
                for item in list {
                    let result = self
                        .send_requests(std::slice::from_ref(&item.request), item.key, None, CallPurpose::Embedding)
                        .await;
                    let entry =
                        result.and_then(|mut entries| entries.pop().ok_or_else(|| dropped_question_error().into()));
                    replies.push((item.at, self.finish(item.lease, entry).await));
                }
                replies
            }
            Err(error) => {
                let mut replies = Vec::with_capacity(list.len());
                for item in list {
                    replies.push((item.at, self.finish(item.lease, Err(error.clone())).await));
                }
                replies
            }
        }
    }

    async fn finish(&self, lease: Option<Lease>, entry: Result<CacheEntry, FailedCall>) -> ModelReply {
        let outcome = match entry {
            Ok(entry) => {
                let request = self.redacted_request(&entry.request);
                self.store_reply(lease, CacheEntry { request, ..entry }).await.map_err(Into::into)
            }
            Err(error) => Err(error),
        };
        into_reply(self.count_outcome(outcome))
    }
}

fn put(replies: &mut [Option<ModelReply>], at: usize, reply: ModelReply) {
    if let Some(place) = replies.get_mut(at) {
        *place = Some(reply);
    }
}
