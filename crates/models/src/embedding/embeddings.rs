//! [`Embeddings`]: answers the texts that metrics want as vectors, by the model that they name.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use probare_core::{BackendAnswer, BuildError, ErrorKind, ModelRecord, ModelReply, Submission, Trust};
use probare_minilm::{LOCAL_MODELS, LocalModel, MiniLm, ModelError, models_folder};

use super::vector_cache::VectorCache;
use crate::dialects::read_vector;
use crate::{Client, GeneratorType, ModelContext, ModelName, ModelSettings};

/// Vectors that are remembered: 30 MB of them. What is not remembered is computed again.
const REMEMBERED: usize = 20_000;
/// Bytes of a text that is remembered: a server would otherwise keep whatever it was sent.
const LONGEST_REMEMBERED: usize = 4096;

/// Gives vectors: of `all-MiniLM-L6-v2` by computing them, of `provider:model` or a model that is set up by asking its
/// server. A vector of a server goes into the record of replies by the content of its text and is not asked for again; one
/// that was computed is kept beside the model. Servers are asked on the terms of all other models of the run.
pub struct Embeddings {
    local: OnceLock<Result<MiniLm, ModelError>>,
    vector_cache: OnceLock<Option<VectorCache>>,
    remembered: Mutex<HashMap<String, Arc<[f32]>>>,
    servers: Mutex<BTreeMap<String, Client>>,
    settings: Vec<ModelSettings>,
    shared: ModelContext,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Embeddings {
    /// With models that are set up under names of their own, and what all models of the run share. Nothing is opened before
    /// it is wanted.
    pub fn new(settings: Vec<ModelSettings>, shared: ModelContext) -> Self {
        Self {
            local: OnceLock::new(),
            vector_cache: OnceLock::new(),
            remembered: Mutex::default(),
            servers: Mutex::default(),
            settings,
            shared,
        }
    }

    /// Vectors that were computed before; whoever checks a finished run computes them anew.
    fn vector_cache(&self, model: &LocalModel) -> Option<&VectorCache> {
        if self.shared.trust() == Trust::RecordedOnly {
            return None;
        }
        let open = || VectorCache::open(model, &model.folder(&models_folder().ok()?));
        self.vector_cache.get_or_init(open).as_ref()
    }

    fn local(&self) -> Result<&MiniLm, &ModelError> {
        self.local.get_or_init(MiniLm::open).as_ref()
    }

    /// The server of a model; opened when it is first wanted.
    fn server(&self, model: &str) -> Result<Client, BuildError> {
        if let Some(client) = locked(&self.servers).get(model) {
            return Ok(client.clone());
        }
        let set_up = self.settings.iter().find(|settings| settings.name == model).cloned();
        // What looks like `provider:model` is told with the providers that there are.
        if set_up.is_none() && !model.contains(':') && ModelName::parse(model).is_err() {
            return Err(BuildError::Options(no_provider(model)));
        }
        let settings = ModelSettings {
            generator_type: Some(GeneratorType::Embedding),
            ..set_up.unwrap_or_else(|| ModelSettings::from_name(model))
        };
        let client = Client::open(settings, &self.shared).map_err(|error| BuildError::Options(error.to_string()))?;
        locked(&self.servers).insert(model.to_owned(), client.clone());
        Ok(client)
    }

    fn embed_locally(&self, named: &LocalModel, model: &MiniLm, texts: &[String]) -> Vec<BackendAnswer> {
        let mut known: Vec<Option<Arc<[f32]>>> = {
            let remembered = locked(&self.remembered);
            texts.iter().map(|text| remembered.get(text).cloned()).collect()
        };
        let cache = self.vector_cache(named);
        if let Some(cache) = cache {
            for (text, vector) in texts.iter().zip(&mut known).filter(|(_, vector)| vector.is_none()) {
                *vector = cache.find(text).map(Into::into);
            }
        }
        let missing: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, vector)| vector.is_none()).map(|(text, _)| text.as_str()).collect();
        // Cases are scored on many threads already.
        let vectors = model.embed(&missing, 1);
        if let Some(cache) = cache.filter(|_| !missing.is_empty()) {
            cache.store(missing.iter().copied().zip(vectors.iter().map(Vec::as_slice)));
        }
        let mut remembered = locked(&self.remembered);
        for (text, vector) in missing.into_iter().zip(&vectors) {
            if remembered.len() < REMEMBERED && text.len() <= LONGEST_REMEMBERED {
                remembered.insert(text.to_owned(), vector.as_slice().into());
            }
        }
        drop(remembered);
        let mut vectors = vectors.into_iter();
        let mut next = || vectors.next().unwrap_or_default();
        known
            .into_iter()
            .map(|vector| BackendAnswer::Vector(vector.map_or_else(&mut next, |known| known.to_vec())))
            .collect()
    }
}

