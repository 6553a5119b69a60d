"""Times the viewer in Chromium over a large store: python3 view_times.py PROGRAM FOLDER [CASES]

PROGRAM is a release build of `probare`. Where FOLDER has no store yet, `view_store.py` makes CASES (100,000) samples with ten metrics
twice and they are run; a page of 10,000 cases is written, too. Every figure is taken three times with other words, and the
least and the largest are printed. `chromium` and `chromedriver` (Debian: chromium-driver) are spoken to in the WebDriver protocol.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 120
# The clock of the page: when it first has what a selector names, counted from its beginning or from `mark()`.
WATCH = """
window.begun = 0;
window.mark = () => { window.begun = performance.now(); window.seen = {}; };
window.seen = {};
window.wanted = {};
const look = () => {
  for (const [name, holds] of Object.entries(window.wanted)) if (!(name in seen) && holds()) seen[name] = performance.now() - begun;
};
window.want = (name, holds) => { delete seen[name]; wanted = { [name]: holds }; look(); };
new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
// All runs have their means, and then the trends are there, too.
window.wanted = {
  means: () => document.querySelectorAll("article.run table").length > 1 && !document.querySelector("main [aria-busy=true]"),
  trends: () => document.querySelector(".trends svg"),
};
"""
IS_LISTED = "document.querySelector('tbody.case, #hint') && !document.querySelector('main[aria-busy=true]')"


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = next(found for line in self.driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))[1]
        self.root = f"http://127.0.0.1:{port}/session"
        self.profile = tempfile.TemporaryDirectory()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                   "--no-first-run", "--window-size=1280,900", f"--user-data-dir={self.profile.name}"]
        self.root += "/" + self.send("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": options}}}})["sessionId"]
        self.send("/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": WATCH}})

    def send(self, path, body=None, method="POST"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, address):
        self.send("/url", {"url": address})

    def evaluate(self, expression):
        return self.send("/execute/sync", {"script": f"return ({expression});", "args": []})

    def until(self, expression):
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise RuntimeError(f"not so: {expression}\n{self.evaluate('document.body.innerText')[:2000]}")
            time.sleep(0.02)

    def timed(self, act, holds, before=""):
        """Milliseconds from what is done until the page holds that, by the clock of the page; of a list, until its first rows are there."""
        self.evaluate(f"(() => {{ {before} mark(); want('now', () => {holds}); {act} }})()")
        self.until("'now' in seen")
        return self.evaluate("seen.now")

    def close(self):
        self.send("", method="DELETE")
        self.driver.terminate()
        self.driver.wait()


class Viewer:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "view"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        self.origin, self.token = self.address.split("/view#token=")

    def seconds(self, path):
        request = urllib.request.Request(f"{self.origin}/view/api/{path}", headers={"Authorization": f"Bearer {self.token}"})
        begun = time.monotonic()
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            reply.read()
        return time.monotonic() - begun

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return {name: int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024 for name in ("VmRSS", "VmHWM")}

    def close(self):
        self.process.terminate()
        self.process.wait()


def tell(what, milliseconds, aim=""):
    low, high = min(milliseconds), max(milliseconds)
    words = f"{low / 1000:.3f} s" if low == high else f"{low / 1000:.3f} to {high / 1000:.3f} s"
    print(f"| {what} | {words} | {aim} |", flush=True)


def prepare(program, folder, cases):
    if not (folder / ".probare/store.db").exists():
        maker = Path(__file__).with_name("view_store.py")
        subprocess.run([sys.executable, maker, folder, str(cases)], check=True)
        for config in ("probare.yaml", "again.yaml"):
            subprocess.run([program, "run", config, "--quiet"], cwd=folder, check=True)
    # In a folder of its own: beside the store it would be a third run.
    page = folder / "page"
    if not (page / "page.html").exists():
        page.mkdir(exist_ok=True)
        lines = (folder / "cases.jsonl").read_text().splitlines(keepends=True)[:10_000]
        (page / "page.jsonl").write_text("".join(lines))
        metrics = ["-m", "token_f1", "-m", "rouge_l"]
        subprocess.run([program, "score", "page.jsonl", *metrics, "--quiet", "-o", "page.html"], cwd=page, check=True)


def measure_pages(browser, viewer):
    def memory(when):
        print(f"| memory of the server {when} | {viewer.memory()['VmRSS']:.0f} MB | 150 MB |", flush=True)

    # A fresh server, so the means are computed for this page.
    browser.open(viewer.address)
    browser.until("'means' in seen")
    paint = browser.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    tell("first paint", [paint])
    tell("first paint with the means of all runs", [browser.evaluate("seen.means")], "1 s")
    browser.until("'trends' in seen")
    tell("trends, from the opening of the page", [browser.evaluate("seen.trends")], "with the page")
    memory("after the page of all runs")

    tell("list of cases", [browser.timed("location.hash = '#/cases?run=r1';", IS_LISTED)])

    def filtered(words):
        enter = "old.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));"
        act = f"old.value = {json.dumps(words)}; {enter}"
        holds = f"document.getElementById('filter') !== old && {IS_LISTED}"
        return browser.timed(act, holds, "window.old = document.getElementById('filter');")

    tell("a filter on a value", [filtered(words) for words in ("token_f1<0.5", "chrf>80", "rouge_l<0.3")], "0.1 s")
    tell("a filter on two values", [filtered("token_f1<0.5 OR chrf>90")], "0.1 s")
    tell("a filter on a tag", [filtered(words) for words in ("tag:de", "tag:en")])
    # The texts are read when a list is opened; who filters before waits for it.
    tell("the first filter on a word (waits until the texts are read)", [filtered("text~harbour")])
    tell("a filter on a new word", [filtered(f"text~{word}") for word in ("refund", "council", "nowhere")], "0.3 s")
    memory("after the filters")

    def opened(number):
        browser.open("about:blank")
        browser.open(f"{viewer.origin}/view#/cases?run=r1&from={number}")
        browser.until(IS_LISTED)
        return browser.timed("document.querySelector('a.open').click();", "document.querySelector('article.output .panel')")

    tell("a case", [opened(number) for number in (0, 500, 40_000)], "0.1 s")
    compare = "#/compare?run=r1&run=r2"
    found = [browser.timed(f"location.hash = '{compare}';", "document.querySelector('table.findings')")]
    tell("a comparison, the first time", found, "1 s")
    memory("after a comparison")
    browser.evaluate("location.hash = '#/cases?run=r1'")
    browser.until(IS_LISTED)
    tell("the same comparison again", [browser.timed(f"location.hash = '{compare}';", "document.querySelector('table.findings')")])
    print(f"| memory of the server, the most | {viewer.memory()['VmHWM']:.0f} MB | 150 MB |", flush=True)


def main():
    program, folder = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    prepare(program, folder, cases)
    print("| what | measured | aim |\n|---|---|---|")
    browser = Browser()
    # The program and its store are read once before, as by somebody who uses it every day.
    for _ in range(2):
        viewer = Viewer(program, folder)
        viewer.seconds("runs")
        viewer.close()
    viewer = Viewer(program, folder)
    try:
        measure_pages(browser, viewer)
    finally:
        viewer.close()
    # The server alone, with nothing kept from before.
    for what, path, aim in [
        ("means of a run, asked of the server alone", "summary?run=r1", ""),
        ("trends, asked of the server alone", "history", ""),
        ("a comparison, asked of the server alone", "compare?run=r1&run=r2", "1 s"),
        ("cases by one metric, asked of the server alone", "cases?run=r1&sort=token_f1&most=50", ""),
        ("cases with the worst first, asked of the server alone", "cases?run=r1&sort=worst&most=50", ""),
    ]:
        viewer = Viewer(program, folder)
        tell(what, [viewer.seconds(path) * 1000], aim)
        viewer.close()
    opened = []
    for _ in range(3):
        browser.open("about:blank")
        begun = time.monotonic()
        browser.open((folder / "page/page.html").as_uri())
        browser.until("document.querySelectorAll('#browser tbody').length === 50")
        opened.append((time.monotonic() - begun) * 1000)
    tell("a page of 10,000 cases, all of it read", opened, "1 s")
    browser.close()


main()
