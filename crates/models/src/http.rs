//! One request over HTTP: exact bytes out, whole bytes back, or the fault.

use std::error::Error as _;
use std::io::Read;
use std::time::{Duration, SystemTime};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use serde_json::Value as Json;
use tokio::time::timeout;

use crate::Fault;
use crate::dialects::{Dialect, LARGEST_REPLY, RawRequest, ReplyError, error_message, parse_events, parse_lines};
use crate::shared::ModelContext;

/// Requests of a run that may be under way at once: each holds a connection.
pub(crate) const MOST_REQUESTS: usize = 8192;

/// Longest file of results of a batch, in bytes.
const LARGEST_RESULTS: usize = 512 << 20;

/// A connection to one provider.
pub(crate) struct Http {
    client: reqwest::Client,
    headers: HeaderMap,
    /// Longest silence of a stream; nothing where replies come at once.
    idle: Option<Duration>,
}

/// A fault, and how long the provider asks to wait.
pub(crate) struct AttemptError {
    pub error: ReplyError,
    pub retry_after: Option<Duration>,
}

impl From<ReplyError> for AttemptError {
    fn from(error: ReplyError) -> Self {
        Self { error, retry_after: None }
    }
}

/// A body of status 200.
pub(crate) struct ReplyBody {
    /// Its bytes, unpacked; those of a stream joined to what would have come at once.
    pub bytes: Vec<u8>,
    /// What it says that it is, where that is not JSON.
    pub odd_kind: Option<String>,
}

impl Http {
    /// A connection that sends these headers with every request, through the proxy and with the certificates that the usual
    /// variables name.
    pub(crate) fn new(
        headers: HeaderMap,
        base_url: &str,
        idle: Option<Duration>,
        shared: &ModelContext,
    ) -> Result<Self, String> {
        // Fails when the process has chosen one before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut building = reqwest::Client::builder()
            // A redirection would carry the key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(MOST_REQUESTS)
            // Proxies are those of the variables below, whatever the system says.
            .no_proxy();
        if !is_loopback(base_url) {
            for proxy in proxies(shared)? {
                building = building.proxy(proxy);
            }
            let certificates = certificates(shared)?;
            if !certificates.is_empty() {
                building = building.tls_certs_merge(certificates);
            }
        }
        let client = building.build().map_err(|error| chain(&error))?;
        Ok(Self { client, headers, idle })
    }

    /// Whether replies come in pieces.
    pub(crate) const fn streams(&self) -> bool {
        self.idle.is_some()
    }

    /// Sends a body, with further headers, and returns the body of a reply with status 200.
    pub(crate) async fn post(
        &self,
        raw: &RawRequest,
        further: HeaderMap,
        dialect: &dyn Dialect,
    ) -> Result<ReplyBody, AttemptError> {
        let mut headers = self.headers.clone();
        headers.extend(further);
        let sending = self.client.post(&raw.url).headers(headers).body(raw.body.clone());
        let (bytes, kind) = self.exchange(sending, LARGEST_REPLY, dialect).await?;
        // Some servers send events although nobody asked for a stream: the reply is there, and paid for.
        if kind.as_deref().is_some_and(|kind| kind.contains("event-stream")) || is_events(&bytes) {
            let whole = dialect.join(&parse_events(&bytes))?;
            return Ok(ReplyBody { bytes: whole.to_string().into_bytes(), odd_kind: None });
        }
        // Ollama streams lines of JSON.
        if kind.as_deref().is_some_and(|kind| kind.contains("ndjson")) {
            let whole = dialect.join(&parse_lines(&bytes))?;
            return Ok(ReplyBody { bytes: whole.to_string().into_bytes(), odd_kind: None });
        }
        Ok(ReplyBody { bytes, odd_kind: kind.filter(|kind| !kind.contains("json")) })
    }

