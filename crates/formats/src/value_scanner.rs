//! [`ValueScanner`]: where a JSON value ends. It knows strings and brackets and nothing else of JSON, and keeps nothing.

use memchr::memchr2;

/// What ends a value.
pub(crate) enum Ending {
    /// A comma of the array.
    Comma,
    /// The bracket of the array.
    Bracket,
    /// The value is complete in itself.
    Own,
    /// The end of the file.
    File,
}

/// What a value stands in, which tells how far it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueScope {
    /// An array: all up to its next comma or its bracket is the value.
    Array,
    /// Values one after the other, up to white space where nothing else ends one.
    Sequence,
    /// An array or an object whose reader takes commas, colons and brackets itself: these end a value, too.
    Member,
}

/// How far one value was walked over.
pub(crate) struct ValueScanner {
    scope: ValueScope,
    has_begun: bool,
    depth: usize,
    inside: ScanContext,
}

/// What the next byte stands in.
#[derive(Clone, Copy)]
enum ScanContext {
    Value,
    String,
    /// Behind a backslash in a string.
    Escape,
}

impl ValueScanner {
    pub(crate) const fn new(scope: ValueScope) -> Self {
        Self { scope, has_begun: false, depth: 0, inside: ScanContext::Value }
    }

    /// Whether a bracket or a string is open.
    pub(crate) const fn is_open(&self) -> bool {
        self.depth > 0 || !matches!(self.inside, ScanContext::Value)
    }

    /// How many bytes belong to the value, and what ends it if it ends here. Signs of what it stands in are not counted.
    pub(crate) fn over(&mut self, buffer: &[u8]) -> (usize, Option<Ending>) {
        let is_array = self.scope == ValueScope::Array;
        let is_member = self.scope == ValueScope::Member;
        let ends_itself = |depth: usize| depth == 0 && !is_array;
        let mut at = 0;
        while at < buffer.len() {
            match (self.inside, buffer[at]) {
                (ScanContext::String, _) => {
                    let Some(next) = memchr2(b'"', b'\\', &buffer[at..]) else { return (buffer.len(), None) };
                    at += next;
                    if buffer[at] == b'\\' {
                        self.inside = ScanContext::Escape;
                    } else {
                        self.inside = ScanContext::Value;
                        if ends_itself(self.depth) {
                            return (at + 1, Some(Ending::Own));
                        }
                    }
                }
                (ScanContext::Value, b'"') | (ScanContext::Escape, _) => self.inside = ScanContext::String,
                (ScanContext::Value, b'{' | b'[') => self.depth += 1,
                (ScanContext::Value, b']') if is_array && self.depth == 0 => return (at, Some(Ending::Bracket)),
                (ScanContext::Value, b',') if is_array && self.depth == 0 => return (at, Some(Ending::Comma)),
                (ScanContext::Value, b',' | b':' | b'}' | b']') if is_member && self.depth == 0 => {
                    return (at, Some(Ending::Own));
                }
                (ScanContext::Value, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    if ends_itself(self.depth) {
                        return (at + 1, Some(Ending::Own));
                    }
                }
                (ScanContext::Value, b' ' | b'\t' | b'\n' | b'\r') if self.has_begun && ends_itself(self.depth) => {
                    return (at, Some(Ending::Own));
                }
                (ScanContext::Value, _) => {}
            }
            self.has_begun = true;
            at += 1;
        }
        (at, None)
    }
}
