//! The engine over HTTP.
//!
//! [`Server`] answers the published paths of two systems that Probare replaces (`POST /evaluate`, `POST /prompt`,
//! `POST /evaluation-prompt`) and our own under `/v1`: cases and metric requests in, result lines out, through the same
//! road as every other run. One table, [`routes`], is what requests are routed by and what `/openapi.json` is made from.
//!
//! With a [`Desk`](probare_engine::Desk) it also has pages for people, under [`VIEWER_PATH`]; what they ask is theirs alone and no
//! part of the published interface.
//!
//! Whatever a client does, the server stays small: bodies, time, connections and waiting requests are bounded, what
//! computes does so on threads of its own, and a slow reader slows its own scoring down. An error is JSON that says what
//! was expected; it never names a path of this machine and never holds the words of a panic or a token.
//!
//! ```
//! use std::io::{Read, Write};
//! use probare_server::{Server, ServerSettings};
//!
//! let server = Server::bind("127.0.0.1:0", ServerSettings::default())?;
//! let (address, stop) = (server.address(), server.stop());
//! let running = std::thread::spawn(move || server.run());
//! let mut connection = std::net::TcpStream::connect(address)?;
//! connection.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut reply = String::new();
//! connection.read_to_string(&mut reply)?;
//! assert!(reply.ends_with(r#"{"status":"ok"}"#));
//! stop.stop();
//! running.join().expect("it does not panic")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod api_error;
mod app;
mod body;
mod catalogue;
mod collect;
mod connections;
mod counters;
mod evaluate;
mod index_answerer;
mod monitoring;
mod openapi;
mod otlp;
mod pool;
mod prompt;
mod prompt_answerer;
mod route;
mod router;
mod routes;
mod score;
mod server;
mod settings;
mod token;
mod trace_body;
mod traces;
mod vectors;
mod view;
mod write_timeout;

pub use collect::{Collector, CollectorError, CollectorSettings, OperatorLog};
pub use index_answerer::IndexAnswerer;
pub use prompt_answerer::{PromptAnswerer, PromptError};
pub use routes::{openapi_document, route_paths};
pub use server::{ServeError, Server, StopHandle};
pub use settings::{ServerLimits, ServerSettings};
pub use token::{AuthToken, TokenError};
pub use view::VIEWER_PATH;