impl Embeddings {
    /// One vector for each text, in their order.
    pub fn embed(&self, model: &str, texts: &[String]) -> Vec<BackendAnswer> {
        let failed = |reason: String| vec![BackendAnswer::Failed { kind: ErrorKind::Missing, reason }; texts.len()];
        if let Ok(named) = LocalModel::from_name(model) {
            return match self.local() {
                Ok(model) => self.embed_locally(named, model, texts),
                Err(error) => failed(error.to_string()),
            };
        }
        match self.server(model) {
            Ok(client) => client.embed(texts).iter().map(vector).collect(),
            Err(error) => failed(error.to_string()),
        }
    }

    /// The same, without waiting where a server is asked.
    pub(crate) fn submit(&self, model: &str, texts: Vec<String>) -> Submission {
        if LocalModel::from_name(model).is_err()
            && let Ok(client) = self.server(model)
            && let Some(handle) = self.shared.handle().cloned()
        {
            return Submission::Pending(Box::new(move |sender| {
                handle.spawn(async move { sender(client.vectors(&texts).await.iter().map(vector).collect()) });
            }));
        }
        Submission::Answered(self.embed(model, &texts))
    }

    /// What identifies a model that is computed here.
    pub fn digest(model: &str) -> Option<String> {
        LocalModel::from_name(model).ok().map(LocalModel::digest)
    }

    /// What decides the vectors of the servers that were opened.
    pub fn servers(&self) -> Vec<ModelRecord> {
        locked(&self.servers).values().map(Client::model_used).collect()
    }

    /// Whether vectors of this model can be had; nothing is sent.
    pub fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        let Ok(known) = LocalModel::from_name(model) else { return self.server(model).map(|_| ()) };
        self.local().map(|_| ()).map_err(|error| BuildError::Missing {
            what: match error {
                ModelError::NotFetched { .. } => format!("the model `{model}`"),
                other => format!("a usable model `{model}` ({other})"),
            },
            remedy: known.remedy(),
        })
    }
}

/// What is said of a model that is not computed here, and of which nobody says where it is.
fn no_provider(model: &str) -> String {
    let local: Vec<&str> = LOCAL_MODELS.iter().map(|known| known.name).collect();
    // A misspelt name of a model of ours is told as such.
    let similar = match LocalModel::from_name(model) {
        Err(ModelError::Unknown { similar: Some(similar), .. }) => format!("; a similar name exists: `{similar}`"),
        _ => String::new(),
    };
    format!(
        "no embedding server is named for `{model}`, and it is not computed here (only {} is): set up a model with `name: {model}` and \
         the `base_url` of a server that has it, or write `provider:model`, for example `vllm:{model}`{similar}",
        local.join(", ")
    )
}

/// The vector that a server gave.
fn vector(reply: &ModelReply) -> BackendAnswer {
    let failed = |kind, reason| BackendAnswer::Failed { kind, reason };
    match reply.response_text() {
        Ok(text) => match read_vector(text) {
            Ok(vector) => BackendAnswer::Vector(vector),
            Err(reason) => failed(ErrorKind::Unparseable, reason),
        },
        Err(error) => failed(error.kind(), error.to_string()),
    }
}
