//! The pattern as a tree.

/// Groups within groups that are read.
const DEEPEST: usize = 200;

/// What a pattern is made of.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Class(UnitClass),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    /// A group with its number.
    Capture(usize, Box<Node>),
    Repeat {
        body: Box<Node>,
        least: u32,
        most: Option<u32>,
        greedy: bool,
        /// The groups inside, which each round empties.
        groups: (usize, usize),
    },
    Start,
    End,
    WordBoundary(bool),
    Reference(usize),
    NamedReference(Vec<u16>),
    Look {
        body: Box<Node>,
        ahead: bool,
        negated: bool,
    },
}

/// A set of UTF-16 units.
#[derive(Debug, Clone, Default)]
pub(super) struct UnitClass {
    ranges: Vec<(u16, u16)>,
    negated: bool,
}

impl UnitClass {
    fn unit(unit: u16) -> Self {
        Self { ranges: vec![(unit, unit)], negated: false }
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&unit)) != self.negated
    }

    fn add(&mut self, other: &Self) {
        if other.negated {
            let mut sorted = other.ranges.clone();
            sorted.sort_unstable();
            let mut next = 0_u32;
            for (low, high) in sorted {
                if u32::from(low) > next {
                    self.ranges.push((u16::try_from(next).unwrap_or(u16::MAX), low - 1));
                }
                next = next.max(u32::from(high) + 1);
            }
            if let Ok(next) = u16::try_from(next) {
                self.ranges.push((next, u16::MAX));
            }
        } else {
            self.ranges.extend(&other.ranges);
        }
    }
}

const DIGITS: &[(u16, u16)] = &[(0x30, 0x39)];
const WORD: &[(u16, u16)] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
const SPACE: &[(u16, u16)] = &[
    (9, 13),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
const LINE_ENDS: &[(u16, u16)] = &[(10, 10), (13, 13), (0x2028, 0x2029)];

pub(super) fn is_word(unit: u16) -> bool {
    WORD.iter().any(|(low, high)| (*low..=*high).contains(&unit))
}

/// Reads a pattern; also how many groups it has.
pub(super) fn parse(pattern: &[u16]) -> Result<(Node, usize), &'static str> {
    let (total, names) = count_groups(pattern);
    let mut parser =
        Parser { pattern, at: 0, groups: 0, total, has_names: !names.is_empty(), names: Vec::new(), depth: 0 };
    let mut node = parser.choice()?;
    if parser.at < pattern.len() {
        return Err("unmatched `)`");
    }
    let names = parser.names;
    resolve(&mut node, &names)?;
    Ok((node, total))
}

/// Puts numbers in place of names.
fn resolve(node: &mut Node, names: &[(Vec<u16>, usize)]) -> Result<(), &'static str> {
    match node {
        Node::NamedReference(name) => {
            let found = names.iter().find(|(known, _)| known == name).ok_or("invalid named reference")?;
            *node = Node::Reference(found.1);
            Ok(())
        }
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter_mut().try_for_each(|node| resolve(node, names)),
        Node::Capture(_, body) | Node::Repeat { body, .. } | Node::Look { body, .. } => resolve(body, names),
        _ => Ok(()),
    }
}

