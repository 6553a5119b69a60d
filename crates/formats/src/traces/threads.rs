//! Which spans belong together: parents, agents above, traces or conversations, and the threads that become cases.

use std::collections::HashMap;

use super::Grouping;
use super::losses::{LossCollector, TraceLossKind};
use super::otlp::Span;
use super::spans::SpanKind;

/// Spans that become one case.
#[derive(Debug)]
pub(super) struct Thread {
    /// The trace or conversation.
    pub group: String,
    /// The agent whose thread it is, where another agent called it.
    pub agent: Option<usize>,
    /// Its spans, in order.
    pub spans: Vec<usize>,
}

/// What is known of spans, which are in order of time.
pub(super) struct Threads {
    pub list: Vec<Thread>,
    /// Kind of each span. A call of a model that encloses further ones is a chain: it repeats what these say.
    pub kinds: Vec<SpanKind>,
    pub parents: Vec<Option<usize>>,
    /// The conversation of each span, where it has one.
    pub conversations: Vec<Option<String>>,
}

/// What is found on the way up from a span.
#[derive(Clone, Copy, Default)]
struct Ancestors {
    /// The nearest agent, the span itself included.
    agent: Option<usize>,
    /// The nearest model, tool or agent, the span itself included.
    nearest: Option<usize>,
    /// The agent in whose thread the span is; the first thread where there is none.
    thread: Option<usize>,
    /// The nearest tool, the span itself included, with no agent between.
    tool: Option<usize>,
}

impl Ancestors {
    /// Those of a span below these, with the span itself.
    fn enter(&mut self, span: usize, kind: SpanKind) {
        match kind {
            SpanKind::Agent => {
                let is_called = self.agent.is_some() || self.tool.is_some();
                self.thread = is_called.then_some(span);
                self.agent = Some(span);
                self.tool = None;
            }
            SpanKind::Tool => self.tool = Some(span),
            _ => {}
        }
        if matches!(kind, SpanKind::Chat | SpanKind::Tool | SpanKind::Agent) {
            self.nearest = Some(span);
        }
    }
}

impl Threads {
    pub fn new(spans: &[Span], grouping: Grouping, lost: &mut LossCollector) -> Self {
        let mut kinds: Vec<SpanKind> = spans.iter().map(Span::kind).collect();
        let parents = parents(spans, &kinds, lost);
        let (above, is_agent) = ancestors(&parents, &mut kinds);
        let conversations = conversations(spans);
        let group = |span: usize| match (grouping, &conversations[span]) {
            (Grouping::Conversation, Some(conversation)) => conversation.clone(),
            _ if spans[span].trace.is_empty() => "unknown".to_owned(),
            _ => spans[span].trace.clone(),
        };
        let mut found: Vec<(Thread, Vec<Thread>)> = Vec::new();
        let mut groups: HashMap<String, usize> = HashMap::new();
        let mut agents: HashMap<usize, (usize, usize)> = HashMap::new();
        for span in 0..spans.len() {
            let own = above[span];
            // What is below such a tool is its thread; the tool itself is its caller's.
            let tool = own.tool.and_then(|tool| thread_of_tool(tool, span, &parents, &above, &is_agent));
            let agent = tool.or(own.thread);
            let name = group(agent.unwrap_or(span));
            let number = *groups.entry(name.clone()).or_insert_with(|| {
                found.push((Thread { group: name.clone(), agent: None, spans: Vec::new() }, Vec::new()));
                found.len() - 1
            });
            let (first, further) = &mut found[number];
            match agent {
                None => first.spans.push(span),
                Some(agent) => {
                    let (_, place) = *agents.entry(agent).or_insert_with(|| {
                        further.push(Thread { group: name, agent: Some(agent), spans: Vec::new() });
                        (number, further.len() - 1)
                    });
                    further[place].spans.push(span);
                }
            }
        }
        let list = found.into_iter().flat_map(|(first, further)| std::iter::once(first).chain(further)).collect();
        Self { list, kinds, parents, conversations }
    }
}

