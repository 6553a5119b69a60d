//! Signature version 4 of AWS: a digest of the request, signed with a key made from the secret, the day, the region and the
//! service.

use std::time::{Duration, SystemTime};

use probare_core::Sha256;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
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
        let (day, moment) = stamp(now);
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
        let first = Zeroizing::new(format!("AWS4{}", self.secret.expose()));
        let mut key = Zeroizing::new(hmac(first.as_bytes(), day.as_bytes()));
        for piece in [self.region.as_str(), SERVICE, "aws4_request"] {
            key = Zeroizing::new(hmac(&*key, piece.as_bytes()));
        }
        let signature: String = hmac(&*key, text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
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

/// HMAC with SHA-256 (RFC 2104).
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut padded = Zeroizing::new([0_u8; BLOCK]);
    if key.len() > BLOCK {
        let mut digest = Sha256::default();
        digest.update(key);
        padded[..32].copy_from_slice(&digest.digest());
    } else {
        padded[..key.len()].copy_from_slice(key);
    }
    let with = |pad: u8| Zeroizing::new(padded.map(|byte| byte ^ pad));
    let mut inner = Sha256::default();
    inner.update(&with(0x36)[..]);
    inner.update(text);
    let mut outer = Sha256::default();
    outer.update(&with(0x5C)[..]);
    outer.update(inner.digest());
    outer.digest()
}

/// The day and the moment as AWS writes them: `20150830` and `20150830T123600Z`.
fn stamp(now: SystemTime) -> (String, String) {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1970 as a date (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let date = format!("{year:04}{month:02}{day:02}");
    let moment = format!("{date}T{:02}{:02}{:02}Z", rest / 3600, rest % 3600 / 60, rest % 60);
    (date, moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(
            hex(hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(hmac(&[0xAA; 131], b"Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn a_moment_is_written_as_aws_writes_it() {
        let at = |seconds| stamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).1;
        assert_eq!(at(1_440_938_160), "20150830T123600Z");
        assert_eq!(at(951_782_400), "20000229T000000Z");
        assert_eq!(at(0), "19700101T000000Z");
    }

    #[test]
    fn the_signing_key_is_that_of_the_published_example() {
        // The example of AWS' documentation for the derivation of a signing key.
        let mut key = hmac(b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", b"20150830");
        for piece in ["us-east-1", "iam", "aws4_request"] {
            key = hmac(&key, piece.as_bytes());
        }
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
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