/// How many groups there are, and whether they have names: that decides what `\1` and `\k` are.
fn count_groups(pattern: &[u16]) -> (usize, Vec<usize>) {
    let unit = |at: usize| pattern.get(at).copied().and_then(|unit| u8::try_from(unit).ok());
    let (mut count, mut named, mut at, mut in_class) = (0, Vec::new(), 0, false);
    while at < pattern.len() {
        match unit(at) {
            Some(b'\\') => at += 1,
            Some(b'[') => in_class = true,
            Some(b']') => in_class = false,
            Some(b'(') if !in_class => {
                let is_named = unit(at + 1) == Some(b'?')
                    && unit(at + 2) == Some(b'<')
                    && !matches!(unit(at + 3), Some(b'=' | b'!'));
                if is_named {
                    named.push(at);
                }
                if is_named || unit(at + 1) != Some(b'?') {
                    count += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    (count, named)
}

struct Parser<'a> {
    pattern: &'a [u16],
    at: usize,
    groups: usize,
    total: usize,
    has_names: bool,
    names: Vec<(Vec<u16>, usize)>,
    depth: usize,
}

impl Parser<'_> {
    /// The unit at a distance, where it is ASCII.
    fn ahead(&self, distance: usize) -> Option<u8> {
        self.pattern.get(self.at + distance).and_then(|unit| u8::try_from(*unit).ok()).filter(u8::is_ascii)
    }

    fn take(&mut self, expected: &[u8]) -> bool {
        let found = expected.iter().enumerate().all(|(at, unit)| self.ahead(at) == Some(*unit));
        if found {
            self.at += expected.len();
        }
        found
    }

    fn choice(&mut self) -> Result<Node, &'static str> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("too many groups within groups");
        }
        let mut branches = vec![self.sequence()?];
        while self.take(b"|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Choice(branches) })
    }

    fn sequence(&mut self) -> Result<Node, &'static str> {
        let mut nodes = Vec::new();
        while self.at < self.pattern.len() && !matches!(self.ahead(0), Some(b'|' | b')')) {
            let before = self.groups;
            let (node, is_quantifiable) = self.term()?;
            let node = match self.quantifier()? {
                Some(_) if !is_quantifiable => return Err("nothing to repeat"),
                Some((least, most)) => {
                    let greedy = !self.take(b"?");
                    let groups = (before + 1, self.groups);
                    Node::Repeat { body: Box::new(node), least, most, greedy, groups }
                }
                None => node,
            };
            nodes.push(node);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) })
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, &'static str> {
        let bounds = match self.ahead(0) {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                let start = self.at;
                self.at += 1;
                let Some(bounds) = self.braces() else {
                    self.at = start;
                    return Ok(None);
                };
                if bounds.1.is_some_and(|most| most < bounds.0) {
                    return Err("numbers out of order in quantifier");
                }
                return Ok(Some(bounds));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(bounds))
    }

    /// What stands between the braces of a quantifier.
    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        let least = self.decimal()?;
        let most = if self.take(b",") {
            if self.ahead(0) == Some(b'}') { None } else { Some(self.decimal()?) }
        } else {
            Some(least)
        };
        self.take(b"}").then_some((least, most))
    }

    fn decimal(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.ahead(0) {
            number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
            self.at += 1;
        }
        number
    }

    /// One term, and whether it can be repeated.
    fn term(&mut self) -> Result<(Node, bool), &'static str> {
        for (opening, ahead, negated) in
            [(&b"(?="[..], true, false), (b"(?!", true, true), (b"(?<=", false, false), (b"(?<!", false, true)]
        {
            if self.take(opening) {
                let body = Box::new(self.choice()?);
                self.close()?;
                return Ok((Node::Look { body, ahead, negated }, ahead));
            }
        }
        if self.take(b"(?:") {
            let body = self.choice()?;
            self.close()?;
            return Ok((body, true));
        }
        if self.take(b"(?<") {
            let name = self.group_name()?;
            if self.names.iter().any(|(known, _)| *known == name) {
                return Err("duplicate capture group name");
            }
            self.groups += 1;
            self.names.push((name, self.groups));
            return self.capture();
        }
        if self.take(b"(?") {
            return Err("invalid group");
        }
        if self.take(b"(") {
            self.groups += 1;
            return self.capture();
        }
        let unit = self.pattern[self.at];
        match self.ahead(0) {
            Some(b'*' | b'+' | b'?') => return Err("nothing to repeat"),
            Some(b'{') if self.quantifier()?.is_some() => return Err("nothing to repeat"),
            Some(b'[') => return Ok((Node::Class(self.class()?), true)),
            Some(b'\\') => return self.escape(),
            _ => {}
        }
        self.at += 1;
        let node = match u8::try_from(unit) {
            Ok(b'^') => return Ok((Node::Start, false)),
            Ok(b'$') => return Ok((Node::End, false)),
            Ok(b'.') => Node::Class(UnitClass { ranges: LINE_ENDS.to_vec(), negated: true }),
            _ => Node::Class(UnitClass::unit(unit)),
        };
        Ok((node, true))
    }

    fn capture(&mut self) -> Result<(Node, bool), &'static str> {
        let number = self.groups;
        let body = Box::new(self.choice()?);
        self.close()?;
        Ok((Node::Capture(number, body), true))
    }

    fn close(&mut self) -> Result<(), &'static str> {
        if self.take(b")") { Ok(()) } else { Err("unterminated group") }
    }

    fn group_name(&mut self) -> Result<Vec<u16>, &'static str> {
        let start = self.at;
        while let Some(unit) = self.pattern.get(self.at) {
            self.at += 1;
            if *unit == u16::from(b'>') {
                let name = &self.pattern[start..self.at - 1];
                let letters: Vec<char> =
                    char::decode_utf16(name.iter().copied()).map(|letter| letter.unwrap_or('\u{fffd}')).collect();
                let is_first = |letter: &char| letter.is_alphabetic() || matches!(letter, '$' | '_');
                let is_name = letters.first().is_some_and(is_first)
                    && letters.iter().all(|letter| letter.is_alphanumeric() || matches!(letter, '$' | '_'));
                return if is_name { Ok(name.to_vec()) } else { Err("invalid capture group name") };
            }
        }
        Err("invalid capture group name")
    }

    /// What follows a backslash outside of brackets.
    fn escape(&mut self) -> Result<(Node, bool), &'static str> {
        match self.ahead(1) {
            Some(letter @ (b'b' | b'B')) => {
                self.at += 2;
                return Ok((Node::WordBoundary(letter == b'b'), false));
            }
            Some(b'1'..=b'9') => {
                let start = self.at;
                self.at += 1;
                let number = self.decimal().unwrap_or(u32::MAX) as usize;
                if number <= self.total {
                    return Ok((Node::Reference(number), true));
                }
                self.at = start;
            }
            Some(b'k') if self.has_names => {
                self.at += 2;
                if !self.take(b"<") {
                    return Err("invalid named reference");
                }
                let name = self.group_name()?;
                return Ok((Node::NamedReference(name), true));
            }
            _ => {}
        }
        Ok((Node::Class(self.class_escape(false)?), true))
    }

    /// An escape that stands for a set of units.
    fn class_escape(&mut self, in_class: bool) -> Result<UnitClass, &'static str> {
        self.at += 1;
        let Some(unit) = self.pattern.get(self.at).copied() else { return Err("`\\` at end of pattern") };
        let letter = u8::try_from(unit).unwrap_or(0);
        let set = |ranges: &[(u16, u16)], negated| UnitClass { ranges: ranges.to_vec(), negated };
        self.at += 1;
        Ok(match letter {
            b'd' | b'D' => set(DIGITS, letter == b'D'),
            b'w' | b'W' => set(WORD, letter == b'W'),
            b's' | b'S' => set(SPACE, letter == b'S'),
            b't' => UnitClass::unit(9),
            b'n' => UnitClass::unit(10),
            b'v' => UnitClass::unit(11),
            b'f' => UnitClass::unit(12),
            b'r' => UnitClass::unit(13),
            b'b' if in_class => UnitClass::unit(8),
            b'c' => match self.ahead(0) {
                Some(control) if control.is_ascii_alphabetic() => {
                    self.at += 1;
                    UnitClass::unit(u16::from(control % 32))
                }
                Some(control) if in_class && (control.is_ascii_digit() || control == b'_') => {
                    self.at += 1;
                    UnitClass::unit(u16::from(control % 32))
                }
                _ => {
                    self.at -= 1;
                    UnitClass::unit(u16::from(b'\\'))
                }
            },
            b'0'..=b'7' => {
                self.at -= 1;
                let (mut number, mut digits) = (0, 0);
                while let Some(digit @ b'0'..=b'7') = self.ahead(0) {
                    if digits == 3 || number * 8 + u16::from(digit - b'0') > 0o377 {
                        break;
                    }
                    number = number * 8 + u16::from(digit - b'0');
                    digits += 1;
                    self.at += 1;
                }
                UnitClass::unit(number)
            }
            b'x' => UnitClass::unit(self.hexadecimal(2).unwrap_or(unit)),
            b'u' => UnitClass::unit(self.hexadecimal(4).unwrap_or(unit)),
            b'k' if self.has_names => return Err("invalid escape"),
            _ => UnitClass::unit(unit),
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u16> {
        let mut number = 0;
        for at in 0..digits {
            let digit = char::from(self.ahead(at)?).to_digit(16)?;
            number = number * 16 + u16::try_from(digit).ok()?;
        }
        self.at += digits;
        Some(number)
    }

    fn class(&mut self) -> Result<UnitClass, &'static str> {
        self.at += 1;
        let mut class = UnitClass { negated: self.take(b"^"), ..UnitClass::default() };
        loop {
            let Some(first) = self.class_member()? else { return Ok(class) };
            let is_range = self.ahead(0) == Some(b'-') && self.ahead(1) != Some(b']');
            if !is_range {
                class.add(&first);
                continue;
            }
            self.at += 1;
            let Some(last) = self.class_member()? else { return Err("unterminated character class") };
            match (single(&first), single(&last)) {
                (Some(low), Some(high)) if low > high => return Err("range out of order in character class"),
                (Some(low), Some(high)) => class.ranges.push((low, high)),
                _ => {
                    class.add(&first);
                    class.add(&last);
                    class.add(&UnitClass::unit(u16::from(b'-')));
                }
            }
        }
    }

    /// One member of a class; nothing at its end.
    fn class_member(&mut self) -> Result<Option<UnitClass>, &'static str> {
        let Some(unit) = self.pattern.get(self.at).copied() else { return Err("unterminated character class") };
        match u8::try_from(unit) {
            Ok(b']') => {
                self.at += 1;
                Ok(None)
            }
            Ok(b'\\') => self.class_escape(true).map(Some),
            _ => {
                self.at += 1;
                Ok(Some(UnitClass::unit(unit)))
            }
        }
    }
}

fn single(class: &UnitClass) -> Option<u16> {
    match class.ranges[..] {
        [(low, high)] if low == high && !class.negated => Some(low),
        _ => None,
    }
}
