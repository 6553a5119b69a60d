//! A browser for tests: Chromium through its driver, spoken to in the `WebDriver` protocol (W3C) over plain HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// A page that does not show what it should by then never will.
const PATIENCE: Duration = Duration::from_mins(1);

/// A browser with one tab.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Open as long as the driver may say something.
    _said: BufReader<ChildStdout>,
    profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one; nothing, with a reason, where there is no Chromium with its driver.
    pub fn start() -> Option<Self> {
        let missing = ["chromium", "chromedriver"]
            .into_iter()
            .find(|program| Command::new(program).arg("--version").output().is_err());
        if let Some(program) = missing {
            probare_testing::report_skipped(&format!("{program} is not installed (Debian: chromium, chromium-driver)"));
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap();
        let mut said = BufReader::new(driver.stdout.take().unwrap());
        let port = said.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let port = port.expect("the driver says where it listens");
        let mut browser = Self { driver, port, session: String::new(), _said: said, profile };
        let folder = format!("--user-data-dir={}", browser.profile.path().display());
        let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", &folder];
        let wanted = json!({"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}});
        let wanted = json!({"capabilities": {"alwaysMatch": wanted}});
        let made = browser.command("POST", "/session", Some(&wanted));
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        browser.size(1280, 900);
        Some(browser)
    }

    /// Sends a command and gives its value; what the driver refuses fails the test.
    fn command(&self, method: &str, path: &str, body: Option<&Json>) -> Json {
        let (status, value) = request(self.port, method, &format!("{}{path}", self.session), body);
        assert_eq!(status, 200, "{method} {path}: {value}");
        value
    }

    /// Opens an address in a new tab, which has nothing of the first but its place, and goes on there.
    pub fn open_tab(&self, address: &str) {
        let made = self.command("POST", "/window/new", Some(&json!({"type": "tab"})));
        self.command("POST", "/window", Some(&json!({"handle": made["handle"]})));
        self.open(address);
    }

    /// Width and height of the window.
    pub fn size(&self, width: u32, height: u32) {
        self.command("POST", "/window/rect", Some(&json!({"width": width, "height": height})));
    }

    /// What the reader prefers: `light` or `dark`, and whether the page is printed.
    pub fn media(&self, scheme: &str, kind: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let parameters = json!({"media": kind, "features": features});
        let body = json!({"cmd": "Emulation.setEmulatedMedia", "params": parameters});
        self.command("POST", "/goog/cdp/execute", Some(&body));
    }

    /// A window as narrow as a telephone: the window itself cannot be.
    pub fn telephone(&self, width: u32) {
        let parameters = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        let body = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": parameters});
        self.command("POST", "/goog/cdp/execute", Some(&body));
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.command("POST", "/url", Some(&json!({"url": address})));
    }

    /// What an expression comes to on the page.
    pub fn evaluate(&self, expression: &str) -> Json {
        let body = json!({"script": format!("return ({expression});"), "args": []});
        self.command("POST", "/execute/sync", Some(&body))
    }

    /// The same as a text.
    pub fn text(&self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression holds; gives how long that took.
    pub fn until(&self, expression: &str) -> Duration {
        let since = Instant::now();
        while !self.evaluate(&format!("Boolean({expression})")).as_bool().unwrap_or_default() {
            let seen = || self.text("location.href + '\\n' + document.body.innerText");
            assert!(since.elapsed() < PATIENCE, "not so: {expression}\n{}", seen());
            std::thread::sleep(Duration::from_millis(20));
        }
        since.elapsed()
    }

    /// What the browser had to complain about since it was asked last: errors of scripts, and what the policy of a page refused.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("POST", "/se/log", Some(&json!({"type": "browser"})));
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Presses keys, one after the other.
    pub fn press(&self, keys: &str) {
        let strokes: Vec<Json> = keys
            .chars()
            .flat_map(|key| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})])
            .collect();
        let body = json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]});
        self.command("POST", "/actions", Some(&body));
    }

    /// Writes these words into the line that filters cases, and presses Enter.
    pub fn filter(&self, words: &str) {
        self.evaluate(&format!(
            "(() => {{ const field = document.getElementById('filter'); field.value = {}; \
             field.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }})); }})()",
            json!(words)
        ));
    }

    /// Points at the first element of this selector.
    pub fn point(&self, selector: &str) {
        let found = self.command("POST", "/element", Some(&json!({"using": "css selector", "value": selector})));
        let body = json!({"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": found}]}]});
        self.command("POST", "/actions", Some(&body));
    }

    /// Keeps pictures of the window: light, dark, and as narrow as a telephone.
    pub fn pictures(&self, name: &str) {
        self.picture(&format!("{name}-light"));
        self.media("dark", "screen");
        self.picture(&format!("{name}-dark"));
        self.media("light", "screen");
        self.telephone(420);
        self.picture(&format!("{name}-420"));
        self.telephone(1280);
    }

    /// Keeps a picture of the window where `PROBARE_PICTURES` names a folder.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("PROBARE_PICTURES") else { return };
        let picture = self.command("GET", "/screenshot", None);
        let bytes = base64(picture.as_str().unwrap());
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // A driver that is gone has taken its browser with it.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                request(self.port, "DELETE", &self.session, None)
            }));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// One request on a connection of its own; gives the status and the value of the reply.
fn request(port: u16, method: &str, path: &str, body: Option<&Json>) -> (u16, Json) {
    let body = body.map(Json::to_string).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let (status, _, reply) = raw(port, &format!("{head}{body}"));
    let json: Json = serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error}: {reply}"));
    (status, json["value"].clone())
}

/// Sends a request as it is; gives status, head and body. A reply without a length goes on until the connection is closed.
pub fn raw(port: u16, request: &str) -> (u16, String, String) {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    connection.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<u64>().ok());
    let mut body = Vec::new();
    reader.take(length.unwrap_or(u64::MAX)).read_to_end(&mut body).unwrap();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, head, String::from_utf8_lossy(&body).into_owned())
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |sign: u8| match sign {
        b'A'..=b'Z' => sign - b'A',
        b'a'..=b'z' => sign - b'a' + 26,
        b'0'..=b'9' => sign - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|sign| *sign != b'=').map(|sign| digit(sign).into()).collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let joined = group.iter().enumerate().fold(0, |sum, (at, digit)| sum | digit << (18 - 6 * at));
        bytes.extend(&joined.to_be_bytes()[1..group.len()]);
    }
    bytes
}
