//! The pattern as a program, run with a stack of its own.

use super::parse::{Node, UnitClass, is_word};

/// Steps that one search may take.
const MOST_STEPS: usize = 5_000_000;

/// Places to come back to that one search may hold.
const MOST_BRANCHES: usize = 2_000_000;

/// Instructions of the largest program.
const LARGEST: usize = 100_000;

/// A register that holds nothing.
const NONE: usize = usize::MAX;

/// Matching took more steps than are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuchWork;

#[derive(Debug)]
enum Step {
    Unit(UnitClass, Direction),
    /// Go on at the first, come back to the second.
    Split(usize, usize),
    Jump(usize),
    /// Keep the position.
    Save(usize),
    /// Set a counter to zero.
    Zero(usize),
    /// Empty the registers of groups.
    Clear(usize, usize),
    Loop {
        counter: usize,
        least: usize,
        most: usize,
        greedy: bool,
        end: usize,
    },
    /// The end of a round: one that took nothing does not count once enough were made.
    Round {
        counter: usize,
        start: usize,
        least: usize,
        back: usize,
    },
    Start,
    End,
    WordBoundary(bool),
    Reference(usize, Direction),
    /// Run what follows up to [`Step::Done`], then go on behind it.
    Look {
        negated: bool,
        end: usize,
    },
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// What is done when a branch fails.
enum Undo {
    Branch { step: usize, at: usize },
    Register { index: usize, value: usize },
}

#[derive(Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    registers: usize,
}

impl Program {
    pub(super) fn new(node: &Node, groups: usize) -> Result<Self, &'static str> {
        let mut program = Self { steps: Vec::new(), registers: 2 * (groups + 1) };
        program.add(node, Direction::Forward)?;
        program.steps.push(Step::Done);
        Ok(program)
    }

    fn push(&mut self, step: Step) -> Result<usize, &'static str> {
        if self.steps.len() >= LARGEST {
            return Err("regular expression too large");
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn add(&mut self, node: &Node, direction: Direction) -> Result<(), &'static str> {
        match node {
            Node::Class(class) => {
                self.push(Step::Unit(class.clone(), direction))?;
            }
            Node::Sequence(nodes) => {
                let mut order: Vec<&Node> = nodes.iter().collect();
                if direction == Direction::Backward {
                    order.reverse();
                }
                for node in order {
                    self.add(node, direction)?;
                }
            }
            Node::Choice(branches) => self.add_choice(branches, direction)?,
            Node::Capture(number, body) => {
                let (first, last) = match direction {
                    Direction::Forward => (2 * number, 2 * number + 1),
                    Direction::Backward => (2 * number + 1, 2 * number),
                };
                self.push(Step::Save(first))?;
                self.add(body, direction)?;
                self.push(Step::Save(last))?;
            }
            Node::Repeat { body, least, most, greedy, groups } => {
                let (counter, start) = (self.register(), self.register());
                let least = *least as usize;
                self.push(Step::Zero(counter))?;
                let back = self.push(Step::Jump(0))?;
                self.push(Step::Save(start))?;
                self.push(Step::Clear(groups.0, groups.1))?;
                self.add(body, direction)?;
                let end = self.push(Step::Round { counter, start, least, back })? + 1;
                let most = most.map_or(usize::MAX, |most| most as usize);
                self.steps[back] = Step::Loop { counter, least, most, greedy: *greedy, end };
            }
            Node::Start => {
                self.push(Step::Start)?;
            }
            Node::End => {
                self.push(Step::End)?;
            }
            Node::WordBoundary(is_there) => {
                self.push(Step::WordBoundary(*is_there))?;
            }
            Node::Reference(number) => {
                self.push(Step::Reference(*number, direction))?;
            }
            Node::NamedReference(_) => return Err("invalid named reference"),
            Node::Look { body, ahead, negated } => {
                let look = self.push(Step::Look { negated: *negated, end: 0 })?;
                self.add(body, if *ahead { Direction::Forward } else { Direction::Backward })?;
                let end = self.push(Step::Done)? + 1;
                self.steps[look] = Step::Look { negated: *negated, end };
            }
        }
        Ok(())
    }

    fn add_choice(&mut self, branches: &[Node], direction: Direction) -> Result<(), &'static str> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.add(branch, direction)?;
                break;
            }
            let split = self.push(Step::Split(0, 0))?;
            self.add(branch, direction)?;
            ends.push(self.push(Step::Jump(0))?);
            self.steps[split] = Step::Split(split + 1, self.steps.len());
        }
        for end in ends {
            self.steps[end] = Step::Jump(self.steps.len());
        }
        Ok(())
    }

    pub(super) fn find(&self, text: &[u16]) -> Result<Option<(usize, usize)>, TooMuchWork> {
        let mut machine = Machine { program: self, text, registers: vec![NONE; self.registers], steps: 0 };
        for start in 0..=text.len() {
            machine.registers.fill(NONE);
            if let Some(end) = machine.run(0, start)? {
                return Ok(Some((start, end)));
            }
        }
        Ok(None)
    }
}

