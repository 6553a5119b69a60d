//! The parser of templates.

use std::rc::Rc;

use super::TemplateError;
use super::syntax::{Arguments, Expression, Literal, Macro, Node, Operator};
use super::tokens::{Piece, Token, cut};

/// Expressions and blocks within each other that are read.
const DEEPEST: usize = 40;

/// Operators, filters and members in a row that one tag may have.
const MOST_LINKS: usize = 250;

/// Reads a template.
pub(super) fn parse(template: &str) -> Result<Vec<Node>, TemplateError> {
    let mut blocks = Blocks { pieces: cut(template)?.into_iter(), depth: 0 };
    let (nodes, end) = blocks.nodes(&[])?;
    match end {
        None => Ok(nodes),
        Some((name, _)) => Err(TemplateError::syntax(format!("unknown block tag `{name}`"))),
    }
}

struct Blocks {
    pieces: std::vec::IntoIter<Piece>,
    depth: usize,
}

/// The tag that ended a block: its name, and what follows it.
type EndTag = Option<(String, Tokens)>;

impl Blocks {
    /// Nodes up to a tag of one of these names.
    fn nodes(&mut self, ends: &[&str]) -> Result<(Vec<Node>, EndTag), TemplateError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TemplateError::limit("a template nests too deeply"));
        }
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.next() {
            match piece {
                Piece::Text(text) => nodes.push(Node::Text(text)),
                Piece::Output(tokens) => {
                    let mut tokens = Tokens::new(tokens);
                    let expression = tokens.expression()?;
                    tokens.finish()?;
                    nodes.push(Node::Output(expression));
                }
                Piece::Tag(tokens) => {
                    let mut tokens = Tokens::new(tokens);
                    let name = tokens.name()?;
                    if ends.contains(&name.as_str()) {
                        self.depth -= 1;
                        return Ok((nodes, Some((name, tokens))));
                    }
                    nodes.push(self.tag(&name, tokens)?);
                }
            }
        }
        if !ends.is_empty() {
            return Err(TemplateError::syntax(format!("`{}` is missing", ends[ends.len() - 1])));
        }
        self.depth -= 1;
        Ok((nodes, None))
    }

    /// Nodes up to the one tag that may end them.
    fn until(&mut self, end: &str) -> Result<Vec<Node>, TemplateError> {
        Ok(self.nodes(&[end])?.0)
    }

    fn tag(&mut self, name: &str, mut tokens: Tokens) -> Result<Node, TemplateError> {
        match name {
            "if" => self.if_tag(tokens),
            "for" => self.for_tag(tokens),
            "set" => self.set_tag(tokens),
            "macro" => self.macro_tag(tokens),
            "call" => {
                let call = tokens.expression()?;
                tokens.finish()?;
                Ok(Node::CallBlock(call, self.until("endcall")?))
            }
            "filter" => {
                let name = tokens.name()?;
                let arguments = if tokens.take("(") { tokens.arguments()? } else { Arguments::default() };
                tokens.finish()?;
                Ok(Node::FilterBlock(name, arguments, self.until("endfilter")?))
            }
            "include" | "import" | "from" | "extends" | "block" | "asyncEach" | "asyncAll" | "switch" | "ifAsync" => {
                Err(TemplateError::syntax(format!("the tag `{name}` needs other files, or is not read here")))
            }
            _ => Err(TemplateError::syntax(format!("unknown block tag `{name}`"))),
        }
    }

    fn if_tag(&mut self, mut tokens: Tokens) -> Result<Node, TemplateError> {
        let mut branches = Vec::new();
        loop {
            let condition = tokens.expression()?;
            tokens.finish()?;
            let (body, end) = self.nodes(&["elif", "elseif", "else", "endif"])?;
            branches.push((condition, body));
            match end {
                Some((name, _)) if name == "else" => return Ok(Node::If(branches, self.until("endif")?)),
                Some((name, next)) if name.starts_with("el") => tokens = next,
                _ => return Ok(Node::If(branches, Vec::new())),
            }
        }
    }

    fn for_tag(&mut self, mut tokens: Tokens) -> Result<Node, TemplateError> {
        let names = tokens.names()?;
        if !tokens.take_name("in") {
            return Err(TemplateError::syntax("`in` is missing"));
        }
        let over = tokens.expression()?;
        tokens.finish()?;
        let (body, end) = self.nodes(&["else", "endfor"])?;
        let has_else = end.is_some_and(|(name, _)| name == "else");
        let otherwise = if has_else { self.until("endfor")? } else { Vec::new() };
        Ok(Node::For { names, over, body, otherwise })
    }

    fn set_tag(&mut self, mut tokens: Tokens) -> Result<Node, TemplateError> {
        let mut names = tokens.names()?;
        if tokens.take("=") {
            let value = tokens.expression()?;
            tokens.finish()?;
            return Ok(Node::Set(names, value));
        }
        tokens.finish()?;
        Ok(Node::SetBlock(names.swap_remove(0), self.until("endset")?))
    }

    fn macro_tag(&mut self, mut tokens: Tokens) -> Result<Node, TemplateError> {
        let name = tokens.name()?;
        let mut parameters = Vec::new();
        tokens.expect("(")?;
        while !tokens.take(")") {
            let parameter = tokens.name()?;
            let default = if tokens.take("=") { Some(tokens.expression()?) } else { None };
            parameters.push((parameter, default));
            if !tokens.take(",") {
                tokens.expect(")")?;
                break;
            }
        }
        tokens.finish()?;
        let body = self.until("endmacro")?;
        Ok(Node::Macro(Rc::new(Macro { name, parameters, body })))
    }
}

