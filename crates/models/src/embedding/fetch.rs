//! A file over HTTP, whole or not at all. Redirections are followed, since the hub keeps large files elsewhere; no key is sent.

use std::time::Duration;

use probare_core::Trust;
use probare_minilm::ModelFile;
use reqwest::redirect::Policy;

use crate::http::{chain, is_loopback};
use crate::{ModelContext, ModelOptions, OpenError};

/// Where the hub is, unless `HF_ENDPOINT` names a mirror.
pub const HUB: &str = "https://huggingface.co";

/// Longest time without a byte.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// Reads a file from an address. More bytes than the file has are not read; what they hold is for the caller to check.
/// The reason where it does not come.
pub fn fetch(url: &str, file: &ModelFile) -> Result<Vec<u8>, String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let to_text = |error: OpenError| error.to_string();
    let shared = ModelContext::open(ModelOptions::new(Trust::Trusted)).map_err(to_text)?;
    shared.start(false).map_err(to_text)?;
    let mut building = reqwest::Client::builder()
        .redirect(Policy::limited(5))
        .connect_timeout(Duration::from_secs(30))
        .read_timeout(READ_TIMEOUT)
        .user_agent(concat!("probare/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        building = building.no_proxy();
    }
    let client = building.build().map_err(|error| chain(&error))?;
    let download = async {
        let mut response = client.get(url).send().await.map_err(|error| chain(&error.without_url()))?;
        if response.status().as_u16() != 200 {
            return Err(format!("status {}", response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| chain(&error.without_url()))? {
            bytes.extend_from_slice(&piece);
            if bytes.len() as u64 > file.size {
                return Err(format!("there are more than the {} bytes that `{}` has", file.size, file.name));
            }
        }
        Ok(bytes)
    };
    shared.block_on(download).unwrap_or_else(|| Err("the thread that reads stopped, which is a bug".to_owned()))
}