struct Machine<'a> {
    program: &'a Program,
    text: &'a [u16],
    registers: Vec<usize>,
    steps: usize,
}

impl Machine<'_> {
    /// The unit that is read next, and the position behind it.
    fn read(&self, at: usize, direction: Direction) -> Option<(u16, usize)> {
        match direction {
            Direction::Forward => self.text.get(at).map(|unit| (*unit, at + 1)),
            Direction::Backward => at.checked_sub(1).map(|at| (self.text[at], at)),
        }
    }

    fn set(&mut self, undo: &mut Vec<Undo>, index: usize, value: usize) {
        undo.push(Undo::Register { index, value: self.registers[index] });
        self.registers[index] = value;
    }

    /// Runs from a step to its [`Step::Done`]; where that is.
    fn run(&mut self, first: usize, position: usize) -> Result<Option<usize>, TooMuchWork> {
        let mut undo: Vec<Undo> = Vec::new();
        let (mut step, mut at) = (first, position);
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(1024) {
                probare_cancellation::count_steps(1024);
            }
            if self.steps > MOST_STEPS || undo.len() > MOST_BRANCHES {
                return Err(TooMuchWork);
            }
            let mut next = Some(step + 1);
            match &self.program.steps[step] {
                Step::Unit(class, direction) => match self.read(at, *direction) {
                    Some((unit, after)) if class.contains(unit) => at = after,
                    _ => next = None,
                },
                Step::Split(one, other) => {
                    undo.push(Undo::Branch { step: *other, at });
                    next = Some(*one);
                }
                Step::Jump(target) => next = Some(*target),
                Step::Save(index) => self.set(&mut undo, *index, at),
                Step::Zero(index) => self.set(&mut undo, *index, 0),
                Step::Clear(from, to) => {
                    for group in *from..=*to {
                        self.set(&mut undo, 2 * group, NONE);
                        self.set(&mut undo, 2 * group + 1, NONE);
                    }
                }
                Step::Loop { counter, least, most, greedy, end } => {
                    let count = self.registers[*counter];
                    if count >= *most {
                        next = Some(*end);
                    } else if count >= *least {
                        let (now, later) = if *greedy { (step + 1, *end) } else { (*end, step + 1) };
                        undo.push(Undo::Branch { step: later, at });
                        next = Some(now);
                    }
                }
                Step::Round { counter, start, least, back } => {
                    let count = self.registers[*counter];
                    if count >= *least && self.registers[*start] == at {
                        next = None;
                    } else {
                        self.set(&mut undo, *counter, count + 1);
                        next = Some(*back);
                    }
                }
                Step::Start => next = next.filter(|_| at == 0),
                Step::End => next = next.filter(|_| at == self.text.len()),
                Step::WordBoundary(is_there) => {
                    let before = at.checked_sub(1).is_some_and(|at| is_word(self.text[at]));
                    let after = self.text.get(at).is_some_and(|unit| is_word(*unit));
                    next = next.filter(|_| (before != after) == *is_there);
                }
                Step::Reference(number, direction) => match self.behind_group(*number, at, *direction) {
                    Some(after) => at = after,
                    None => next = None,
                },
                Step::Look { negated, end } => {
                    let found = self.look(step + 1, at, *negated, &mut undo)?;
                    next = (found != *negated).then_some(*end);
                }
                Step::Done => return Ok(Some(at)),
            }
            let next = next.map(|next| (next, at));
            let Some(place) = next.or_else(|| self.last_branch(&mut undo)) else { return Ok(None) };
            (step, at) = place;
        }
    }

    /// The position behind the text of a group, where it comes again; a group that holds nothing always does.
    fn behind_group(&mut self, number: usize, at: usize, direction: Direction) -> Option<usize> {
        let (start, end) = (self.registers[2 * number], self.registers[2 * number + 1]);
        if start == NONE || end == NONE || start > end {
            return Some(at);
        }
        let length = end - start;
        self.steps += length;
        let span = match direction {
            Direction::Forward => at..at + length,
            Direction::Backward => at.saturating_sub(length)..at,
        };
        let is_there = self.text.get(span.clone()) == Some(&self.text[start..end]);
        is_there.then_some(if direction == Direction::Forward { span.end } else { span.start })
    }

    /// Whether what is looked for is there; where it is and may be, its groups are kept.
    fn look(&mut self, first: usize, at: usize, negated: bool, undo: &mut Vec<Undo>) -> Result<bool, TooMuchWork> {
        let before = self.registers.clone();
        self.steps += before.len() / 16;
        let found = self.run(first, at)?.is_some();
        let inside = std::mem::replace(&mut self.registers, before);
        if found && !negated {
            for (index, value) in inside.into_iter().enumerate() {
                if self.registers[index] != value {
                    self.set(undo, index, value);
                }
            }
        }
        Ok(found)
    }

    /// Takes back what was done since the last branch: the step and position to go on with.
    fn last_branch(&mut self, undo: &mut Vec<Undo>) -> Option<(usize, usize)> {
        loop {
            match undo.pop()? {
                Undo::Register { index, value } => self.registers[index] = value,
                Undo::Branch { step, at } => return Some((step, at)),
            }
        }
    }
}
