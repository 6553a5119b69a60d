"""Reports and their verification."""
from pathlib import Path
import probare

results = probare.score("cases.jsonl", {"id": "ndcg", "k": 5}, output=[Path("report.html"), "results.jsonl"], title="Capitals")
print(results.written, results.exit_code, results.problems)
later: list[str] = results.write("later.html", Path("later.csv"), title="Later")
verdict = probare.verify("results.jsonl", cache=Path("cache.db"))
print(bool(verdict), verdict.disagreements, verdict.notes)
