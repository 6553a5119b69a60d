//! [`Session`]: one sample of an agent, from its first question to the state that it leaves behind.

use probare_core::{
    AgentConversation, Case, ChatRequest, ErrorKind, Message, MessagePart, Program, ProgramResult, ProgramStep,
    ReplyContent, ResponseCost, Role, ScoreError, Sha256, StepResult, ToolCall, Usage,
};
use probare_metrics::agents::end_state::{StateCondition, state_conditions};
use probare_models::{CallReply, Client};
use probare_report::number::count_with_noun;
use serde_json::{Value as Json, json};

use super::state::WorkingState;
use super::tool_result::ToolResult;
use super::tools::{CallFault, LiveTools, keep, recall};
use super::user::SimulatedUser;
use super::{AgentBackend, to_case_message};
use crate::CallResult;

/// What a sample comes to, for now.
pub(crate) enum AgentStep {
    /// A model is asked: which one, what, in which repetition.
    Ask(Client, ChatRequest, u32),
    /// It has its answer.
    Answered(Box<AgentOutcome>),
    /// It has none; what was said until then is there all the same, where anything was.
    Failed(ScoreError, Option<Box<AgentOutcome>>),
}

/// What was said and done, and what it took.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentOutcome {
    pub answer: String,
    /// The model that gave the answer in place of the one that was asked.
    pub answered_by: Option<String>,
    pub conversation: AgentConversation,
    pub spent: ResponseCost,
}

/// Whose reply is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Model,
    User,
}

/// A sample under way.
pub(super) struct Session {
    /// Who it is, for the record.
    identity: String,
    first: ChatRequest,
    /// Whether the case holds the question among its messages, which is then no part of what came after them.
    holds_question: bool,
    conditions: Vec<StateCondition>,
    /// What is still to be said in a script.
    script: Vec<String>,
    /// Everything so far, as models see it.
    messages: Vec<Message>,
    /// Whose reply comes next.
    awaited: Speaker,
    /// Replies of before this attempt, and those that were looked at.
    base: usize,
    seen: usize,
    /// All calls of tools.
    calls: Vec<ProgramStep>,
    /// The tools that run, with the state that they work on; nothing while everything is recorded.
    live: Option<(WorkingState, LiveTools)>,
    steps: u32,
    spent: ResponseCost,
    answered_by: Option<String>,
}

/// Why a session does not go on as it is.
enum Halt {
    /// Something is not recorded: it begins again, with tools that run.
    Restart,
    Error(ScoreError),
}

impl From<ScoreError> for Halt {
    fn from(error: ScoreError) -> Self {
        Self::Error(error)
    }
}

fn failed(kind: ErrorKind, reason: impl Into<String>) -> ScoreError {
    ScoreError::other(kind, reason.into())
}

impl Session {
    pub fn begin(
        agent: &AgentBackend,
        case: &Case,
        client: &Client,
        mut first: ChatRequest,
        base: usize,
    ) -> Result<Self, ScoreError> {
        first.parameters.tools.splice(0..0, agent.tools().iter().cloned());
        let key = case.sample.unwrap_or_default();
        let seed = agent.seed.as_ref().map(|seed| &seed.digest);
        let conditions = state_conditions(&case.metadata).map_err(|reason| failed(ErrorKind::Failed, reason))?;
        let conditions = conditions.unwrap_or_default();
        let checked = match &agent.seed {
            Some(seed) => seed.check(&conditions),
            None if conditions.contains(&StateCondition::Unchanged) => {
                Err("`unchanged` needs a seed to compare with (`agent.state.seed`)".to_owned())
            }
            None => Ok(()),
        };
        checked.map_err(|reason| failed(ErrorKind::Failed, reason))?;
        // The model by its name in the project, so that a recorded sample is found whoever answers in its place.
        let identity =
            json!([agent.tools.digest, seed, case.id, key.occurrence, client.name(), first.messages, key.repeat]);
        let question = first.messages.last().map(|message| message.text.as_str());
        let holds_question = case.asked_messages().last().is_some_and(|last| last.spoken_text().as_deref() == question);
        let script = match &agent.user {
            Some(SimulatedUser::Script(field)) => SimulatedUser::script(case, field)?,
            _ => Vec::new(),
        };
        let mut session = Self {
            identity: Sha256::hex_digest(identity.to_string().as_bytes()),
            messages: Vec::new(),
            first,
            holds_question,
            conditions,
            script,
            awaited: Speaker::Model,
            base,
            seen: base,
            calls: Vec::new(),
            live: None,
            steps: 0,
            spent: ResponseCost::default(),
            answered_by: None,
        };
        session.reset(base);
        if agent.options.again {
            session.run_tools(agent)?;
        }
        Ok(session)
    }

