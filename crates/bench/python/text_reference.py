"""The Python originals of some metrics, timed on the rows of a file of cases.

usage: text_reference.py METRIC CASES.jsonl
prints one JSON object with rows, processor seconds, sum of values and library version.
Reading the file and importing the library are not timed.
"""

import json
import sys
import time


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def bleu():
    import sacrebleu

    return lambda row: sacrebleu.sentence_bleu(row["response"], row["reference"]).score, f"sacrebleu {sacrebleu.__version__}"


def chrf():
    import sacrebleu

    return lambda row: sacrebleu.sentence_chrf(row["response"], row["reference"]).score, f"sacrebleu {sacrebleu.__version__}"


def rouge_l():
    from importlib.metadata import version

    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    return lambda row: scorer.score(row["reference"][0], row["response"])["rougeL"].fmeasure, f"rouge-score {version('rouge-score')}"


def tfidf(left, right):
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        matrix = TfidfVectorizer(stop_words="english").fit_transform([left, right])
    except ValueError:
        return 0.0
    return float((matrix[0] @ matrix[1].T).toarray()[0, 0])


def relevance():
    import sklearn

    def value(row):
        query, response = row["query"], row["response"]
        words, others = set(query.lower().split()), set(response.lower().split())
        union = words | others
        return (tfidf(query, response) + (len(words & others) / len(union) if union else 0.0)) / 2

    return value, f"scikit-learn {sklearn.__version__}"


def completeness():
    import nltk
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    # The trained Punkt data is a download of its own; an untrained splitter does the same amount of work.
    splitter, tokenizer = PunktSentenceTokenizer(), NLTKWordTokenizer()
    stop = set("i me my we our you your he him his she her it its they them their what which who this that these those am is are was were be been being have has had do does did a an the and but if or because as until while of at by for with about against between into through during before after above below to from up down in out on off over under again further then once here there when where why how all any both each few more most other some such no nor not only own same so than too very s t can will just don should now".split())

    def keywords(text):
        return {
            token
            for sentence in splitter.tokenize(text.lower())
            for token in tokenizer.tokenize(sentence)
            if token.isalnum() and token not in stop
        }

    def value(row):
        wanted = keywords(row["query"])
        return len(wanted & keywords(row["response"])) / len(wanted) if wanted else 1.0

    return value, f"nltk {nltk.__version__}"


METRICS = {"bleu": bleu, "chrf": chrf, "rouge_l": rouge_l, "relevance": relevance, "completeness": completeness}


def main():
    name, path = sys.argv[1:3]
    value, version = METRICS[name]()
    data = rows(path)
    value(data[0])
    start = time.process_time()
    total = sum(value(row) for row in data)
    seconds = time.process_time() - start
    print(json.dumps({"rows": len(data), "seconds": seconds, "total": total, "version": version}))


if __name__ == "__main__":
    main()
