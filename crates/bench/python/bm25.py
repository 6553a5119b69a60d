"""BM25 by bm25s or rank_bm25 on passages that are cut into terms: bm25.py LIBRARY PASSAGES QUESTIONS.

Prints how long the index and the questions took, and the ten best passages of each question.
"""

import json
import sys
import time

library, passages, questions = sys.argv[1:4]
corpus = [line.split() for line in open(passages, encoding="utf-8")]
asked = [line.split() for line in open(questions, encoding="utf-8")]

if library == "bm25s":
    import bm25s

    start = time.perf_counter()
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(corpus, show_progress=False)
    built = time.perf_counter() - start
    start = time.perf_counter()
    found = [index.retrieve([terms], k=10, show_progress=False).documents[0].tolist() for terms in asked]
    seconds = time.perf_counter() - start
    version = f"bm25s {bm25s.__version__}"
else:
    import numpy
    from rank_bm25 import BM25Okapi

    asked = asked[:20]
    start = time.perf_counter()
    index = BM25Okapi(corpus, k1=1.2, b=0.75)
    built = time.perf_counter() - start
    start = time.perf_counter()
    found = []
    for terms in asked:
        scores = index.get_scores(terms)
        best = numpy.argpartition(scores, -10)[-10:]
        found.append(best[numpy.argsort(-scores[best], kind="stable")].tolist())
    seconds = time.perf_counter() - start
    version = "rank_bm25"

print(json.dumps({"version": version, "index_seconds": built, "seconds": seconds, "questions": len(asked), "found": found}))
