//! Renders the tree of a template.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::syntax::{Arguments, Expression, Literal, Macro, Node, Operator};
use super::value::Operand;
use super::{TemplateError, filters, methods};

/// Steps that one template may take.
const MOST_STEPS: usize = 1_000_000;

/// Bytes of the longest text that a template gives.
const LONGEST: usize = 16 << 20;

/// Calls of macros within each other.
const DEEPEST: usize = 50;

/// Names and their values, innermost last.
pub(super) struct Renderer {
    frames: Vec<Vec<(String, Operand)>>,
    steps: usize,
    depth: usize,
    /// Names that were to be printed and have no value.
    pub(super) undefined: BTreeSet<String>,
}

/// The arguments of a call, computed.
pub(super) struct CallArguments {
    pub(super) placed: Vec<Operand>,
    pub(super) named: Vec<(String, Operand)>,
}

impl CallArguments {
    /// An argument by its place or its name.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<&Operand> {
        self.placed.get(place).or_else(|| self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value))
    }

    /// An argument as a number.
    pub(super) fn number(&self, place: usize, name: &str, default: f64) -> f64 {
        self.get(place, name).map_or(default, Operand::to_number)
    }

    /// Whether an argument is given and counts as true.
    pub(super) fn is_truthy(&self, place: usize, name: &str) -> bool {
        self.get(place, name).is_some_and(Operand::is_truthy)
    }
}

impl Renderer {
    pub(super) fn new(names: Vec<(String, Operand)>) -> Self {
        Self { frames: vec![names], steps: 0, depth: 0, undefined: BTreeSet::new() }
    }

    fn step(&mut self) -> Result<(), TemplateError> {
        self.steps += 1;
        probare_cancellation::count_steps(1);
        if self.steps > MOST_STEPS { Err(TemplateError::limit("a template takes too many steps")) } else { Ok(()) }
    }

