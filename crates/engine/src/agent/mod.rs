//! Agents: a model under test calls tools until it answers, against a state of its own that is looked at afterwards.
//!
//! [`AgentBackend`] is `agent:` of a configuration, opened for a run. A sample is a [`session`] that goes forward whenever a reply
//! has come: it is a function of the replies so far and of what tools gave, so nothing waits on a thread for a model, and
//! whatever is recorded is told again without asking anybody.
//!
//! **What is recorded, and when it counts.** Every call of a tool stands in the response cache, by its sample and by all calls
//! before it; so does what was found of the state. While everything is recorded nothing is started. At the first call that
//! is not, the sample begins again: its state is copied afresh and its own programs (commands, functions, servers over
//! standard streams) run from the first call on, since what they did before went with the process that was ended; models are
//! asked again and answer from the cache, and so do servers over HTTP. So nobody is paid or bothered twice.

mod config;
mod mcp;
mod process;
mod session;
mod state;
mod tool_result;
mod tools;
mod user;

use std::collections::HashMap;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use probare_core::{
    AgentRecord, AgentUserRecord, Case, CaseMessage, CaseMessagePart, CaseToolCall, Message, MessagePart, ModelRecord,
    Role, SampleKey, Sha256, Tool,
};
use probare_models::{CacheFile, Client, ProgramCache};
use probare_sandbox::SandboxChoice;
use serde_json::json;

pub use config::{AgentConfig, McpEntry, RecordedCall, StateEntry, ToolEntry, UserEntry};
pub(crate) use session::{AgentOutcome, AgentStep};

use self::process::Launcher;
use self::session::Session;
use self::state::{Seed, WorkingState};
use self::tools::{ToolAccess, ToolSet};
use self::user::SimulatedUser;
use crate::ModelBackend;

/// Tools that run at once, at most: each has a thread while it does.
pub(crate) const TOOLS_AT_ONCE: usize = 16;

/// What an agent is opened with, beside its configuration.
pub(crate) struct AgentOptions {
    pub record: CacheFile,
    pub sandbox: SandboxChoice,
    /// Only what is recorded counts.
    pub offline: bool,
    /// What is recorded is left aside.
    pub again: bool,
    /// Nothing is started: it is looked what would be.
    pub only_looks: bool,
}

/// The agent of a run.
pub(crate) struct AgentBackend {
    config: AgentConfig,
    options: AgentOptions,
    tools: ToolSet,
    seed: Option<Seed>,
    user: Option<SimulatedUser>,
    user_client: Option<Client>,
    record: ProgramCache,
    launcher: OnceLock<Result<Launcher, String>>,
    sessions: Mutex<HashMap<SampleKey, Session>>,
    /// What decides its samples, as a digest.
    pub digest: String,
}

impl AgentBackend {
    /// Opens an agent: its files are read, its tools are asked what they are, from the record where that knows it.
    pub fn open(config: &AgentConfig, options: AgentOptions, models: &ModelBackend) -> Result<Self, String> {
        let is_writing = !options.offline && !options.only_looks;
        let mut record = ProgramCache::open(&options.record, is_writing).map_err(|error| error.to_string())?;
        for input in &models.inputs {
            let wrong = |error: &dyn std::fmt::Display| format!("`{}` cannot be read: {error}", input.path);
            let file = probare_files::open_plain(&PathBuf::from(&input.path)).map_err(|error| wrong(&error))?;
            record.add_cassette(&mut BufReader::new(file)).map_err(|error| wrong(&error))?;
        }
        let seed = config.state.as_ref().map(|state| Seed::open(&state.seed)).transpose()?;
        let user = config.user.as_ref().map(SimulatedUser::from_config).transpose()?;
        let user_client = match &user {
            Some(SimulatedUser::Model { name, .. }) => {
                let found = models.client(name).cloned();
                Some(found.ok_or_else(|| format!("`agent.user.model` names `{name}`, which is not among `models`"))?)
            }
            _ => None,
        };
        let launcher = OnceLock::new();
        let open_once = || launcher.get_or_init(|| open_launcher(options.sandbox)).as_ref().map_err(Clone::clone);
        let has_programs = config.tools.iter().any(ToolEntry::is_local);
        if has_programs && is_writing && models.inputs.is_empty() {
            // What is missing is told before anything is asked. Where replies are recorded, results may be, too.
            open_once()?;
        }
        let access = ToolAccess {
            launcher: &open_once,
            models: models.shared(),
            record: &record,
            offline: options.offline,
            only_looks: options.only_looks,
            again: options.again,
        };
        let tools = ToolSet::open(config, &access, &|| WorkingState::from_seed(seed.as_ref()))?;
        let user_record = user_client.as_ref().map(|client| client.name().to_owned());
        let limits = json!([config.steps(), config.max_tokens, config.max_cost_usd, config.timeout]);
        let whole = json!([tools.digest, seed.as_ref().map(|seed| &seed.digest), config.user, user_record, limits]);
        let digest = Sha256::hex_digest(whole.to_string().as_bytes());
        Ok(Self {
            config: config.clone(),
            options,
            tools,
            seed,
            user,
            user_client,
            record,
            launcher,
            sessions: Mutex::default(),
            digest,
        })
    }

