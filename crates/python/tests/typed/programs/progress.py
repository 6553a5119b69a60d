"""A bar of one's own, and evidence."""
import probare


def shown(done: int, rows: int | None) -> None:
    print(done, rows)


results = probare.score([{"response": "a", "reference": "a"}], "exact_match", progress=shown)
for row in results:
    score = row["scores"]["exact_match"]
    for piece in score.get("evidence", []):
        print(piece["kind"], piece["text"])