struct Tokens {
    list: Vec<Token>,
    at: usize,
    depth: usize,
    links: usize,
}

impl Tokens {
    fn new(tokens: Vec<Token>) -> Self {
        Self { list: tokens, at: 0, depth: 0, links: 0 }
    }

    /// One more step in a chain, each of which lies within the next.
    fn link(&mut self) -> Result<(), TemplateError> {
        self.links += 1;
        if self.links > MOST_LINKS { Err(TemplateError::limit("an expression is too long")) } else { Ok(()) }
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.list.get(self.at), Some(Token::Sign(other)) if *other == sign);
        self.at += usize::from(found);
        found
    }

    fn take_name(&mut self, name: &str) -> bool {
        let found = matches!(self.list.get(self.at), Some(Token::Name(other)) if other == name);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), TemplateError> {
        if self.take(sign) { Ok(()) } else { Err(TemplateError::syntax(format!("`{sign}` is missing"))) }
    }

    fn finish(&self) -> Result<(), TemplateError> {
        if self.at == self.list.len() {
            Ok(())
        } else {
            Err(TemplateError::syntax("a tag goes on where it should end"))
        }
    }

    fn name(&mut self) -> Result<String, TemplateError> {
        match self.list.get(self.at) {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(TemplateError::syntax("a name is missing")),
        }
    }

    /// Names between commas.
    fn names(&mut self) -> Result<Vec<String>, TemplateError> {
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn expression(&mut self) -> Result<Expression, TemplateError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TemplateError::limit("an expression nests too deeply"));
        }
        let value = self.binary(0)?;
        self.depth -= 1;
        if !self.take_name("if") {
            return Ok(value);
        }
        let condition = self.binary(0)?;
        let otherwise = if self.take_name("else") { Some(Box::new(self.expression()?)) } else { None };
        Ok(Expression::Condition(Box::new(condition), Box::new(value), otherwise))
    }

    /// Operators by how loosely they bind, as Nunjucks orders them: plus binds more loosely than minus.
    fn binary(&mut self, level: usize) -> Result<Expression, TemplateError> {
        use Operator::{
            Add, And, Divide, DivideWhole, Equal, Greater, GreaterOrEqual, Join, Less, LessOrEqual, Multiply, NotEqual,
            Or, Power, Remainder, StrictlyEqual, StrictlyNotEqual, Subtract,
        };
        let compare: &[(&str, Operator)] = &[
            ("==", Equal),
            ("===", StrictlyEqual),
            ("!=", NotEqual),
            ("!==", StrictlyNotEqual),
            ("<", Less),
            (">", Greater),
            ("<=", LessOrEqual),
            (">=", GreaterOrEqual),
        ];
        let signs: &[(&str, Operator)] = match level {
            0 => return self.named_binary("or", Or, 1),
            1 => return self.named_binary("and", And, 2),
            2 => {
                if self.take_name("not") {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err(TemplateError::limit("an expression nests too deeply"));
                    }
                    let value = self.binary(2)?;
                    self.depth -= 1;
                    return Ok(Expression::Not(Box::new(value)));
                }
                return self.membership();
            }
            3 => return self.test(),
            4 => compare,
            5 => &[("~", Join)],
            6 => &[("+", Add)],
            7 => &[("-", Subtract)],
            8 => &[("*", Multiply)],
            9 => &[("/", Divide)],
            10 => &[("//", DivideWhole)],
            11 => &[("%", Remainder)],
            12 => &[("**", Power)],
            _ => return self.unary(true),
        };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = signs.iter().find(|(sign, _)| self.take(sign)) {
            self.link()?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn named_binary(&mut self, name: &str, operator: Operator, next: usize) -> Result<Expression, TemplateError> {
        let mut left = self.binary(next)?;
        while self.take_name(name) {
            self.link()?;
            left = Expression::Binary(operator, Box::new(left), Box::new(self.binary(next)?));
        }
        Ok(left)
    }

    fn membership(&mut self) -> Result<Expression, TemplateError> {
        let mut left = self.binary(3)?;
        loop {
            let start = self.at;
            let negated = self.take_name("not");
            if !self.take_name("in") {
                self.at = start;
                return Ok(left);
            }
            self.link()?;
            let operator = if negated { Operator::NotIn } else { Operator::In };
            left = Expression::Binary(operator, Box::new(left), Box::new(self.binary(3)?));
        }
    }

    fn test(&mut self) -> Result<Expression, TemplateError> {
        let value = self.binary(4)?;
        if !self.take_name("is") {
            return Ok(value);
        }
        let negated = self.take_name("not");
        let name = self.name()?;
        let arguments = if self.take("(") { self.arguments()? } else { Arguments::default() };
        Ok(Expression::Test { name, value: Box::new(value), arguments, negated })
    }

    fn unary(&mut self, takes_filters: bool) -> Result<Expression, TemplateError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TemplateError::limit("an expression nests too deeply"));
        }
        let mut value = if self.take("-") {
            Expression::Unary('-', Box::new(self.unary(false)?))
        } else if self.take("+") {
            Expression::Unary('+', Box::new(self.unary(false)?))
        } else {
            self.primary()?
        };
        self.depth -= 1;
        while takes_filters && self.take("|") {
            self.link()?;
            let mut name = self.name()?;
            while self.take(".") {
                name = format!("{name}.{}", self.name()?);
            }
            let arguments = if self.take("(") { self.arguments()? } else { Arguments::default() };
            value = Expression::Filter(name, Box::new(value), arguments);
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expression, TemplateError> {
        let token = self.list.get(self.at).cloned().ok_or_else(|| TemplateError::syntax("an expression is missing"))?;
        self.at += 1;
        let mut value = match token {
            Token::Number(number) => Expression::Literal(Literal::Number(number)),
            Token::Text(text) => Expression::Literal(Literal::Text(text)),
            Token::Name(name) => match name.as_str() {
                "true" => Expression::Literal(Literal::Bool(true)),
                "false" => Expression::Literal(Literal::Bool(false)),
                "none" | "null" => Expression::Literal(Literal::Null),
                _ => Expression::Name(name),
            },
            Token::Sign("(") => {
                let value = self.expression()?;
                self.expect(")")?;
                value
            }
            Token::Sign("[") => Expression::List(self.items("]")?),
            Token::Sign("{") => {
                let mut entries = Vec::new();
                while !self.take("}") {
                    let key = self.primary()?;
                    self.expect(":")?;
                    entries.push((key, self.expression()?));
                    if !self.take(",") {
                        self.expect("}")?;
                        break;
                    }
                }
                Expression::Object(entries)
            }
            Token::Sign(sign) => return Err(TemplateError::syntax(format!("`{sign}` is not expected"))),
        };
        loop {
            self.link()?;
            value = if self.take("(") {
                Expression::Call(Box::new(value), self.arguments()?)
            } else if self.take("[") {
                let key = self.expression()?;
                self.expect("]")?;
                Expression::Member(Box::new(value), Box::new(key))
            } else if self.take(".") {
                let key = Expression::Literal(Literal::Text(self.name()?));
                Expression::Member(Box::new(value), Box::new(key))
            } else {
                return Ok(value);
            };
        }
    }

    fn items(&mut self, end: &str) -> Result<Vec<Expression>, TemplateError> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.expression()?);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(items)
    }

    fn arguments(&mut self) -> Result<Arguments, TemplateError> {
        let mut arguments = Arguments::default();
        while !self.take(")") {
            if let (Some(Token::Name(name)), Some(Token::Sign("="))) =
                (self.list.get(self.at), self.list.get(self.at + 1))
            {
                let name = name.clone();
                self.at += 2;
                arguments.named.push((name, self.expression()?));
            } else {
                arguments.placed.push(self.expression()?);
            }
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(arguments)
    }
}
