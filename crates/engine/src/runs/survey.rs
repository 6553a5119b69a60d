//! A look at the cases before a run: how many there are, what the prompts will hold, what the cases expect.

use std::collections::BTreeSet;
use std::io;

use probare_core::{Case, Event, Field, Message, MessagePart, Problem, Sink};

use super::prompt::{self, GenerationPrompt};
use crate::expectations;
use probare_metrics::agents::end_state::state_conditions;

/// Problems that are kept; all are counted.
const SHOWN: usize = 20;

/// What was seen of a data set.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    /// What models are asked.
    pub prompts: &'a [GenerationPrompt],
    /// Most cases that are looked at.
    pub limit: Option<u64>,
    /// Whether models under test are agents, whose cases may expect a state.
    pub has_agent: bool,
    pub cases: u64,
    /// Bytes of what is asked with each of the prompts.
    pub asked: Vec<u64>,
    /// Bytes of queries, contexts and references: what judges are shown beside the response.
    pub shown: u64,
    /// Bytes of the responses in the file.
    pub responses: u64,
    /// The first case with tools.
    pub tools: Option<String>,
    /// Whether any case says what it expects.
    pub expects: bool,
    /// Metrics of which something is expected.
    pub expected: BTreeSet<String>,
    /// What is wrong with what a case expects: the first.
    pub wrong: Option<(String, String)>,
    /// Rows that cannot be read: the first of them.
    pub problems: Vec<Problem>,
    /// What the cases have that a prompt may want.
    pub names: BTreeSet<String>,
    /// Names in the prompts that some case has.
    pub filled: BTreeSet<&'a str>,
}

impl<'a> Survey<'a> {
    /// Names in a prompt that no case has.
    pub fn unknown_variables(&self) -> impl Iterator<Item = (&'a GenerationPrompt, &'a str)> {
        let prompts = self.prompts.iter().filter(|_| self.cases > 0);
        let names = prompts.flat_map(|prompt| prompt.names().map(move |name| (prompt, name)));
        names.filter(|(_, name)| !self.filled.contains(name))
    }

    fn add_case(&mut self, case: &Case) {
        self.cases += 1;
        for name in self.prompts.iter().flat_map(GenerationPrompt::names) {
            if !self.filled.contains(name) && prompt::has(case, name) {
                self.filled.insert(name);
            }
        }
        if !self.prompts.is_empty() {
            prompt::add_names(case, &mut self.names);
        }
        let length = |text: Option<&str>| text.map_or(0, str::len) as u64;
        let passages = case.context.iter().flatten().map(|passage| passage.text.len() as u64).sum::<u64>();
        self.shown += length(case.query.as_deref()) + length(case.text(Field::Reference, None)) + passages;
        self.responses += length(case.text(Field::Response, None));
        // About as long as they are sent.
        let tools =
            case.tools.as_ref().map_or(0, |tools| serde_json::to_string(tools).map_or(0, |text| text.len())) as u64;
        self.asked.resize(self.prompts.len(), 0);
        for (asked, prompt) in self.asked.iter_mut().zip(self.prompts) {
            if let Ok(messages) = prompt.messages(case) {
                *asked += messages.iter().map(message_size).sum::<u64>() + tools;
            }
        }
        if self.tools.is_none() && case.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
            self.tools = Some(case.id.clone());
        }
        if let Err(reason) = state_conditions(&case.metadata)
            && self.has_agent
        {
            self.wrong.get_or_insert((case.id.clone(), reason));
        }
        if expectations::has_expectations(case) {
            self.expects = true;
            match expectations::read(case) {
                Ok(list) => self.expected.extend(list.into_iter().map(|one| one.metric)),
                Err(reason) => {
                    self.wrong.get_or_insert((case.id.clone(), reason));
                }
            }
        }
    }
}

/// Bytes of a message, roughly.
fn message_size(message: &Message) -> u64 {
    let of_part = |part: &MessagePart| match part {
        MessagePart::Text { text } | MessagePart::ToolResult { text, .. } => text.len(),
        MessagePart::ToolCall(call) => call.name.len() + call.arguments.to_string().len(),
        MessagePart::Image(_) => 0,
    };
    (message.text.len() + message.parts.iter().map(of_part).sum::<usize>()) as u64
}

impl Sink for Survey<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(result) if self.limit.is_none_or(|limit| self.cases < limit) => self.add_case(&result.case),
            Event::Problem(problem) if problem.lost && self.problems.len() < SHOWN => {
                self.problems.push((*problem).clone());
            }
            _ => {}
        }
        Ok(())
    }
}
