//! `probare view` in a real browser: what is seen, which keys work, that nothing of a text runs, and who is refused.

mod driver;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

use driver::{Browser, raw};

const PROGRAM: &str = env!("CARGO_BIN_EXE_probare");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A desk that is served.
struct Viewed {
    child: Child,
    /// The address with the token.
    address: String,
    port: u16,
    token: String,
}

impl Viewed {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("view").args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("no address: `{address}`"));
        let (port, token) = rest.split_once("/view#token=").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        Self { child, address, port, token }
    }

    /// Asks without a browser.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        raw(self.port, &format!("{text}\r\n"))
    }

    fn json(&self, path: &str) -> Json {
        let bearer = format!("Bearer {}", self.token);
        let (status, _, body) = self.ask("GET", path, &[("Authorization", &bearer)]);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Viewed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn probare(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 2)), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// A copy of the example with two models, run, in a folder of its own.
fn example_run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/run");
    fs::create_dir(folder.path().join("replies")).unwrap();
    for name in ["cases.jsonl", "probare.yaml", "replies/swift.jsonl", "replies/steady.jsonl", "replies/judges.jsonl"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    probare(folder.path(), &["run", "probare.yaml", "--quiet"]);
    folder
}

const ROWS: &str = "document.querySelectorAll('tbody.case').length";

#[test]
fn a_run_is_read_in_a_browser_from_its_means_to_the_evidence_of_a_case() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let desk = Viewed::start(folder.path(), &[]);
    browser.open(&desk.address);
    browser.until("document.querySelectorAll('article.run table').length >= 2");
    assert_eq!(browser.text("location.hash"), "#/runs", "the token leaves the address");
    let models = browser.text("document.querySelector('article[data-run=r1] tbody').innerText");
    assert!(models.contains("swift") && models.contains("steady") && models.contains("all"), "{models}");

    // What the page says is what the program says.
    let shown = browser.text("document.querySelector('article[data-run=r1] tbody tr:last-child .mean').innerText");
    let exported = probare(folder.path(), &["runs", "export", "1", "-o", "all.json"]);
    let written: Json = serde_json::from_str(&fs::read_to_string(folder.path().join("all.json")).unwrap()).unwrap();
    let summary = written.pointer("/manifest/summary").or_else(|| written.pointer("/run/summary"));
    let mean = summary.and_then(|summary| summary["metrics"][0]["mean"].as_f64());
    assert_eq!(Some(shown), mean.map(|mean| format!("{mean:.3}")), "{exported}");
    assert!(browser.text("document.querySelector('article[data-run=r1] .banner').innerText").contains("answer_match"));
    browser.picture("runs-light");

    // Cases: the keys, the filter, the address.
    browser.look("document.querySelector('article[data-run=r1] h2 a').click()");
    browser.until(&format!("{ROWS} === 50"));
    browser.picture("cases-light");
    let total = browser.text("document.getElementById('amount').innerText");
    browser.press("jj");
    assert_eq!(browser.look("[...document.querySelectorAll('a.open')].indexOf(document.activeElement)"), 1);
    browser.press("k/");
    assert_eq!(browser.text("document.activeElement.id"), "filter");
    browser.press("token_f1<0.5 model:swift\u{e007}");
    browser.until("location.hash.includes('token_f1') && document.getElementById('amount').innerText.includes('fit')");
    let fit = browser.text("document.getElementById('amount').innerText");
    let listed = desk.json("/view/api/cases?run=r1&q=token_f1%3C0.5%20model:swift&most=200");
    assert_eq!(fit, format!("{} cases fit", listed["total"]));
    assert_ne!(format!("{} cases", listed["total"]), total);
    let is_low = |row: &Json| {
        let mut swift = row["outputs"].as_array().unwrap().iter().filter(|output| output["model"] == "swift");
        swift.any(|output| output["entry"]["v"][2][0].as_f64().is_some_and(|value| value < 0.5))
    };
    assert!(listed["rows"].as_array().unwrap().iter().all(is_low), "{listed}");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=token_f2%3C1", desk.port));
    browser.until("document.getElementById('filter-error').innerText.includes('did you mean `token_f1`?')");

    // A case: both models side by side, marks that a score lights, the next one.
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=token_f1%3C0.5&sort=token_f1", desk.port));
    browser.until(&format!("{ROWS} > 0 && location.hash.includes('sort')"));
    browser.press("j\u{e007}");
    browser.until("document.querySelectorAll('article.output').length === 2");
    let names = browser.text("[...document.querySelectorAll('.output h2')].map((h) => h.innerText).join()");
    assert_eq!(names, "swift,steady");
    assert!(browser.text("document.querySelector('.shared').innerText").contains("?"), "the question is there once");
    let command = browser.text("document.querySelector('.command code').textContent");
    assert!(command.starts_with("probare runs export 1 -o run-1.jsonl && probare show run-1.jsonl --id "), "{command}");
    let shown = Command::new("sh")
        .args(["-c", &command.replace("probare ", &format!("{PROGRAM} "))])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    browser.until("document.querySelectorAll('.panel[data-metric]').length > 0");
    browser.point(".output .panel[data-metric='2']");
    browser.until("document.querySelector('.whole.lit .panel.on')");
    let lit =
        browser.look("[...document.querySelectorAll('mark.on')].every((m) => m.dataset.of.split(' ').includes('2'))");
    assert_eq!(lit, true);
    browser.picture("case-light");
    let before = browser.text("location.hash");
    browser.press("j");
    browser.until(&format!("location.hash !== {}", json!(before)));
    browser.press("u");
    browser.until(&format!("{ROWS} > 0"));
    browser.press("?");
    browser.until("document.getElementById('help').open");

    // Dark and narrow: the same pages, nothing wider than the window, nothing smaller than 12 pixels.
    for (view, name) in [("runs", "runs"), ("cases?run=r1", "cases"), ("case?run=r1&at=0,3", "case")] {
        browser.media("dark", "screen");
        browser.size(1280, 900);
        browser.open(&format!("http://127.0.0.1:{}/view#/{view}", desk.port));
        browser.until("!document.querySelector('[aria-busy]') && document.querySelector('table')");
        browser.picture(&format!("{name}-dark"));
        browser.media("light", "screen");
        browser.telephone(420);
        browser.picture(&format!("{name}-420"));
        assert_eq!(browser.look("document.documentElement.scrollWidth <= 420"), true, "{name} is too wide");
        let small = "[...document.querySelectorAll('main *, header *')].filter((e) => [...e.childNodes].some((n) => \
                     n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 12).length";
        assert_eq!(browser.look(small), 0, "{name} has letters that are too small");
        browser.telephone(1280);
    }
    let empty = "[...document.querySelectorAll('.meter i')].some((bar) => bar.getBoundingClientRect().width === 0)";
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=exact_match%3D0", desk.port));
    browser.until(empty);
}