    fn set(&mut self, name: &str, value: Operand) {
        // A name that is there already is changed where it is, but for what a loop brought.
        if let Some(frame) = self.frames.last_mut() {
            match frame.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value,
                None => frame.push((name.to_owned(), value)),
            }
        }
    }

    fn lookup(&self, name: &str) -> Operand {
        let found = self.frames.iter().rev().find_map(|frame| frame.iter().find(|(known, _)| known == name));
        match (found, name) {
            (Some((_, value)), _) => value.clone(),
            (None, "range") => Operand::Function("range"),
            (None, "cycler" | "joiner") => Operand::Function("cycler"),
            _ => Operand::Undefined,
        }
    }

    pub(super) fn render(&mut self, nodes: &[Node], out: &mut String) -> Result<(), TemplateError> {
        for node in nodes {
            self.step()?;
            match node {
                Node::Text(text) => out.push_str(text),
                Node::Output(expression) => {
                    let value = self.evaluate(expression)?;
                    if matches!(value, Operand::Undefined) {
                        self.undefined.extend(expression.path());
                    }
                    out.push_str(&value.printed());
                }
                Node::If(branches, otherwise) => {
                    let mut chosen = otherwise;
                    for (condition, body) in branches {
                        if self.evaluate(condition)?.is_truthy() {
                            chosen = body;
                            break;
                        }
                    }
                    self.render(chosen, out)?;
                }
                Node::For { names, over, body, otherwise } => self.render_loop((names, over, body, otherwise), out)?,
                Node::Set(names, expression) => {
                    let value = self.evaluate(expression)?;
                    for name in names {
                        self.set(name, value.clone());
                    }
                }
                Node::SetBlock(name, body) => {
                    let value = self.captured(body)?;
                    self.set(name, Operand::Text(value.into()));
                }
                Node::Macro(definition) => self.set(&definition.name, Operand::Macro(Rc::clone(definition))),
                Node::CallBlock(call, body) => {
                    let text = self.captured(body)?;
                    let Expression::Call(function, arguments) = call else {
                        return Err(TemplateError::syntax("a call block calls nothing"));
                    };
                    let function = self.evaluate(function)?;
                    let mut given = self.call_arguments(arguments)?;
                    given.named.push(("caller".to_owned(), Operand::Caller(text.into())));
                    let value = self.call(&function, given)?;
                    out.push_str(&value.printed());
                }
                Node::FilterBlock(name, arguments, body) => {
                    let text = Operand::Text(self.captured(body)?.into());
                    let given = self.call_arguments(arguments)?;
                    out.push_str(&filters::apply(name, &text, &given)?.printed());
                }
            }
            if out.len() > LONGEST {
                return Err(TemplateError::limit("a template gives too long a text"));
            }
        }
        Ok(())
    }

    fn captured(&mut self, nodes: &[Node]) -> Result<String, TemplateError> {
        let mut text = String::new();
        self.render(nodes, &mut text)?;
        Ok(text)
    }

    fn render_loop(
        &mut self,
        (names, over, body, otherwise): (&[String], &Expression, &[Node], &[Node]),
        out: &mut String,
    ) -> Result<(), TemplateError> {
        let rounds: Vec<Vec<Operand>> = match (self.evaluate(over)?, names.len()) {
            (Operand::List(items), 1) => items.iter().map(|item| vec![item.clone()]).collect(),
            (Operand::List(items), _) => {
                let row =
                    |item: &Operand| (0..names.len()).map(|at| item.member(&Operand::Number(at as f64))).collect();
                items.iter().map(row).collect()
            }
            (Operand::Text(text), 1) => {
                let value = Operand::Text(text);
                let length = value.member(&Operand::text("length")).to_number();
                let mut letters = Vec::new();
                while (letters.len() as f64) < length {
                    letters.push(vec![value.member(&Operand::Number(letters.len() as f64))]);
                    self.step()?;
                }
                letters
            }
            (Operand::Object(entries), 2) => {
                entries.iter().map(|(key, value)| vec![Operand::text(key), value.clone()]).collect()
            }
            _ => Vec::new(),
        };
        if rounds.is_empty() {
            return self.render(otherwise, out);
        }
        let length = rounds.len();
        for (at, values) in rounds.into_iter().enumerate() {
            let number = |value: usize| Operand::Number(value as f64);
            let state = [
                ("index", number(at + 1)),
                ("index0", number(at)),
                ("revindex", number(length - at)),
                ("revindex0", number(length - at - 1)),
                ("first", Operand::Bool(at == 0)),
                ("last", Operand::Bool(at + 1 == length)),
                ("length", number(length)),
            ];
            let state = state.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let mut frame: Vec<(String, Operand)> = names.iter().cloned().zip(values).collect();
            frame.push(("loop".to_owned(), Operand::Object(Rc::new(state))));
            self.frames.push(frame);
            let result = self.render(body, out);
            self.frames.pop();
            result?;
        }
        Ok(())
    }

    fn call_arguments(&mut self, arguments: &Arguments) -> Result<CallArguments, TemplateError> {
        let placed = arguments.placed.iter().map(|value| self.evaluate(value)).collect::<Result<_, _>>()?;
        let named = arguments.named.iter().map(|(name, value)| Ok((name.clone(), self.evaluate(value)?)));
        Ok(CallArguments { placed, named: named.collect::<Result<_, TemplateError>>()? })
    }

    fn call(&mut self, function: &Operand, given: CallArguments) -> Result<Operand, TemplateError> {
        match function {
            Operand::Function("range") => range(&given),
            Operand::Function(_) => Err(TemplateError::limit("`cycler` and `joiner` are not known here")),
            Operand::Method(owner, name) => methods::call(owner, name, &given.placed),
            Operand::Caller(text) => Ok(Operand::Text(Rc::clone(text))),
            Operand::Macro(definition) => self.call_macro(definition, given),
            _ => Err(TemplateError::syntax("a call of something that is not there")),
        }
    }

    fn call_macro(&mut self, definition: &Macro, given: CallArguments) -> Result<Operand, TemplateError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TemplateError::limit("macros call each other too deeply"));
        }
        let mut frame = Vec::new();
        for (place, (name, default)) in definition.parameters.iter().enumerate() {
            let value = match given.get(place, name) {
                Some(value) => value.clone(),
                None => default.as_ref().map_or(Ok(Operand::Undefined), |default| self.evaluate(default))?,
            };
            frame.push((name.clone(), value));
        }
        if let Some((name, caller)) = given.named.into_iter().find(|(name, _)| name == "caller") {
            frame.push((name, caller));
        }
        // A macro sees what stands at the top, not where it is called.
        let hidden = self.frames.split_off(1);
        self.frames.push(frame);
        let text = self.captured(&definition.body);
        self.frames.truncate(1);
        self.frames.extend(hidden);
        self.depth -= 1;
        Ok(Operand::Text(text?.into()))
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<Operand, TemplateError> {
        self.step()?;
        Ok(match expression {
            Expression::Literal(Literal::Null) => Operand::Null,
            Expression::Literal(Literal::Bool(value)) => Operand::Bool(*value),
            Expression::Literal(Literal::Number(number)) => Operand::Number(*number),
            Expression::Literal(Literal::Text(text)) => Operand::text(text),
            Expression::Name(name) => self.lookup(name),
            Expression::List(items) => {
                let items = items.iter().map(|item| self.evaluate(item)).collect::<Result<Vec<_>, _>>()?;
                Operand::list(items)
            }
            Expression::Object(entries) => {
                let mut object = Vec::new();
                for (key, value) in entries {
                    let key = match key {
                        Expression::Name(name) => name.clone(),
                        key => self.evaluate(key)?.to_text(),
                    };
                    object.push((key, self.evaluate(value)?));
                }
                Operand::Object(Rc::new(object))
            }
            Expression::Member(owner, key) => {
                let owner = self.evaluate(owner)?;
                let key = self.evaluate(key)?;
                owner.member(&key)
            }
            Expression::Call(function, arguments) => {
                let function = self.evaluate(function)?;
                let given = self.call_arguments(arguments)?;
                self.call(&function, given)?
            }
            Expression::Filter(name, value, arguments) => {
                let value = self.evaluate(value)?;
                let given = self.call_arguments(arguments)?;
                filters::apply(name, &value, &given)?
            }
            Expression::Test { name, value, arguments, negated } => {
                let value = self.evaluate(value)?;
                let given = self.call_arguments(arguments)?;
                Operand::Bool(filters::test(name, &value, given.placed.first())? != *negated)
            }
            Expression::Unary(sign, value) => {
                let number = self.evaluate(value)?.to_number();
                Operand::Number(if *sign == '-' { -number } else { number })
            }
            Expression::Not(value) => Operand::Bool(!self.evaluate(value)?.is_truthy()),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Expression::Condition(condition, value, otherwise) => {
                if self.evaluate(condition)?.is_truthy() {
                    self.evaluate(value)?
                } else {
                    otherwise.as_ref().map_or(Ok(Operand::text("")), |otherwise| self.evaluate(otherwise))?
                }
            }
        })
    }

    fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression) -> Result<Operand, TemplateError> {
        let left = self.evaluate(left)?;
        match operator {
            Operator::Or if left.is_truthy() => return Ok(left),
            Operator::And if !left.is_truthy() => return Ok(left),
            _ => {}
        }
        let right = self.evaluate(right)?;
        let (first, second) = (left.to_number(), right.to_number());
        Ok(match operator {
            Operator::Or | Operator::And => right,
            Operator::In | Operator::NotIn => Operand::Bool(contains(&right, &left)? == (operator == Operator::In)),
            Operator::Equal => Operand::Bool(left.equals(&right, false)),
            Operator::StrictlyEqual => Operand::Bool(left.equals(&right, true)),
            Operator::NotEqual => Operand::Bool(!left.equals(&right, false)),
            Operator::StrictlyNotEqual => Operand::Bool(!left.equals(&right, true)),
            Operator::Less => Operand::Bool(left.compare(&right) == Some(Ordering::Less)),
            Operator::Greater => Operand::Bool(left.compare(&right) == Some(Ordering::Greater)),
            Operator::LessOrEqual => {
                Operand::Bool(matches!(left.compare(&right), Some(Ordering::Less | Ordering::Equal)))
            }
            Operator::GreaterOrEqual => {
                Operand::Bool(matches!(left.compare(&right), Some(Ordering::Greater | Ordering::Equal)))
            }
            Operator::Join => Operand::Text(format!("{}{}", left.to_text(), right.to_text()).into()),
            Operator::Add => left.add(&right),
            Operator::Subtract => Operand::Number(first - second),
            Operator::Multiply => Operand::Number(first * second),
            Operator::Divide => Operand::Number(first / second),
            Operator::DivideWhole => Operand::Number((first / second).floor()),
            Operator::Remainder => Operand::Number(first % second),
            Operator::Power => Operand::Number(first.powf(second)),
        })
    }
}