    /// Begins again; replies of before do not count.
    fn reset(&mut self, base: usize) {
        self.messages = self.first.messages.clone();
        (self.base, self.seen, self.steps, self.spent) = (base, base, 0, ResponseCost::default());
        self.spent.latency_ms = Some(0);
        self.calls.clear();
        self.awaited = Speaker::Model;
    }

    /// From here on tools run, on a fresh state.
    fn run_tools(&mut self, agent: &AgentBackend) -> Result<(), ScoreError> {
        let made = WorkingState::from_seed(agent.seed.as_ref());
        let state = made.map_err(|error| failed(ErrorKind::Failed, format!("the state cannot be made: {error}")))?;
        self.live = Some((state, LiveTools::default()));
        Ok(())
    }

    /// Takes the replies that are new, and says what is next.
    pub fn advance(&mut self, agent: &AgentBackend, case: &Case, client: &Client, replies: &[CallResult]) -> AgentStep {
        loop {
            match self.next(agent, case, client, replies) {
                Ok(step) => return step,
                Err(Halt::Restart) => {
                    self.reset(replies.len());
                    if let Err(error) = self.run_tools(agent) {
                        return AgentStep::Failed(error, None);
                    }
                }
                Err(Halt::Error(error)) => {
                    let outcome =
                        (self.messages.len() > self.first.messages.len()).then(|| Box::new(self.outcome(None)));
                    return AgentStep::Failed(error, outcome);
                }
            }
        }
    }

    fn next(
        &mut self,
        agent: &AgentBackend,
        case: &Case,
        client: &Client,
        replies: &[CallResult],
    ) -> Result<AgentStep, Halt> {
        while let Some(reply) = replies.get(self.seen) {
            self.seen += 1;
            let reply = reply.as_ref().map_err(|error| {
                error.reply().response_text().err().unwrap_or_else(|| failed(ErrorKind::Failed, error.to_string()))
            })?;
            let is_over = match self.awaited {
                Speaker::Model => self.take_model_reply(agent, reply)?,
                Speaker::User => self.take_user_reply(agent, reply)?,
            };
            if is_over {
                return self.finish(agent);
            }
        }
        let repeat = case.sample.unwrap_or_default().repeat;
        // Nobody has spoken yet: there is a user who begins.
        let is_unasked =
            self.conversation().iter().all(|message| message.role != Role::User || message.text.trim().is_empty());
        match &agent.user {
            Some(SimulatedUser::Script(_)) if is_unasked && !self.say_from_script() => {
                let reason = "there is no question, and the user of the script says nothing";
                return Err(failed(ErrorKind::Missing, reason).into());
            }
            Some(SimulatedUser::Model { .. }) if is_unasked => self.awaited = Speaker::User,
            _ => {}
        }
        if let (Speaker::User, Some(SimulatedUser::Model { persona, goal, stop, .. })) = (self.awaited, &agent.user) {
            let question = SimulatedUser::question((persona, goal, stop), case, self.conversation())?;
            let user = agent.user_client.clone().ok_or_else(|| failed(ErrorKind::Failed, "nobody plays the user"))?;
            return Ok(AgentStep::Ask(user, question, repeat));
        }
        self.check_limits(agent)?;
        let question = ChatRequest { messages: self.messages.clone(), ..self.first.clone() };
        Ok(AgentStep::Ask(client.clone(), question, repeat))
    }

    /// The messages of the conversation, without instructions and examples.
    fn conversation(&self) -> &[Message] {
        let own = self.first.messages.len().saturating_sub(1);
        self.messages.get(own..).unwrap_or_default()
    }

    fn check_limits(&self, agent: &AgentBackend) -> Result<(), ScoreError> {
        let config = &agent.config;
        let Usage { input_tokens, output_tokens, .. } = self.spent.usage;
        let (tokens, milliseconds) = (input_tokens + output_tokens, self.spent.latency_ms.unwrap_or_default());
        if self.steps >= config.steps() {
            let steps = count_with_noun(config.steps().into(), "step", "steps");
            let reason = format!("no answer after {steps} (`agent.max_steps`)");
            return Err(failed(ErrorKind::StepLimit, reason));
        }
        if let Some(most) = config.max_tokens.filter(|most| tokens >= *most) {
            return Err(failed(
                ErrorKind::TokenLimit,
                format!("no answer after {tokens} tokens, {most} are allowed (`agent.max_tokens`)"),
            ));
        }
        if let (Some(most), Some(cost)) = (config.max_cost_usd, self.spent.cost_usd)
            && cost >= most
        {
            let reason = format!("no answer after {cost:.4} US dollars, {most} are allowed (`agent.max_cost_usd`)");
            return Err(failed(ErrorKind::CostLimit, reason));
        }
        if let Some(most) = config.timeout.filter(|most| milliseconds as f64 >= most * 1000.0) {
            let seconds = milliseconds as f64 / 1000.0;
            let reason = format!("no answer after {seconds:.1} s, {most} s are allowed (`agent.timeout`)");
            return Err(failed(ErrorKind::TimedOut, reason));
        }
        Ok(())
    }

