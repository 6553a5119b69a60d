"""A FastAPI service with the published POST /evaluate, to measure `probare serve` beside.

usage: uvicorn --app-dir crates/bench/python --port 8090 --no-access-log evaluate_service:app

Relevance is scikit-learn's, completeness NLTK's, as in text_reference.py. Hallucination looks at numbers and dates by
patterns and at the overlap of words; the claims of a dependency parser, which Probare examines and which would need a model
that is a download of its own, are left out. So this side does less work for each request.
"""

import re
import time

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from text_reference import completeness, relevance

RELEVANCE, COMPLETENESS = relevance()[0], completeness()[0]
ANCHOR = re.compile(r"[$€£]?\d[\d,.]*%?|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b", re.I)
app = FastAPI()


class Exchange(BaseModel):
    query: str
    response: str
    context: list[str]


def hallucination(response, context):
    if not any(chunk.strip() for chunk in context):
        return 1.0, ["No context provided"]
    source = " ".join(context)
    known = set(ANCHOR.findall(source))
    anchors = ANCHOR.findall(response)
    unsupported = [anchor for anchor in anchors if anchor not in known]
    error = len(unsupported) / len(anchors) if anchors else 0.0
    words, others = set(response.lower().split()), set(source.lower().split())
    overlap = len(words & others) / len(words) if words else 1.0
    return max(error, 0.2 if overlap < 0.2 else 0.0), unsupported


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/evaluate")
def evaluate(exchange: Exchange):
    if not exchange.query or not exchange.response:
        raise HTTPException(status_code=400, detail="query and response must not be empty")
    start = time.perf_counter()
    row = {"query": exchange.query, "response": exchange.response}
    relevant, complete = RELEVANCE(row), COMPLETENESS(row)
    invented, unsupported = hallucination(exchange.response, exchange.context)
    latency = (time.perf_counter() - start) * 1000
    cost = len(exchange.query + exchange.response + "".join(exchange.context)) / 4 / 1000 * 0.002
    status, reasons = "PASS", []
    if invented > 0.5:
        status, reasons = "FAIL", ["High hallucination: Unsupported claims found: " + ", ".join(unsupported[:3])]
    elif invented > 0.1:
        status, reasons = "WARN", ["Potential hallucination: " + ", ".join(unsupported[:2])]
    if relevant < 0.05:
        status = "FAIL"
        reasons.append("Irrelevant")
    elif relevant < 0.2:
        status = "FAIL" if status == "FAIL" else "WARN"
        reasons.append("Low relevance")
    if complete < 0.5 and status == "PASS":
        status = "WARN"
        reasons.append("Incomplete answer")
    return {
        "metrics": {
            "relevance": round(relevant, 4),
            "completeness": round(complete, 4),
            "hallucination": round(invented, 4),
            "latency_ms": round(latency, 2),
            "estimated_cost_usd": round(cost, 6),
        },
        "verdict": {"status": status, "reasons": reasons},
    }