/// What is above each span, and which tools ask a model. A call of a model that encloses further ones becomes a chain.
fn ancestors(parents: &[Option<usize>], kinds: &mut [SpanKind]) -> (Vec<Ancestors>, Vec<bool>) {
    let mut above: Vec<Option<Ancestors>> = vec![None; parents.len()];
    let mut is_agent = vec![false; parents.len()];
    for start in 0..parents.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(span) = at.filter(|span| above[*span].is_none()) {
            path.push(span);
            at = parents[span];
        }
        let mut known = at.and_then(|span| above[span]).unwrap_or_default();
        for span in path.into_iter().rev() {
            let kind = kinds[span];
            if kind == SpanKind::Chat {
                // A tool that asks a model is an agent, whether its span says so or not.
                if let Some(tool) = known.tool {
                    is_agent[tool] = true;
                }
                if let Some(outer) = known.nearest
                    && matches!(kinds[outer], SpanKind::Chat | SpanKind::Chain)
                {
                    kinds[outer] = SpanKind::Chain;
                }
            }
            known.enter(span, kind);
            above[span] = Some(known);
        }
    }
    (above.into_iter().map(Option::unwrap_or_default).collect(), is_agent)
}

/// The nearest tool above a span that asks a model, up to the next agent.
fn thread_of_tool(
    tool: usize,
    span: usize,
    parents: &[Option<usize>],
    above: &[Ancestors],
    is_agent: &[bool],
) -> Option<usize> {
    let mut tool = Some(tool);
    // Tools within tools are few, whatever somebody sends.
    for _ in 0..16 {
        let at = tool?;
        if at != span && is_agent[at] {
            return Some(at);
        }
        tool = parents[at].and_then(|parent| above[parent].tool);
    }
    None
}

/// A span that was walked over.
const DONE: usize = usize::MAX;

/// The parent of each span. One that is not there is told of spans that matter; of a circle the first span is the root.
fn parents(spans: &[Span], kinds: &[SpanKind], lost: &mut LossCollector) -> Vec<Option<usize>> {
    let places: HashMap<(&str, &str), usize> =
        spans.iter().enumerate().map(|(at, span)| ((span.trace.as_str(), span.id.as_str()), at)).collect();
    let mut parents = Vec::with_capacity(spans.len());
    for (span, kind) in spans.iter().zip(kinds) {
        let parent = span.parent.as_deref().map(|parent| places.get(&(span.trace.as_str(), parent)).copied());
        if parent == Some(None) && *kind != SpanKind::None {
            lost.add(TraceLossKind::OrphanSpan, Some(&span.id), None);
        }
        parents.push(parent.flatten());
    }
    // Each span is walked over once: 0 is new, its number on the way, done afterwards.
    let mut state = vec![0; spans.len()];
    for start in 0..spans.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(span) = at.filter(|span| state[*span] == 0) {
            state[span] = start + 1;
            path.push(span);
            at = parents[span];
        }
        if let Some(meeting) = at.filter(|span| state[*span] == start + 1) {
            let circle = path.iter().skip_while(|span| **span != meeting);
            if let Some(first) = circle.min() {
                parents[*first] = None;
                lost.add(TraceLossKind::Cycle, Some(&spans[*first].id), None);
            }
        }
        for span in path {
            state[span] = DONE;
        }
    }
    parents
}

/// The conversation of each span: its own, else the first of its trace.
fn conversations(spans: &[Span]) -> Vec<Option<String>> {
    let own = |span: &Span| span.text(&["gen_ai.conversation.id", "session.id"]).map(str::to_owned);
    let mut of_trace: HashMap<&str, String> = HashMap::new();
    for span in spans {
        if let Some(conversation) = own(span) {
            of_trace.entry(&span.trace).or_insert(conversation);
        }
    }
    spans.iter().map(|span| own(span).or_else(|| of_trace.get(span.trace.as_str()).cloned())).collect()
}