    /// Takes a reply of the model; whether the sample is over.
    fn take_model_reply(&mut self, agent: &AgentBackend, reply: &CallReply) -> Result<bool, Halt> {
        let entry = &reply.entry;
        self.steps += 1;
        self.spent.usage = self.spent.usage.plus(entry.reply.usage.unwrap_or_default());
        if let Some(cost) = entry.cost_in_all() {
            *self.spent.cost_usd.get_or_insert_default() += cost;
        }
        self.add_time(entry.latency_ms);
        self.answered_by = reply.answered_by.clone().or(self.answered_by.take());
        let ReplyContent::Text(text) = &entry.reply.content else {
            return Err(entry
                .reply
                .response_text()
                .err()
                .unwrap_or_else(|| failed(ErrorKind::Failed, "there is no answer"))
                .into());
        };
        let mut calls: Vec<ToolCall> = entry.reply.tool_calls().cloned().collect();
        // A result is known by the id of its call, and not every provider gives one.
        for (at, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
            call.id = format!("call_{}", self.calls.len() + at + 1);
        }
        let said =
            calls.iter().cloned().map(MessagePart::ToolCall).fold(Message::assistant(text.clone()), Message::with_part);
        self.messages.push(said);
        if calls.is_empty() {
            return Ok(match &agent.user {
                None => true,
                Some(SimulatedUser::Script(_)) => !self.say_from_script(),
                Some(SimulatedUser::Model { .. }) => {
                    self.awaited = Speaker::User;
                    false
                }
            });
        }
        for call in calls {
            let ToolResult { text, is_error } = self.call(agent, &call)?.cut();
            let result = MessagePart::ToolResult { id: call.id, name: call.name, text, is_error };
            self.messages.push(Message::new(Role::Tool, "").with_part(result));
        }
        Ok(false)
    }

    /// The user says what is next in the script; whether there was anything.
    fn say_from_script(&mut self) -> bool {
        let said = self
            .conversation()
            .iter()
            .filter(|message| message.role == Role::User && !message.text.trim().is_empty())
            .count();
        // The question of the case comes before the script.
        let asked = self.first.messages.last().is_some_and(|message| !message.text.trim().is_empty());
        let Some(text) = self.script.get(said - usize::from(asked).min(said)).cloned() else { return false };
        self.put_user_message(text);
        true
    }

    /// Takes a reply of the model that plays the user; whether the conversation is over.
    fn take_user_reply(&mut self, agent: &AgentBackend, reply: &CallReply) -> Result<bool, Halt> {
        let text = reply
            .entry
            .reply
            .response_text()
            .map_err(|error| failed(error.kind(), format!("the model that plays the user: {error}")))?;
        let Some(SimulatedUser::Model { stop, .. }) = &agent.user else { return Ok(true) };
        self.awaited = Speaker::Model;
        if let Some((before, _)) = text.split_once(stop.as_str()) {
            if self.messages.iter().any(|message| message.role == Role::Assistant) || before.trim().is_empty() {
                return Ok(true);
            }
            self.put_user_message(before.trim().to_owned());
            return Ok(false);
        }
        self.put_user_message(text.trim().to_owned());
        Ok(false)
    }

    fn put_user_message(&mut self, text: String) {
        // The place of a question that is not there.
        match self.messages.last_mut().filter(|message| message.role == Role::User && message.text.trim().is_empty()) {
            Some(empty) => empty.text = text,
            None => self.messages.push(Message::user(text)),
        }
    }

    fn add_time(&mut self, milliseconds: u64) {
        let sum = self.spent.latency_ms.unwrap_or_default().saturating_add(milliseconds);
        self.spent.latency_ms = Some(sum);
    }

    /// What the record knows a question to the tools by: the sample, and all calls up to it.
    fn question(&self, wanted: Vec<String>) -> Program {
        Program {
            files: vec![("sample".to_owned(), self.identity.clone())],
            steps: self.calls.clone(),
            wanted,
            ..Program::default()
        }
    }

