//! Templates of Nunjucks 3.2.4 as promptfoo renders them: values are those of JavaScript, what is not there prints nothing.
//!
//! An interpreter of its own rather than a crate for Jinja: there, empty lists are false, `'1' == 1` does not hold, numbers
//! and lists print otherwise and `text.split(' ')` is unknown, so prompts and expected texts would differ in silence.

mod evaluate;
mod filters;
mod methods;
mod parse;
mod syntax;
mod tokens;
mod value;

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::evaluate::Renderer;
use self::syntax::{Arguments, Expression, Node};
use self::value::Operand;
use crate::js;

/// Why a template gives no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// What is wrong.
    pub reason: String,
    /// The original would render it; here a limit, or something that is not known, is in the way.
    pub is_limit: bool,
}

impl TemplateError {
    fn syntax(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_limit: false }
    }

    fn limit(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_limit: true }
    }
}

/// Names that templates see beside the variables.
#[derive(Debug, Clone, Default)]
pub struct Globals {
    pub env: Map<String, Value>,
    /// `__repeatIndex`.
    pub repeat: u32,
    /// Names that templates were to print and that have no value: they print nothing, which may be a slip.
    pub undefined: RefCell<BTreeSet<String>>,
}

/// Renders a template with variables.
pub fn render(template: &str, vars: &Map<String, Value>, globals: &Globals) -> Result<String, TemplateError> {
    if !template.contains('{') {
        return Ok(template.to_owned());
    }
    let nodes = parse::parse(template)?;
    let mut names = vec![
        ("env".to_owned(), Operand::from_json(&Value::Object(globals.env.clone()))),
        ("__repeatIndex".to_owned(), Operand::Number(f64::from(globals.repeat))),
    ];
    for (name, value) in vars {
        names.retain(|(known, _)| known != name);
        names.push((name.clone(), Operand::from_json(value)));
    }
    let mut text = String::new();
    let mut renderer = Renderer::new(names);
    renderer.render(&nodes, &mut text)?;
    globals.undefined.borrow_mut().append(&mut renderer.undefined);
    Ok(text)
}

/// Renders the texts of an assertion's value: a text, or the texts of a list; nothing inside of objects.
pub fn render_value(value: &Value, vars: &Map<String, Value>, globals: &Globals) -> Result<Value, TemplateError> {
    match value {
        Value::String(text) => render(text, vars, globals).map(Value::from),
        Value::Array(items) => {
            let item = |item: &Value| match item {
                Value::String(text) => render(text, vars, globals).map(Value::from),
                other => Ok(other.clone()),
            };
            Ok(Value::Array(items.iter().map(item).collect::<Result<_, _>>()?))
        }
        other => Ok(other.clone()),
    }
}

/// Rounds in which names within variables are replaced.
const ROUNDS: usize = 5;

/// Variables as assertions see them: without a final line break, names in double braces replaced by other variables.
pub fn prepare_variables(vars: &Map<String, Value>) -> Map<String, Value> {
    let mut vars = vars.clone();
    for value in vars.values_mut() {
        if let Value::String(text) = value
            && text.ends_with('\n')
        {
            text.pop();
        }
    }
    let keys: Vec<String> = vars.keys().cloned().collect();
    for _ in 0..ROUNDS {
        let mut is_changed = false;
        for key in &keys {
            let Some(text) = vars[key].as_str() else { continue };
            let Some((span, name)) = first_name(text) else { continue };
            let Some(value) = vars.get(name) else { continue };
            let replaced = format!("{}{}{}", &text[..span.start], js::text(value), &text[span.end..]);
            vars[key] = Value::from(replaced);
            is_changed = true;
        }
        if !is_changed {
            break;
        }
    }
    vars
}

/// The first plain name in double braces.
fn first_name(text: &str) -> Option<(std::ops::Range<usize>, &str)> {
    text.match_indices("{{").find_map(|(start, _)| {
        let inside = &text[start + 2..];
        let end = inside.find("}}")?;
        let name = js::trim(&inside[..end]);
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| (start..start + 2 + end + 2, name))
    })
}

/// A prompt as the provider gets it. The variables are as the test has them.
pub fn render_prompt(template: &str, vars: &Map<String, Value>, globals: &Globals) -> Result<String, TemplateError> {
    let vars = prepare_variables(vars);
    if let Ok(prompt) = js::parse_json(template) {
        return Ok(js::json(&render_inside(&prompt, &vars, globals)?, 2));
    }
    if has_open_line(template) {
        return Ok(template.to_owned());
    }
    let mut rendered = vars.clone();
    for (name, value) in &vars {
        if let Value::String(text) = value
            && text.contains('{')
            && let Ok(names) = used_names(text)
            && names.iter().all(|name| vars.contains_key(name) || name == "env" || name == "range")
            && let Ok(text) = render(text, &vars, globals)
        {
            rendered[name] = Value::from(text);
        }
    }
    render(template, &rendered, globals)
}

/// Renders every text within JSON by itself; keys stay.
fn render_inside(value: &Value, vars: &Map<String, Value>, globals: &Globals) -> Result<Value, TemplateError> {
    Ok(match value {
        Value::String(text) => Value::from(render(text, vars, globals)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| render_inside(item, vars, globals)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| Ok((key.clone(), render_inside(value, vars, globals)?));
            Value::Object(map.iter().map(entry).collect::<Result<_, TemplateError>>()?)
        }
        other => other.clone(),
    })
}