    /// Sends a message and takes what comes back within a time, with its headers. Any status of success will do. Of a stream of
    /// events no more is read than the one that is the answer: some servers keep it open.
    pub(crate) async fn post_json(
        &self,
        url: &str,
        further: HeaderMap,
        body: String,
        is_answer: impl Fn(&Json) -> bool,
        limit: Duration,
    ) -> Result<(HeaderMap, Vec<u8>), String> {
        let mut headers = self.headers.clone();
        headers.extend(further);
        let whole = async {
            let without_url = |error: reqwest::Error| chain(&error.without_url());
            let mut response = self.client.post(url).headers(headers).body(body).send().await.map_err(without_url)?;
            let status = response.status();
            let headers = std::mem::take(response.headers_mut());
            let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            let is_stream = kind.is_some_and(|kind| kind.contains("event-stream"));
            let mut bytes: Vec<u8> = Vec::new();
            let mut read = 0;
            while let Some(piece) = response.chunk().await.map_err(without_url)? {
                if bytes.len().saturating_add(piece.len()) > LARGEST_REPLY {
                    return Err(too_large(LARGEST_REPLY).reason);
                }
                // An empty line may have begun with the piece before.
                let from = bytes.len().saturating_sub(2).max(read);
                bytes.extend_from_slice(&piece);
                if is_stream && let Some(end) = events_end(&bytes[from..]) {
                    let events = parse_events(&bytes[read..from + end]);
                    if events.iter().any(&is_answer) {
                        break;
                    }
                    read = from + end;
                }
            }
            if status.is_success() {
                return Ok((headers, bytes));
            }
            let detail = error_message(&String::from_utf8_lossy(&bytes));
            Err(format!("status {}{}{detail}", status.as_u16(), if detail.is_empty() { "" } else { ": " }))
        };
        timeout(limit, whole).await.unwrap_or_else(|_| Err(format!("no answer within {} s", limit.as_secs_f64())))
    }

    /// Fetches the body of a reply with status 200.
    pub(crate) async fn get(&self, url: &str, dialect: &dyn Dialect) -> Result<Vec<u8>, AttemptError> {
        let sending = self.client.get(url).headers(self.headers.clone());
        self.exchange(sending, LARGEST_RESULTS, dialect).await.map(|(bytes, _)| bytes)
    }

    /// Sends a request and takes the reply: the body, unpacked, of a reply with status 200, and of which kind it says it is.
    async fn exchange(
        &self,
        sending: reqwest::RequestBuilder,
        most: usize,
        dialect: &dyn Dialect,
    ) -> Result<(Vec<u8>, Option<String>), AttemptError> {
        let mut response = self.in_time(sending.send()).await?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_ascii_lowercase);
        let kind = header(CONTENT_TYPE);
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece(&mut response).await? {
            if bytes.len().saturating_add(piece.len()) > most {
                return Err(too_large(most).into());
            }
            bytes.extend_from_slice(&piece);
        }
        let bytes = decompress(bytes, header(CONTENT_ENCODING).as_deref())?;
        if status != 200 {
            let text = String::from_utf8_lossy(&bytes);
            let detail = error_message(&text);
            let reason = format!("status {status}{}{detail}", if detail.is_empty() { "" } else { ": " });
            let retry_after = dialect.retry_after(&headers, &text, SystemTime::now());
            return Err(AttemptError { error: ReplyError::new(dialect.fault(status, &text), reason), retry_after });
        }
        Ok((bytes, kind))
    }

    /// The next piece of a body.
    async fn piece(
        &self,
        response: &mut reqwest::Response,
    ) -> Result<Option<impl std::ops::Deref<Target = [u8]>>, AttemptError> {
        self.in_time(response.chunk()).await
    }

    /// Waits for the next sign of life, the first one included: with a stream no longer than it may be silent.
    async fn in_time<T>(&self, sign: impl Future<Output = reqwest::Result<T>>) -> Result<T, AttemptError> {
        let Some(idle) = self.idle else { return sign.await.map_err(connection_error) };
        if let Ok(came) = timeout(idle, sign).await {
            return came.map_err(connection_error);
        }
        let reason = format!("nothing came for {:.1} seconds", idle.as_secs_f64());
        Err(ReplyError::new(Fault::TimedOut, reason).into())
    }
}

/// Whether a body is a stream of events, whatever its header says: no JSON begins like that.
fn is_events(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    [&b"data:"[..], b"event:", b": "].iter().any(|beginning| text.starts_with(beginning))
}

/// Where the last event ends that is there as a whole: behind its empty line.
fn events_end(bytes: &[u8]) -> Option<usize> {
    (1..=bytes.len()).rev().find(|end| [&b"\n\n"[..], b"\n\r\n"].iter().any(|empty| bytes[..*end].ends_with(empty)))
}

fn too_large(most: usize) -> ReplyError {
    ReplyError::new(Fault::TooLarge, format!("the reply is longer than {} MiB", most >> 20))
}

