//! [`Repair`]: what had to be forgiven to read a value.

/// What had to be forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Text stands around the value.
    Surrounded,
    /// It stands in a fenced block.
    Fenced,
    /// A comment.
    Comment,
    /// A comma before a closing bracket, or two in a row.
    ExtraComma,
    /// No comma between two items.
    MissingComma,
    /// No colon, or no value, after a key.
    MissingValue,
    /// Quotes other than the double one.
    SingleQuotes,
    /// A key or a text without quotes.
    BareWord,
    /// `True`, `False`, `None` and other spellings of the three constants.
    Constant,
    /// A number as JSON does not write it, such as `.5` or `+1`.
    Number,
    /// A line break or another control character inside a text.
    RawControl,
    /// A quote inside a text that should have been escaped.
    InnerQuote,
    /// An escape that JSON does not know.
    Escape,
    /// `...` in place of items.
    Ellipsis,
    /// A bracket or a quote that was never closed, or closed by another.
    MissingBracket,
}