/// Whether a line opens a tag that it does not close: promptfoo then takes the whole prompt literally.
fn has_open_line(template: &str) -> bool {
    if template.contains("{% raw") {
        return false;
    }
    let is_open = |line: &str| {
        [("{{", "}}"), ("{%", "%}"), ("{#", "#}")]
            .iter()
            .any(|(open, close)| line.rfind(open).is_some_and(|at| !line[at..].contains(close)))
    };
    template.lines().any(is_open)
}

/// Names that a template reads and does not set.
pub fn used_names(template: &str) -> Result<BTreeSet<String>, TemplateError> {
    let mut names = NameCollector { bound: vec![Vec::new()], found: BTreeSet::new() };
    names.nodes(&parse::parse(template)?);
    Ok(names.found)
}

struct NameCollector {
    bound: Vec<Vec<String>>,
    found: BTreeSet<String>,
}

impl NameCollector {
    fn bind(&mut self, name: &str) {
        if let Some(frame) = self.bound.last_mut() {
            frame.push(name.to_owned());
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Text(_) => {}
                Node::Output(expression) => self.expression(expression),
                Node::If(branches, otherwise) => {
                    for (condition, body) in branches {
                        self.expression(condition);
                        self.nodes(body);
                    }
                    self.nodes(otherwise);
                }
                Node::For { names, over, body, otherwise } => {
                    self.expression(over);
                    let mut frame = names.clone();
                    frame.push("loop".to_owned());
                    self.inside(frame, body);
                    self.nodes(otherwise);
                }
                Node::Set(names, value) => {
                    self.expression(value);
                    for name in names {
                        self.bind(name);
                    }
                }
                Node::SetBlock(name, body) => {
                    self.nodes(body);
                    self.bind(name);
                }
                Node::Macro(definition) => {
                    self.bind(&definition.name);
                    let mut frame: Vec<String> = definition.parameters.iter().map(|(name, _)| name.clone()).collect();
                    frame.push("caller".to_owned());
                    self.inside(frame, &definition.body);
                }
                Node::CallBlock(call, body) => {
                    self.expression(call);
                    self.nodes(body);
                }
                Node::FilterBlock(_, arguments, body) => {
                    self.arguments(arguments);
                    self.nodes(body);
                }
            }
        }
    }

    fn inside(&mut self, frame: Vec<String>, body: &[Node]) {
        self.bound.push(frame);
        self.nodes(body);
        self.bound.pop();
    }

    fn arguments(&mut self, arguments: &Arguments) {
        arguments
            .placed
            .iter()
            .chain(arguments.named.iter().map(|(_, value)| value))
            .for_each(|value| self.expression(value));
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Name(name) => {
                if !self.bound.iter().flatten().any(|bound| bound == name) {
                    self.found.insert(name.clone());
                }
            }
            Expression::List(items) => items.iter().for_each(|item| self.expression(item)),
            Expression::Object(entries) => entries.iter().for_each(|(_, value)| self.expression(value)),
            Expression::Member(owner, key) => {
                self.expression(owner);
                self.expression(key);
            }
            Expression::Call(value, arguments)
            | Expression::Filter(_, value, arguments)
            | Expression::Test { value, arguments, .. } => {
                self.expression(value);
                self.arguments(arguments);
            }
            Expression::Unary(_, value) | Expression::Not(value) => self.expression(value),
            Expression::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            Expression::Condition(condition, value, otherwise) => {
                self.expression(condition);
                self.expression(value);
                if let Some(otherwise) = otherwise {
                    self.expression(otherwise);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(template: &str) -> Result<String, TemplateError> {
        let vars = json!({"name": "Ada", "list": [3, 1], "empty": []});
        render(template, vars.as_object().unwrap(), &Globals::default())
    }

    #[test]
    fn values_are_those_of_javascript() {
        assert_eq!(rendered("{{ list }}|{{ nope.deeper }}|{{ '1' == 1 }}").unwrap(), "3,1||true");
        assert_eq!(rendered("{% if empty %}yes{% endif %}").unwrap(), "yes");
        assert_eq!(rendered("{{ 'a b'.split(' ').join('+') }}").unwrap(), "a+b");
    }

    #[test]
    fn names_without_a_value_are_told_where_they_were_to_be_printed() {
        let globals = Globals::default();
        let vars = json!({"name": "Ada", "nothing": null, "user": {"list": [1]}});
        let template = "{{ nam }}{{ name }}{{ nothing }}{{ user.mail }}{{ user.list[2] }}{{ env.HOME }}{{ a | default('b') }}\
            {% if no %}{{ never }}{% endif %}{% for item in user.list %}{{ item }}{{ item.size }}{% endfor %}";
        render(template, vars.as_object().unwrap(), &globals).unwrap();
        let names: Vec<String> = globals.undefined.take().into_iter().collect();
        assert_eq!(names, ["env.HOME", "item.size", "nam", "user.list[2]", "user.mail"]);
    }

    #[test]
    fn work_without_end_is_refused() {
        assert!(
            rendered("{% for a in range(1000000) %}{% for b in range(1000000) %}x{% endfor %}{% endfor %}").is_err()
        );
        assert!(rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").is_err());
        assert!(rendered(&format!("{{{{ {} }}}}", "(".repeat(10_000))).is_err());
        assert!(rendered(&"{% if name %}".repeat(10_000)).is_err());
        assert!(rendered(&format!("{{{{ {}1 }}}}", "not ".repeat(10_000))).is_err());
        assert!(rendered("{{ 'x'.repeat(1000000000) }}").is_err());
    }

    #[test]
    fn names_that_a_template_reads() {
        let names = used_names("{% for w in words %}{{ w }}{{ loop.index }}{{ b | join(c) }}{% endfor %}").unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["b", "c", "words"]);
    }
}
