//! [`HttpRequest`]: a request as the small servers of tests read it, and the answer that they write.

use std::io::{self, Read, Write};

/// A request whose body has a length.
pub struct HttpRequest {
    /// The first line and the headers, up to the blank line.
    pub head: String,
    /// What comes after them.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// Reads a request; nothing where the connection ends before it does.
    pub fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 8192]);
        loop {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                return Ok(None);
            }
            bytes.extend_from_slice(&buffer[..count]);
            let Some(start) = bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4) else {
                continue;
            };
            let head = String::from_utf8_lossy(&bytes[..start]).into_owned();
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
            });
            if let Some(body) = bytes.get(start..start + length.unwrap_or(0)) {
                return Ok(Some(Self { head, body: body.to_vec() }));
            }
        }
    }

    /// The method and the path of the first line.
    pub fn method_and_path(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    }
}

/// Answers with JSON and ends the connection.
pub fn write_json_response(stream: &mut impl Write, status: u16, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
