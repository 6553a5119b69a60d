//! [`Reader`]: JSON as programs write it, read without a general reader: strings are passed over 64 bytes at a time.
//!
//! Whatever is unusual, incomplete or wrong gives nothing, and is left to the general reader, which also says what is wrong.

use std::borrow::Cow;

use probare_text::bits::{BLOCK, bits};

/// Reads a text from its head on. Once something has given nothing, the reader is of no more use.
pub(crate) struct Reader<'a> {
    text: &'a str,
    /// Bytes that have been read.
    at: usize,
    marks: Marks<'a>,
}

/// Where strings end or are unusual: quotation marks, backslashes and control characters.
struct Marks<'a> {
    blocks: &'a [[u8; BLOCK]],
    rest: &'a [u8],
    /// The block of the last mark, and a bit for each mark in it.
    block: usize,
    bits: u64,
}

impl<'a> Marks<'a> {
    fn new(text: &'a str) -> Self {
        let (blocks, rest) = text.as_bytes().as_chunks();
        Self { blocks, rest, block: 0, bits: 0 }
    }

    /// The first mark at this place or behind it.
    #[inline]
    fn next(&mut self, from: usize) -> Option<usize> {
        let bits = self.bits & u64::MAX << (from % BLOCK);
        if from / BLOCK == self.block && bits != 0 {
            return Some(self.block * BLOCK + bits.trailing_zeros() as usize);
        }
        self.next_further(from)
    }

    /// The same where it may stand in another block than the last one.
    #[inline(never)]
    fn next_further(&mut self, from: usize) -> Option<usize> {
        let mut block = from / BLOCK;
        let mut wanted = u64::MAX << (from % BLOCK);
        loop {
            let found = self.find(block)?;
            if found & wanted != 0 {
                (self.block, self.bits) = (block, found);
                return Some(block * BLOCK + (found & wanted).trailing_zeros() as usize);
            }
            block += 1;
            wanted = u64::MAX;
        }
    }

    /// A bit for each mark in a block; nothing behind the last one.
    #[inline]
    fn find(&self, block: usize) -> Option<u64> {
        let is_mark = |byte| matches!(byte, b'"' | b'\\' | 0..b' ');
        match self.blocks.get(block) {
            Some(bytes) => Some(bits(bytes, is_mark)),
            None if block == self.blocks.len() => {
                let mut bytes = [b' '; BLOCK];
                bytes[..self.rest.len()].copy_from_slice(self.rest);
                Some(bits(&bytes, is_mark))
            }
            None => None,
        }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, marks: Marks::new(text) }
    }

    /// Bytes that have been read.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Passes over `byte` if it comes next.
    fn has(&mut self, byte: u8) -> Option<bool> {
        let is_next = self.peek()? == byte;
        self.at += usize::from(is_next);
        Some(is_next)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.has(byte)?.then_some(())
    }

    /// What stands between two brackets, with commas between its items.
    fn items(&mut self, [open, close]: [u8; 2], mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(open)?;
        if self.has(close)? {
            return Some(());
        }
        loop {
            item(self)?;
            if self.has(close)? {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    /// An object: `field` gets each name and reads the value behind it.
    pub(crate) fn object(&mut self, mut field: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.items(*b"{}", |reader| {
            let key = reader.string()?;
            reader.expect(b':')?;
            field(reader, &key)
        })
    }

    /// An array: `item` reads each of its values.
    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        self.items(*b"[]", |reader| {
            let item = item(reader)?;
            if list.is_empty() {
                // Enough for most lists, so that they do not move while they grow.
                list.reserve(8);
            }
            list.push(item);
            Some(())
        })?;
        Some(list)
    }

    /// A string, borrowed where nothing in it is escaped.
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let start = self.at;
        let mut is_escaped = false;
        let end = loop {
            let mark = self.marks.next(self.at)?;
            match self.text.as_bytes()[mark] {
                b'"' => break mark,
                b'\\' => self.at = mark + 2,
                _ => return None,
            }
            is_escaped = true;
        };
        self.at = end + 1;
        if is_escaped {
            return serde_json::from_str(&self.text[start - 1..=end]).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(&self.text[start..end]))
    }
}
