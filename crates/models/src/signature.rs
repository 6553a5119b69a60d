//! Signature version 4 of AWS: a digest of the request, signed with a key made from the secret, the day, the region and the
//! service.

use std::time::SystemTime;

use probare_core::{Sha256, Utc, hex};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// The service that is asked.
const SERVICE: &str = "bedrock";

/// Who signs.
pub(crate) struct Signer {
    pub access_key: String,
    pub secret: Secret,
    /// The token of a session, where the keys are those of one.
    pub token: Option<Secret>,
    pub region: String,
}

impl Signer {
    /// The headers that sign a request with this body at this moment.
    pub(crate) fn headers(&self, url: &str, body: &[u8], now: SystemTime) -> Option<HeaderMap> {
        let url = reqwest::Url::parse(url).ok()?;
        let host = match (url.host_str()?, url.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        let moment = stamp(now);
        let day = &moment[..8];
        let mut named = vec![("host", host), ("x-amz-date", moment.clone())];
        if let Some(token) = &self.token {
            named.push(("x-amz-security-token", token.expose().to_owned()));
        }
        let names = named.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = named.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        // Signed as it is sent, and escaped once more, as every service but one wants it.
        let path = url.path().split('/').map(crate::dialects::bedrock::escaped).collect::<Vec<_>>().join("/");
        let query = url.query().unwrap_or_default();
        let canonical =
            Zeroizing::new(format!("POST\n{path}\n{query}\n{lines}\n{names}\n{}", Sha256::hex_digest(body)));
        let scope = format!("{day}/{}/{SERVICE}/aws4_request", self.region);
        let text = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{}", Sha256::hex_digest(canonical.as_bytes()));
        let key = signing_key(self.secret.expose(), day, &self.region, SERVICE);
        let signature = hex(hmac_tag(key.as_ref(), &text).as_ref());
        let access = &self.access_key;
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={access}/{scope}, SignedHeaders={names}, Signature={signature}");
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| -> Option<()> {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
            Some(())
        };
        add("authorization", &authorization)?;
        add("x-amz-date", &moment)?;
        if let Some(token) = &self.token {
            add("x-amz-security-token", token.expose())?;
        }
        Some(headers)
    }
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac_tag(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

/// A moment as AWS writes it: `20150830T123600Z`.
fn stamp(now: SystemTime) -> String {
    Utc::from_system_time(now).stamp().replace('_', "T") + "Z"
}

/// The key that signs: made from the secret, the day, the region and the service.
fn signing_key(secret: &str, day: &str, region: &str, service: &str) -> hmac::Tag {
    let first = Zeroizing::new(format!("AWS4{secret}"));
    let day_key = hmac_tag(first.as_bytes(), day);
    [region, service, "aws4_request"].iter().fold(day_key, |key, piece| hmac_tag(key.as_ref(), piece))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_moment_is_written_as_aws_writes_it() {
        let at = |seconds| stamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(1_440_938_160), "20150830T123600Z");
        assert_eq!(at(951_782_400), "20000229T000000Z");
        assert_eq!(at(0), "19700101T000000Z");
    }

    #[test]
    fn the_signing_key_is_that_of_the_published_example() {
        // The example of AWS' documentation for the derivation of a signing key.
        let key = signing_key("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830", "us-east-1", "iam");
        assert_eq!(hex(key.as_ref()), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    }

    #[test]
    fn a_request_is_signed_the_same_each_time_and_the_secret_is_not_in_it() {
        let signer = Signer {
            access_key: "AKIDEXAMPLE".into(),
            secret: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            token: None,
            region: "us-east-1".into(),
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_mins(24_015_636);
        let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m%3A0/converse";
        let sign = |body: &[u8]| signer.headers(url, body, now).unwrap()["authorization"].to_str().unwrap().to_owned();
        assert_eq!(sign(b"{}"), sign(b"{}"));
        assert_ne!(sign(b"{}"), sign(b"{ }"));
        assert!(sign(b"{}").starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature="));
        assert!(!sign(b"{}").contains("wJalr"));
    }
}
