//! The tree of a template.

use std::rc::Rc;

#[derive(Debug, Clone)]
pub(super) enum Expression {
    Literal(Literal),
    Name(String),
    List(Vec<Expression>),
    Object(Vec<(Expression, Expression)>),
    Member(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Arguments),
    Filter(String, Box<Expression>, Arguments),
    Test { name: String, value: Box<Expression>, arguments: Arguments, negated: bool },
    Unary(char, Box<Expression>),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Condition(Box<Expression>, Box<Expression>, Option<Box<Expression>>),
}

impl Expression {
    /// The name that an expression is, with those of its members; nothing where it is more.
    pub(super) fn path(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name.clone()),
            Self::Member(owner, key) => {
                let owner = owner.path()?;
                match key.as_ref() {
                    Self::Literal(Literal::Text(key)) => Some(format!("{owner}.{key}")),
                    Self::Literal(Literal::Number(place)) => Some(format!("{owner}[{place}]")),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

/// Arguments by place and by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub(super) placed: Vec<Expression>,
    pub(super) named: Vec<(String, Expression)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    In,
    NotIn,
    Equal,
    StrictlyEqual,
    NotEqual,
    StrictlyNotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Join,
    Add,
    Subtract,
    Multiply,
    Divide,
    DivideWhole,
    Remainder,
    Power,
}

/// What a template is made of.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Text(String),
    Output(Expression),
    If(Vec<(Expression, Vec<Node>)>, Vec<Node>),
    For { names: Vec<String>, over: Expression, body: Vec<Node>, otherwise: Vec<Node> },
    Set(Vec<String>, Expression),
    SetBlock(String, Vec<Node>),
    Macro(Rc<Macro>),
    CallBlock(Expression, Vec<Node>),
    FilterBlock(String, Arguments, Vec<Node>),
}

#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: String,
    pub(super) parameters: Vec<(String, Option<Expression>)>,
    pub(super) body: Vec<Node>,
}
