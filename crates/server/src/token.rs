//! [`Token`]: what a client has to know. Only its SHA-256 is kept, and comparing takes the same time whatever is sent.

use std::fmt;

use probare_core::Sha256;
use subtle::ConstantTimeEq;

/// Fewer characters than this can be guessed.
const SHORTEST: usize = 16;

/// What a client has to know, as its digest.
#[derive(Clone)]
pub struct AuthToken([u8; 32]);

impl fmt::Debug for AuthToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

/// A token that cannot be used. It is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It is too short.
    #[error("the token has {length} characters; at least {SHORTEST} are needed")]
    Short { length: usize },
    /// It cannot be sent in a header.
    #[error("the token holds spaces or signs that cannot be sent; letters, digits and - . _ ~ + / = can")]
    Signs,
}

impl AuthToken {
    /// Takes a token over; white space around it, as files have it at their end, goes.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        let length = text.chars().count();
        if length < SHORTEST {
            return Err(TokenError::Short { length });
        }
        // What RFC 6750 allows in a header, so that a token works in both places.
        let is_fine = |sign: u8| sign.is_ascii_alphanumeric() || b"-._~+/=".contains(&sign);
        if !text.bytes().all(is_fine) {
            return Err(TokenError::Signs);
        }
        Ok(Self(digest(text)))
    }

    /// Whether this is the token.
    pub(crate) fn is(&self, given: &str) -> bool {
        digest(given)[..].ct_eq(&self.0[..]).into()
    }
}

fn digest(text: &str) -> [u8; 32] {
    let mut digest = Sha256::default();
    digest.update(text);
    digest.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let token = AuthToken::new(" 0123456789abcdef\n").unwrap();
        assert!(token.is("0123456789abcdef"));
        for other in ["", "0123456789abcdee", "0123456789abcdef ", "0123456789abcdeF", "0123456789abcdef0"] {
            assert!(!token.is(other), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn a_token_that_protects_nothing_is_refused() {
        assert_eq!(AuthToken::new("short").unwrap_err(), TokenError::Short { length: 5 });
        assert_eq!(AuthToken::new("0123456789 abcdef").unwrap_err(), TokenError::Signs);
        assert_eq!(AuthToken::new("0123456789abcdéfg").unwrap_err(), TokenError::Signs);
    }
}