    /// What the model is told that it may call.
    pub fn tools(&self) -> &[Tool] {
        &self.tools.tools
    }

    /// Most calls of models in one sample: of the model under test, and of the one that plays the user.
    pub fn most_calls(&self) -> (u64, Option<(&str, u64)>) {
        let steps = u64::from(self.config.steps());
        (steps, self.user_client.as_ref().map(|client| (client.name(), steps)))
    }

    /// What a manifest says about it.
    pub fn record(&self) -> AgentRecord {
        let AgentConfig { tools, user, max_tokens, max_cost_usd, timeout, .. } = &self.config;
        let has_programs = tools.iter().any(ToolEntry::is_local);
        AgentRecord {
            sha256: self.digest.clone(),
            tools: self.tools.records(),
            sandbox: has_programs.then(|| self.options.sandbox.name().to_owned()),
            state: self.seed.as_ref().map(|seed| seed.digest.clone()),
            user: user.as_ref().map(|user| AgentUserRecord { model: user.model.clone(), script: user.script.clone() }),
            max_steps: self.config.steps(),
            max_tokens: *max_tokens,
            max_cost_usd: *max_cost_usd,
            timeout: *timeout,
        }
    }

    /// The model that plays the user, for a manifest.
    pub fn user_model(&self) -> Option<ModelRecord> {
        self.user_client.as_ref().map(Client::model_used)
    }

    /// Whether somebody plays the user, and may begin.
    pub const fn has_user(&self) -> bool {
        self.user.is_some()
    }

    fn launcher(&self) -> Result<&Launcher, String> {
        self.launcher.get_or_init(|| open_launcher(self.options.sandbox)).as_ref().map_err(Clone::clone)
    }

    /// Goes on with a sample: `replies` are all that have come for it.
    pub fn advance(
        &self,
        case: &mut Case,
        client: &Client,
        question: impl FnOnce(&Case) -> Result<probare_core::ChatRequest, probare_core::ScoreError>,
        replies: &[crate::CallResult],
    ) -> AgentStep {
        let key = case.sample.unwrap_or_default();
        let taken = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let session = match taken.filter(|_| !replies.is_empty()) {
            Some(session) => Ok(session),
            None => question(case).and_then(|first| Session::begin(self, case, client, first, replies.len())),
        };
        let mut session = match session {
            Ok(session) => session,
            Err(error) => return AgentStep::Failed(error, None),
        };
        let step = session.advance(self, case, client, replies);
        if matches!(step, AgentStep::Ask(..)) {
            self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(key, session);
        }
        step
    }
}

fn open_launcher(sandbox: SandboxChoice) -> Result<Launcher, String> {
    Launcher::open(sandbox).map_err(|error| {
        let remedy = error.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
        format!("tools are run in a sandbox, and {error}{remedy}")
    })
}

/// A message of a conversation as a case holds it.
fn to_case_message(message: &Message) -> CaseMessage {
    let mut said = CaseMessage::new(message.role);
    said.text = Some(message.text.clone()).filter(|text| !text.is_empty() || message.parts.is_empty());
    for part in &message.parts {
        match part {
            MessagePart::ToolCall(call) => said.tool_calls.push(CaseToolCall::from(call)),
            MessagePart::ToolResult { id, name, text, is_error } => {
                said.id = Some(id.clone()).filter(|id| !id.is_empty());
                said.name = Some(name.clone()).filter(|name| !name.is_empty());
                said.text = Some(text.clone());
                said.error = is_error.then_some(probare_core::ToolResultError::Flag);
            }
            MessagePart::Text { text } => said.parts.push(CaseMessagePart::Text { text: text.clone() }),
            MessagePart::Image(image) => {
                let source = Some(image.sha256().to_owned());
                said.parts.push(CaseMessagePart::Other { kind: "image".to_owned(), source });
            }
        }
    }
    if !said.parts.is_empty()
        && message.role != Role::Tool
        && let Some(text) = said.text.take()
    {
        said.parts.insert(0, CaseMessagePart::Text { text });
    }
    said
}