/// A body as it was before it was packed, by its header or, where a gateway lost that, by its first bytes.
fn decompress(bytes: Vec<u8>, encoding: Option<&str>) -> Result<Vec<u8>, ReplyError> {
    let encoding = encoding.map(str::trim).filter(|name| !name.is_empty() && *name != "identity");
    let is_gzip = bytes.starts_with(&[0x1F, 0x8B]);
    let most = LARGEST_REPLY as u64 + 1;
    let mut plain = Vec::new();
    let read = match encoding {
        _ if is_gzip => MultiGzDecoder::new(bytes.as_slice()).take(most).read_to_end(&mut plain),
        Some("deflate") => ZlibDecoder::new(bytes.as_slice()).take(most).read_to_end(&mut plain),
        None | Some("gzip" | "x-gzip") => return Ok(bytes),
        Some(other) => {
            let reason = format!("the reply is packed as `{other}`, which was not asked for");
            return Err(ReplyError::new(Fault::WrongContentType, reason));
        }
    };
    match read {
        Ok(_) if plain.len() > LARGEST_REPLY => Err(too_large(LARGEST_REPLY)),
        Ok(_) => Ok(plain),
        Err(error) => Err(ReplyError::new(Fault::InvalidJson, format!("the reply cannot be unpacked: {error}"))),
    }
}

/// Makes a proxy of an address.
type ProxyConstructor = fn(&str) -> reqwest::Result<reqwest::Proxy>;

/// The proxies of `https_proxy`, `http_proxy` and `all_proxy`, without the hosts of `no_proxy`; in capitals too.
fn proxies(shared: &ModelContext) -> Result<Vec<reqwest::Proxy>, String> {
    let variable = |name: &str| shared.variable(name).or_else(|| shared.variable(&name.to_ascii_uppercase()));
    let except = variable("no_proxy").and_then(|hosts| reqwest::NoProxy::from_string(&hosts));
    let mut found = Vec::new();
    let kinds: [(&str, ProxyConstructor); 3] = [
        ("https_proxy", |url| reqwest::Proxy::https(url)),
        ("http_proxy", |url| reqwest::Proxy::http(url)),
        ("all_proxy", |url| reqwest::Proxy::all(url)),
    ];
    for (name, make) in kinds {
        if let Some(url) = variable(name) {
            // The address may hold a password and is not shown.
            let proxy = make(&url).map_err(|_| format!("`{name}` is no address of a proxy"))?;
            found.push(proxy.no_proxy(except.clone()));
        }
    }
    Ok(found)
}

/// Variables that name a file of further certificates.
const CERTIFICATES: [&str; 4] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/// Certificates of a company, beside those of the system.
fn certificates(shared: &ModelContext) -> Result<Vec<reqwest::Certificate>, String> {
    let mut found = Vec::new();
    for name in CERTIFICATES {
        let Some(path) = shared.variable(name) else { continue };
        let wrong = |reason: String| format!("the certificates `{}` of `{name}`: {reason}", path.as_str());
        let text = std::fs::read(path.as_str()).map_err(|error| wrong(error.to_string()))?;
        let list = reqwest::Certificate::from_pem_bundle(&text).map_err(|error| wrong(chain(&error)))?;
        if list.is_empty() {
            return Err(wrong("no certificate is in it".to_owned()));
        }
        found.extend(list);
    }
    Ok(found)
}

/// What a failure of the connection is. The address is left out: the model is named already.
fn connection_error(error: reqwest::Error) -> AttemptError {
    let fault = if error.is_builder() {
        Fault::BadRequest
    } else if error.is_connect() {
        Fault::NotConnected
    } else if error.is_timeout() {
        Fault::TimedOut
    } else {
        Fault::ConnectionLost
    };
    ReplyError::new(fault, chain(&error.without_url())).into()
}

/// An error with its causes.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}

/// Whether an address is on this machine, where no proxy belongs in between.
pub(crate) fn is_loopback(base_url: &str) -> bool {
    reqwest::Url::parse(base_url).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).is_some_and(|host| {
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn events_end_with_an_empty_line() {
        assert_eq!(events_end(b"data: 1\n\ndata: 2\n"), Some(9));
        assert_eq!(events_end(b"data: 1\r\n\r\ndata: 2\r\n\r\n"), Some(22));
        assert_eq!(events_end(b"data: 1\n"), None);
    }

    #[test]
    fn a_packed_body_is_unpacked_whether_its_header_says_so_or_not() {
        let packed = gzip(b"{\"a\":1}");
        assert_eq!(decompress(packed.clone(), Some("gzip")).unwrap(), b"{\"a\":1}");
        assert_eq!(decompress(packed.clone(), None).unwrap(), b"{\"a\":1}");
        assert_eq!(decompress(b"{}".to_vec(), Some("gzip")).unwrap(), b"{}", "a header that a gateway left behind");
        assert_eq!(decompress(packed[..15].to_vec(), Some("gzip")).unwrap_err().fault, Fault::InvalidJson);
        assert_eq!(decompress(b"x".to_vec(), Some("br")).unwrap_err().fault, Fault::WrongContentType);
        let bomb = gzip(&vec![b' '; LARGEST_REPLY + 1]);
        assert_eq!(decompress(bomb, Some("gzip")).unwrap_err().fault, Fault::TooLarge);
    }
}