fn contains(container: &Operand, item: &Operand) -> Result<bool, TemplateError> {
    match container {
        Operand::List(items) => Ok(items.iter().any(|other| other.equals(item, true))),
        Operand::Text(text) => Ok(text.contains(&item.to_text())),
        Operand::Object(entries) => {
            let name = item.to_text();
            Ok(entries.iter().any(|(key, _)| *key == name))
        }
        _ => Err(TemplateError::syntax("`in` needs a list, a text or an object")),
    }
}

/// `range(stop)`, `range(start, stop, step)`.
fn range(given: &CallArguments) -> Result<Operand, TemplateError> {
    let number = |place: usize| given.placed.get(place).map(Operand::to_number);
    let (start, stop) = match (number(0), number(1)) {
        (Some(start), Some(stop)) => (start, stop),
        (Some(stop), None) => (0.0, stop),
        _ => (0.0, 0.0),
    };
    let step = number(2).filter(|step| *step != 0.0).unwrap_or(1.0);
    let mut items = Vec::new();
    let mut next = start;
    while if step > 0.0 { next < stop } else { next > stop } {
        if items.len() >= MOST_STEPS {
            return Err(TemplateError::limit("a range is too long"));
        }
        items.push(Operand::Number(next));
        next += step;
    }
    Ok(Operand::list(items))
}
