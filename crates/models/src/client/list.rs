//! Vectors in lists: many texts in one request, each with an entry of its own in the record, under the key that it would have
//! alone.

use std::time::Duration;

use probare_core::{Message, Question, Reply};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Client, Known, dropped, reply_of};
use crate::record::Lease;
use crate::{CallError, Entry, Fault, Key, Request};

/// Bytes of the texts of one request.
const MOST_BYTES: usize = 100_000;

/// How long texts wait for company.
const GATHERING: Duration = Duration::from_millis(10);

/// A text that is to be asked for.
struct Wanted {
    at: usize,
    request: Request,
    key: Key,
    lease: Option<Lease>,
}

impl Client {
    /// The vectors of these texts, as the JSON of their numbers; one reply for each, in their order.
    pub fn embed(&self, texts: &[String]) -> Vec<Reply> {
        let count = texts.len();
        let work = self.embedded(texts);
        let replies = self.0.shared.block(work).unwrap_or_else(|| vec![None; count]);
        replies.into_iter().map(|reply| reply.unwrap_or_else(|| dropped().reply())).collect()
    }

    async fn embedded(&self, texts: &[String]) -> Vec<Option<Reply>> {
        let mut replies: Vec<Option<Reply>> = vec![None; texts.len()];
        let Some(handle) = self.0.shared.handle() else { return replies };
        let mut claims = JoinSet::new();
        for (at, text) in texts.iter().enumerate() {
            let (client, text) = (self.clone(), text.clone());
            claims.spawn_on(async move { (at, client.wanted(at, &text).await) }, handle);
        }
        let mut asked = JoinSet::new();
        let mut gathered: Vec<Wanted> = Vec::new();
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
                Some((_, Ok(Ok(wanted)))) => {
                    gathered.push(wanted);
                    let bytes: usize = gathered.iter().map(|wanted| wanted.request.embedded().len()).sum();
                    gathered.len() >= most || bytes >= MOST_BYTES
                }
                Some((at, Ok(Err(reply)))) => {
                    put(&mut replies, at, *reply);
                    false
                }
                Some((at, Err(error))) => {
                    self.count(&Err(error.clone()));
                    put(&mut replies, at, error.reply());
                    false
                }
                None => true,
            };
            if is_gathered && !gathered.is_empty() {
                let (client, list) = (self.clone(), std::mem::take(&mut gathered));
                asked.spawn_on(async move { client.ask_list(list).await }, handle);
            }
        }
        if !gathered.is_empty() {
            let client = self.clone();
            asked.spawn_on(async move { client.ask_list(gathered).await }, handle);
        }
        while let Some(ended) = asked.join_next().await {
            for (at, reply) in ended.unwrap_or_default() {
                put(&mut replies, at, reply);
            }
        }
        replies
    }

    /// What the record says about a text: its reply, or that it is to be asked for.
    async fn wanted(&self, at: usize, text: &str) -> Result<Result<Wanted, Box<Reply>>, CallError> {
        let question = Question { messages: vec![Message::user(text)], ..Question::default() };
        let request = self.request(&question, 0)?;
        let key = Key::of(&self.kept_request(&request));
        Ok(match self.claim(key).await? {
            Known::Open(lease) => Ok(Wanted { at, request, key, lease }),
            Known::Answered(answered) => {
                let outcome = Ok(*answered);
                self.count(&outcome);
                Err(Box::new(reply_of(outcome)))
            }
        })
    }

    /// Asks for a list. What is wrong with one text must not be the end of the others: they are asked for one by one then.
    async fn ask_list(&self, list: Vec<Wanted>) -> Vec<(usize, Reply)> {
        let requests: Vec<Request> = list.iter().map(|wanted| wanted.request.clone()).collect();
        let Some(key) = list.first().map(|wanted| wanted.key) else { return Vec::new() };
        match self.asked(&requests, key, None).await {
            Ok(entries) => {
                let mut replies = Vec::with_capacity(list.len());
                for (wanted, entry) in list.into_iter().zip(entries) {
                    replies.push((wanted.at, self.finish(wanted.lease, Ok(entry)).await));
                }
                replies
            }
            Err(CallError::Provider { fault: Fault::BadRequest | Fault::Moderated | Fault::Forbidden, .. })
                if list.len() > 1 =>
            {
                let mut replies = Vec::with_capacity(list.len());
                for wanted in list {
                    let asked = self.asked(std::slice::from_ref(&wanted.request), wanted.key, None).await;
                    let entry = asked.and_then(|mut entries| entries.pop().ok_or_else(dropped));
                    replies.push((wanted.at, self.finish(wanted.lease, entry).await));
                }
                replies
            }
            Err(error) => {
                let mut replies = Vec::with_capacity(list.len());
                for wanted in list {
                    replies.push((wanted.at, self.finish(wanted.lease, Err(error.clone())).await));
                }
                replies
            }
        }
    }

    async fn finish(&self, lease: Option<Lease>, entry: Result<Entry, CallError>) -> Reply {
        let outcome = match entry {
            Ok(entry) => {
                let request = self.kept_request(&entry.request);
                self.keep(lease, Entry { request, ..entry }).await
            }
            Err(error) => Err(error),
        };
        self.count(&outcome);
        reply_of(outcome)
    }
}

fn put(replies: &mut [Option<Reply>], at: usize, reply: Reply) {
    if let Some(place) = replies.get_mut(at) {
        *place = Some(reply);
    }
}
