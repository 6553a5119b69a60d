//! How many cases a second `probare run` gets through at several numbers of concurrent requests, beside the ideal, with the
//! processor time of a case and the most memory. Every question is answered after a latency by a server in this process.
//!
//! The ideal is concurrency divided by latency. Server and program share the machine, so what the server takes is told, too.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::program::{self, ResourceUsage, measure_command};
use crate::{corpus, processor_time};

const CASES: usize = 5_000;
const LATENCY: Duration = Duration::from_millis(50);
const AT_ONCE: [u32; 3] = [50, 200, 1_000];

/// How often each is measured; the best counts.
const RUNS: usize = 2;

/// Prints a line for each number of concurrent requests.
pub fn print(folder: &Path) -> Result<(), Box<dyn Error>> {
    let program = program::path()?;
    let address = serve()?;
    println!("\n`probare run`, {CASES} cases, store and response cache, replies after {} ms", LATENCY.as_millis());
    println!(
        "{:>8} {:>10} {:>8} {:>7} {:>12} {:>11} {:>14}",
        "at once", "cases/s", "ideal", "share", "peak memory", "CPU µs/case", "server µs/case"
    );
    for at_once in AT_ONCE {
        let mut best: Option<(f64, ResourceUsage, f64)> = None;
        for run in 0..RUNS {
            let place = folder.join(format!("rates-{at_once}-{run}"));
            prepare(&place, address, at_once)?;
            let (start, server) = (Instant::now(), processor_time::process_seconds().unwrap_or_default());
            let used =
                measure_command(Command::new(&program).current_dir(&place).args(["run", "probare.yaml", "--quiet"]))
                    .ok_or("the run failed")?;
            let rate = CASES as f64 / start.elapsed().as_secs_f64();
            let server = processor_time::process_seconds().unwrap_or_default() - server;
            std::fs::remove_dir_all(&place)?;
            if best.is_none_or(|(known, ..)| rate > known) {
                best = Some((rate, used, server));
            }
        }
        let Some((rate, used, server)) = best else { continue };
        let ideal = f64::from(at_once) / LATENCY.as_secs_f64();
        let memory = used.memory.map_or("unknown".to_owned(), |bytes| format!("{} MB", bytes / 1_000_000));
        let micros = |seconds: f64| seconds / CASES as f64 * 1e6;
        println!(
            "{at_once:>8} {rate:>10.0} {ideal:>8.0} {:>6.0}% {memory:>12} {:>11.0} {:>14.0}",
            100.0 * rate / ideal,
            micros(used.seconds),
            micros(server)
        );
    }
    Ok(())
}

/// A folder with cases and a configuration.
fn prepare(place: &Path, address: SocketAddr, at_once: u32) -> Result<(), Box<dyn Error>> {
    if place.exists() {
        std::fs::remove_dir_all(place)?;
    }
    std::fs::create_dir_all(place)?;
    let lines = (0..CASES)
        .map(|n| format!("{}\n", json!({"id": format!("c{n}"), "query": format!("Question {n}?"), "reference": "so"})));
    corpus::save(&place.join("cases.jsonl"), lines.collect::<String>())?;
    let base_url = format!("http://{address}/v1");
    let config = json!({
        "datasets": [{"path": "cases.jsonl"}],
        "models": [{"name": "m", "base_url": base_url, "concurrency": at_once, "max_tokens": 20}],
        "generate": {"prompt": "{{query}}"},
        "metrics": ["contains"],
    });
    corpus::save(&place.join("probare.yaml"), config.to_string())?;
    Ok(())
}

/// Starts a server that answers every question after the latency: a thread for each connection, since nothing is cheaper.
fn serve() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away is no matter of the server.
            let _ = thread::Builder::new().stack_size(128 << 10).spawn(move || drop(answer(&stream)));
        }
    });
    Ok(address)
}

fn answer(stream: &TcpStream) -> io::Result<()> {
    let body = json!({
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": "It is so."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
    })
    .to_string();
    let reply =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(4 << 10, stream);
    let (mut line, mut question) = (String::new(), Vec::new());
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or_default();
            }
        }
        question.resize(length, 0);
        reader.read_exact(&mut question)?;
        thread::sleep(LATENCY);
        (&mut &*stream).write_all(reply.as_bytes())?;
    }
}