/// Texts that would run where a text became markup.
const PAYLOADS: [&str; 20] = [
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "\"><script>window.ran=1</script>",
    "'><img src=x onerror=window.ran=1>",
    "</script><script>window.ran=1</script>",
    "</title><script>window.ran=1</script>",
    "</textarea><script>window.ran=1</script>",
    "<details open ontoggle=window.ran=1>",
    "<input autofocus onfocus=window.ran=1>",
    "<a href=\"javascript:window.ran=1\">x</a>",
    "[x](javascript:window.ran=1)",
    "![x](x\"onerror=\"window.ran=1)",
    "javascript:window.ran=1",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>",
    "<body onload=window.ran=1>",
    "<style>@import 'x'; * { display: none }</style>",
    "{{constructor.constructor('window.ran=1')()}}",
    "--><script>window.ran=1</script><!--",
];

#[test]
fn nothing_that_stands_in_a_text_runs() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = PAYLOADS
        .iter()
        .map(|text| {
            let message =
                json!({"role": "assistant", "text": text, "tool_calls": [{"name": text, "arguments": {*text: text}}]});
            json!({"id": text, "query": text, "response": text, "model": text, "context": [text], "reference": [text],
                "tags": [text], "messages": [{"role": "user", "text": text}, message], "metadata": {*text: text}})
            .to_string()
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines.join("\n")).unwrap();
    let name = "<img src=x onerror=window.ran=1>.jsonl";
    let metric = "<b onclick=window.ran=1>=token_f1";
    probare(folder.path(), &["score", "cases.jsonl", "-m", "token_f1", "-m", metric, "--quiet", "-o", name]);
    let desk = Viewed::start(folder.path(), &[name]);
    let is_safe = |what: &str| {
        let state = browser.look("[window.ran ?? null, document.querySelectorAll('main script, main iframe, main img, main style, main svg').length]");
        assert_eq!(state, json!([null, 0]), "{what}");
    };
    browser.open(&desk.address);
    browser.until("document.querySelector('article.run table')");
    assert!(browser.text("document.querySelector('h2').innerText").contains("onerror"), "the name is shown");
    is_safe("runs");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0", desk.port));
    browser.until(&format!("{ROWS} === {}", PAYLOADS.len()));
    is_safe("cases");
    for at in 0..PAYLOADS.len() {
        browser.open(&format!("http://127.0.0.1:{}/view#/case?run=f0&at=0,{at}", desk.port));
        browser.until(&format!("document.querySelector('.output') && location.hash.endsWith(',{at}')"));
        browser.until(&format!(
            "document.querySelector('h1').innerText.length > 3 && document.title.startsWith({})",
            json!(&PAYLOADS[at][..6])
        ));
        browser.look("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        is_safe(PAYLOADS[at]);
    }
    // In what the reader writes, and in the address, neither.
    for text in PAYLOADS {
        let query: String = form(&format!("text~\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
        browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0&q={query}", desk.port));
        browser.until(&format!("document.getElementById('filter')?.value.includes({})", json!(&text[..5])));
        is_safe(text);
        let found = desk.json(&format!("/view/api/cases?run=f0&q={query}"));
        assert!(found["total"].as_u64().is_some_and(|total| total >= 1), "{text}: {found}");
    }
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run={}", desk.port, form(PAYLOADS[1])));
    browser.until("document.querySelector('[role=alert]')");
    is_safe("the address");
}

/// A value of an address.
fn form(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn whoever_has_no_token_or_comes_from_elsewhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("examples/quickstart.jsonl"), folder.path().join("cases.jsonl")).unwrap();
    probare(folder.path(), &["score", "cases.jsonl", "-m", "token_f1", "--quiet", "-o", "results.jsonl"]);
    let desk = Viewed::start(folder.path(), &["results.jsonl"]);
    let bearer = format!("Bearer {}", desk.token);
    let api = "/view/api/runs";
    let status = |method: &str, path: &str, headers: &[(&str, &str)]| desk.ask(method, path, headers).0;
    assert_eq!(status("GET", api, &[("Authorization", &bearer)]), 200);
    for (headers, expected, why) in [
        (&[][..], 401, "no token"),
        (&[("Authorization", "Bearer 0123456789abcdef")], 401, "another token"),
        (&[("Authorization", bearer.as_str()), ("Host", "evil.example")], 421, "a name that leads here"),
        (&[("Authorization", bearer.as_str()), ("Origin", "http://evil.example")], 403, "another page"),
        (&[("Authorization", bearer.as_str()), ("Origin", "null")], 403, "a page of nowhere"),
        (&[("Authorization", bearer.as_str()), ("Sec-Fetch-Site", "cross-site")], 403, "another site"),
    ] {
        assert_eq!(status("GET", api, headers), expected, "{why}");
    }
    assert_eq!(status("GET", "/view", &[("Host", "evil.example")]), 421);
    assert!(matches!(status("POST", api, &[("Content-Type", "application/x-www-form-urlencoded")]), 401 | 403 | 405));
    assert_eq!(status("POST", "/v1/score", &[("Authorization", &bearer)]), 404, "there is nothing but pages");
    let (status, head, body) = desk.ask("GET", "/view", &[]);
    assert_eq!(status, 200);
    assert!(!body.contains(&desk.token) && !body.contains("results.jsonl"), "the page itself holds nothing");
    for wanted in ["script-src 'self'", "frame-ancestors 'none'", "nosniff", "no-referrer", "no-store"] {
        assert!(head.contains(wanted), "{wanted}: {head}");
    }
    assert!(!head.contains("unsafe-inline") && !head.contains("access-control-allow-origin"), "{head}");

    // A page of somebody else, in a browser that has the desk open.
    let Some(browser) = Browser::start() else { return };
    browser.open(&desk.address);
    browser.until("document.querySelector('article.run table')");
    browser.open("data:text/html,<title>evil</title>");
    let stolen = format!(
        "(() => {{ const request = new XMLHttpRequest(); request.open('GET', 'http://127.0.0.1:{}{api}', false); \
         request.setRequestHeader('Authorization', '{bearer}'); try {{ request.send(); return request.responseText; }} \
         catch (error) {{ return 'refused'; }} }})()",
        desk.port
    );
    assert_eq!(browser.text(&stolen), "refused");
}

#[test]
fn files_of_other_tools_and_folders_are_shown_and_filtered_as_runs_are() {
    let folder = example_run();
    fs::create_dir(folder.path().join("files")).unwrap();
    fs::copy(root().join("tests/foreign/inspect.eval"), folder.path().join("files/log.eval")).unwrap();
    fs::copy(root().join("examples/two_models.csv"), folder.path().join("two.csv")).unwrap();
    probare(folder.path(), &["score", "two.csv", "-m", "token_f1", "--quiet", "-o", "files/two.jsonl"]);
    let desk = Viewed::start(folder.path(), &["1", "files"]);
    let runs = desk.json("/view/api/runs");
    let names: Vec<&str> = runs["runs"].as_array().unwrap().iter().filter_map(|run| run["name"].as_str()).collect();
    assert_eq!(names, ["run 1", "files/log.eval", "files/two.jsonl"]);
    for run in runs["runs"].as_array().unwrap() {
        let key = run["key"].as_str().unwrap();
        let summary = desk.json(&format!("/view/api/summary?run={key}"));
        assert!(summary["cases"].as_u64().is_some_and(|cases| cases > 0), "{summary}");
        let all = desk.json(&format!("/view/api/cases?run={key}"));
        assert_eq!(all["total"], summary["cases"]);
        let none = desk.json(&format!("/view/api/cases?run={key}&q=text~qqqqqqqq"));
        assert_eq!(none["total"], 0);
        let at = all["rows"][0]["at"].as_array().unwrap();
        let case = desk.json(&format!("/view/api/case?run={key}&at={},{}", at[0], at[1]));
        assert_eq!(case["id"], all["rows"][0]["id"]);
    }
    let two = desk.json("/view/api/summary?run=f2");
    assert_eq!(two["rows"].as_array().map(Vec::len), Some(2), "{two}");
    // Both ways to ask come to the same, and every case is on one side.
    let total =
        |query: &str| desk.json(&format!("/view/api/cases?run=r1&q={}", form(query)))["total"].as_u64().unwrap();
    assert_eq!(total("id:symbol-helium"), 1);
    assert_eq!(total("flipped") + total("-flipped"), total(""));
    assert!(total("flipped:exact_match") > 0 && total("flipped:exact_match") <= total("flipped"));
    assert_eq!(total("tag:chemistry") + total("-tag:chemistry"), total(""));
    assert!(total("status:failed") < total("status:scored"));
    assert_eq!(total("text~\"WHICH SYMBOL do chemists write for helium\""), 1);
}

#[test]
fn what_cannot_be_shown_is_told_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).arg("view").args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, words) = said(&[]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("there is nothing to view") && words.contains("probare run probare.yaml"), "{words}");
    let (code, words) = said(&["nowhere.jsonl"]);
    assert_eq!(code, Some(64), "{words}");
    assert!(words.contains("`nowhere.jsonl` is no run, file or folder"), "{words}");
    let (code, words) = said(&["7"]);
    assert!(code != Some(0) && words.contains("store"), "{words}");
    assert!(!folder.path().join(".probare").exists(), "looking makes no store");
    let serve = Command::new(PROGRAM)
        .args(["serve", "--view", "--listen", "127.0.0.1:0"])
        .env_remove("PROBARE_SERVE_TOKEN")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(serve.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&serve.stderr).contains("--view needs a token"));
}
