//! Through a proxy and with the certificate of a company, by the variables that every tool reads.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, OpenError};
use probare_testing::{ServerBehaviour, TestServer};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::{options, question};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// A proxy that leads every `CONNECT` to a server of its own, which speaks TLS as `models.example`; the first lines it read.
fn tunnel() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = std::sync::mpsc::channel();
    let certificates = CertificateDer::pem_file_iter(data("server.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // Whoever does not trust the certificate goes away.
            let _ = answer(stream, &config, &sender);
        }
    });
    (address, receiver)
}

fn answer(
    stream: TcpStream,
    config: &Arc<rustls::ServerConfig>,
    sender: &std::sync::mpsc::Sender<String>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let _ = sender.send(first.trim().to_owned());
    let mut plain = stream;
    plain.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let connection = rustls::ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
    let mut secure = BufReader::new(rustls::StreamOwned::new(connection, plain));
    let mut size = 0;
    loop {
        let mut line = String::new();
        secure.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            size = value.trim().parse().unwrap_or_default();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    secure.read_exact(&mut vec![0; size])?;
    let body = r#"{"choices":[{"message":{"content":"through"},"finish_reason":"stop"}]}"#;
    let reply =
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    secure.get_mut().write_all(reply.as_bytes())?;
    secure.get_mut().flush()
}

fn ask(base_url: &str, variables: &[(&str, &str)]) -> Result<probare_core::ModelReply, OpenError> {
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let shared = ModelContext::open(ModelOptions { environment: Some(environment), ..options(None) }).unwrap();
    let settings = ModelSettings {
        base_url: Some(base_url.to_owned()),
        max_attempts: Some(1),
        timeout: Some(10.0),
        ..ModelSettings::from_name("far")
    };
    Ok(Client::open(settings, &shared)?.ask(&[question("a")]).remove(0))
}

#[test]
fn a_proxy_and_the_certificate_of_a_company_are_used() {
    let (proxy, receiver) = tunnel();
    let certificate = data("ca.pem").display().to_string();
    for (name, variable) in
        [("https_proxy", "SSL_CERT_FILE"), ("HTTPS_PROXY", "REQUESTS_CA_BUNDLE"), ("all_proxy", "CURL_CA_BUNDLE")]
    {
        let reply = ask("https://models.example/v1", &[(name, &proxy), (variable, &certificate)]).unwrap();
        assert_eq!(reply.response_text().unwrap(), "through", "{name} {variable}");
        assert_eq!(receiver.recv().unwrap(), "CONNECT models.example:443 HTTP/1.1");
    }
    let stranger = ask("https://models.example/v1", &[("https_proxy", &proxy)]).unwrap();
    assert!(stranger.response_text().is_err(), "nobody vouches for this certificate");
    let excepted =
        ask("https://models.example/v1", &[("https_proxy", &proxy), ("no_proxy", "models.example")]).unwrap();
    assert!(excepted.response_text().is_err(), "without the proxy nobody is there");
    assert_eq!(receiver.try_iter().count(), 1, "only the stranger came through the proxy");
}

#[test]
fn a_server_of_this_machine_needs_no_proxy_and_a_wrong_variable_is_told() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let reply =
        ask(&format!("{}/v1", server.url()), &[("http_proxy", "http://127.0.0.1:9"), ("SSL_CERT_FILE", "/none")]);
    assert_eq!(reply.unwrap().response_text().unwrap(), "reply to a");
    let plain = ask("http://models.example/v1", &[("http_proxy", &server.url())]).unwrap();
    assert_eq!(plain.response_text().unwrap(), "reply to a", "the proxy answers for the host");
    let missing = ask("https://models.example/v1", &[("SSL_CERT_FILE", "/none.pem")]).unwrap_err().to_string();
    assert!(missing.contains("SSL_CERT_FILE") && missing.contains("/none.pem"), "{missing}");
    let empty = data("server.key").display().to_string();
    assert!(ask("https://models.example/v1", &[("SSL_CERT_FILE", &empty)]).is_err());
    let wrong =
        ask("https://models.example/v1", &[("https_proxy", "http://user:hunter2-hunter2@[")]).unwrap_err().to_string();
    assert!(wrong.contains("https_proxy") && !wrong.contains("hunter2"), "{wrong}");
}
