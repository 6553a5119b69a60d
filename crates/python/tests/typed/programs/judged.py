"""Models as judges, without a configuration."""
import probare

LOCAL = {"base_url": "http://127.0.0.1:8000/v1", "model": "llama3"}
rows = [{"query": "Capital of Norway?", "response": "Oslo", "reference": "Oslo"}]
results = probare.score(rows, "judge_same_answer", judges=[LOCAL, "openai:gpt-4.1-mini"], budget_usd=0.5, cache="cache.db")
if results.model_calls is not None:
    print(results.model_calls.questions, results.model_calls.dollars)
probare.score(rows, "judge_same_answer", judges=LOCAL, offline=True)