    /// Calls a tool, or recalls what it gave.
    fn call(&mut self, agent: &AgentBackend, call: &ToolCall) -> Result<ToolResult, Halt> {
        self.calls.push(ProgramStep {
            command: vec![call.name.clone()],
            input: call.arguments.to_string(),
            milliseconds: 0,
        });
        let question = self.question(Vec::new());
        let unusable = |reason: String| Halt::Error(failed(ErrorKind::Failed, reason));
        let is_recalled = self.live.is_none() || (!agent.tools.is_local(&call.name) && !agent.options.again);
        if is_recalled && let Some(ran) = recall(&agent.record, &question).map_err(unusable)? {
            let step = ran.steps.into_iter().next().unwrap_or_default();
            self.add_time(milliseconds(step.seconds));
            return Ok(ToolResult { text: step.output, is_error: step.code != Some(0) });
        }
        let Some((state, live)) = &mut self.live else {
            if agent.options.offline {
                let reason = format!("the result of call {} (`{}`) is not recorded", self.calls.len(), call.name);
                return Err(failed(ErrorKind::Missing, reason).into());
            }
            let (_, before) = self.calls.split_last().unwrap_or((&ProgramStep::default(), &[]));
            let before = before.to_vec();
            self.begin_to_run(agent, &before)?;
            self.calls.pop();
            return self.call(agent, call);
        };
        let launcher = if agent.tools.is_local(&call.name) { Some(agent.launcher().map_err(unusable)?) } else { None };
        let began = std::time::Instant::now();
        let result = agent.tools.call(&call.name, &call.arguments, launcher, (live, &state.path()));
        let seconds = began.elapsed().as_secs_f64();
        let result = result.map_err(|fault| match fault {
            _ if probare_cancellation::should_stop() => failed(ErrorKind::Cancelled, "the run was ended"),
            CallFault::Missing(reason) => failed(ErrorKind::Missing, reason),
            CallFault::Failed(reason) => failed(ErrorKind::Failed, reason),
        })?;
        self.add_time(milliseconds(seconds));
        let code = Some(i32::from(result.is_error));
        let step = StepResult { code, output: result.text.clone(), seconds, ..StepResult::default() };
        keep(&agent.record, &question, &ProgramResult { steps: vec![step], ..ProgramResult::default() })
            .map_err(unusable)?;
        Ok(result)
    }

    /// From here on tools run; the sample begins again where some of these calls would have changed the state.
    fn begin_to_run(&mut self, agent: &AgentBackend, before: &[ProgramStep]) -> Result<(), Halt> {
        let has_changed = before.iter().flat_map(|call| &call.command).any(|name| agent.tools.is_local(name));
        if has_changed { Err(Halt::Restart) } else { Ok(self.run_tools(agent)?) }
    }

    /// The end: what is found of the state.
    fn finish(&mut self, agent: &AgentBackend) -> Result<AgentStep, Halt> {
        if self.conditions.is_empty() {
            return Ok(AgentStep::Answered(Box::new(self.outcome(None))));
        }
        let unusable = |reason: String| Halt::Error(failed(ErrorKind::Failed, reason));
        let conditions = format!("{:?}", self.conditions);
        let question = self.question(vec!["state".to_owned(), Sha256::hex_digest(conditions.as_bytes())]);
        if let Some((state, live)) = &mut self.live {
            // Servers end before it is looked at what they left.
            *live = LiveTools::default();
            let found = serde_json::to_value(state.findings(&self.conditions)).unwrap_or_default();
            let files = vec![("state".to_owned(), found.to_string())];
            keep(&agent.record, &question, &ProgramResult { files, ..ProgramResult::default() }).map_err(unusable)?;
            return Ok(AgentStep::Answered(Box::new(self.outcome(Some(found)))));
        }
        let recalled = recall(&agent.record, &question).map_err(unusable)?;
        let found = recalled.and_then(|ran| serde_json::from_str(&ran.files.first()?.1).ok());
        match found {
            Some(found) => Ok(AgentStep::Answered(Box::new(self.outcome(Some(found))))),
            None if agent.options.offline => {
                Err(failed(ErrorKind::Missing, "what was found of the state is not recorded for these conditions")
                    .into())
            }
            None => {
                self.begin_to_run(agent, &self.calls.clone())?;
                self.finish(agent)
            }
        }
    }

    fn outcome(&self, state: Option<Json>) -> AgentOutcome {
        let said = self.conversation();
        let answer = said.iter().rev().find(|message| message.role == Role::Assistant);
        AgentOutcome {
            answer: answer.map(|message| message.text.clone()).unwrap_or_default(),
            answered_by: self.answered_by.clone(),
            conversation: AgentConversation {
                messages: said.iter().skip(usize::from(self.holds_question)).map(to_case_message).collect(),
                state,
            },
            spent: self.spent,
        }
    }
}

fn milliseconds(seconds: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a tool are few and positive"
    )]
    let milliseconds = (seconds * 1000.0).round().max(0.0) as u64;
    milliseconds
}
