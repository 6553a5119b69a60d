"""Writes the golden vectors of the family `text`, one file per metric.

Needs sacrebleu, rouge-score, scikit-learn and rapidfuzz. Run it in this folder:

    python make.py

The texts are made here: hand-written pairs for what is known to be delicate (punctuation, numbers, entities, empty
texts, scripts without spaces, repeated words, several references), and sentences drawn from small vocabularies with a
fixed seed, changed word by word into their references. Every value comes from the library that its vector names.
"""

import collections
import importlib.metadata
import json
import logging
import random
import re
import string

from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

logging.disable(logging.WARNING)

HAND_WRITTEN = [
    ("The cat sat on the mat.", ["The cat sat on the mat."]),
    ("The cat sat on the mat.", ["The cat is sitting on the mat."]),
    ("the the the the the", ["The cat sat on the mat and the dog on the rug."]),
    ("", ["The cat sat."]),
    ("The cat sat.", [""]),
    ("", [""]),
    ("   ", ["a b"]),
    ("cat", ["cat"]),
    ("cat", ["dog"]),
    ("a", ["a b c d e f g h"]),
    ("a b c d e f g h", ["a"]),
    ("Yes.", ["No."]),
    ("It cost $1,850.50, i.e. 3-4% more.", ["It cost $1,850.50, that is 3 to 4% more."]),
    ("In 2019, 12,000 people (of 13.5 million) left.", ["12,000 people of 13.5 million left in 2019."]),
    ("He said: \"It's over!\" -- and left...", ["\"It is over\", he said, and left."]),
    ("He said &quot;no&quot; &amp; left &lt;now&gt;.", ["He said \"no\" & left <now>."]),
    ("A <skipped> word and a bro-\nken line\nhere", ["A word and a broken line here"]),
    ("well-known state-of-the-art 10-year 3-D", ["well known state of the art 10 year 3 D"]),
    ("U.S. exports rose 5.2 per cent, vs. 4.8.", ["US exports rose 5.2 per cent versus 4.8."]),
    ("Straße, naïve café: déjà vu!", ["Strasse, naive cafe: deja vu!"]),
    ("ΟΔΥΣΣΕΥΣ ΠΟΛΥΤΡΟΠΟΣ", ["Οδυσσευς πολυτροπος"]),
    ("İstanbul'da yağmur yağıyor.", ["istanbul'da yağmur yağdı."]),
    ("Она читает книгу, а он пишет.", ["Она читала книгу, а он писал."]),
    ("猫がマットの上に座った。", ["猫はマットの上に座っている。"]),
    ("今天天气很好，我们去公园。", ["今天天气不错，我们去公园吧。"]),
    ("القطة جلست على السجادة.", ["جلست القطة على البساط."]),
    ("बिल्ली चटाई पर बैठी।", ["बिल्ली चटाई पर सो गई।"]),
    ("«Non», dit-il — puis: «oui»…", ["« Non », dit-il ; puis « oui »."]),
    ("5€ + 3£ = ¥900 ± 2²", ["5 € + 3 £ = 900 ¥ ± 4"]),
    ("👍 great 😀😀", ["great 😀 👍"]),
    ("tab\tand\nnew line\r\nand\u00a0no-break\u2003space", ["tab and new line and no-break space"]),
    ("e\u0301te\u0301 and été", ["été and e\u0301te\u0301"]),
    ("word,word;word:word.word", ["word word word word word"]),
    (".,.,.,", [",.,.,."]),
    ("1.2.3.4 and 1,2,3,4", ["1.2.3 and 1,2,3"]),
    ("-5 - 5 5-", ["-5 -5 5"]),
    ("don't can't won't it's", ["do not can not will not it is"]),
    ("(hi) [there] {you} 'quoted' `code`", ["hi there you quoted code"]),
    ("snake_case camelCase kebab-case", ["snake case camel case kebab case"]),
    ("running runs ran runner easily fairly", ["run runs running runners easy fair"]),
    ("generalizations relational conditional", ["generalize relation condition"]),
    ("The cat sat on a mat.", ["The cat sat on the mat.", "A cat lay on a mat."]),
    ("The cat sat on a mat.", ["", "A cat lay on a mat."]),
    ("one two three four", ["one two", "one two three four five six"]),
    ("x y z", ["a b c", "x y", "z y x"]),
    ("Paris", ["London", "Paris", "Paris, France"]),
    ("same same same", ["same", "same same", "same same same same"]),
    ("  leading and trailing  ", ["leading and trailing"]),
    ("UPPER lower MiXeD", ["upper LOWER mixed"]),
    ("ends with hyphen-\n", ["ends with hyphen-"]),
    ("trailing number 2019.", ["trailing number 2019 ."]),
    ("“smart” ‘quotes’ – and — dashes", ["\"smart\" 'quotes' - and - dashes"]),
    ("http://example.org/a?b=c&d=e#f user@example.org", ["http://example.org/a user@example.org"]),
    ("Aa\u2028Bb\u0085Cc\x1cDd", ["aa bb cc dd"]),
]

VOCABULARIES = [
    "the a of to and in market price rose fell sharply on Monday after company said profit would be lower than expected "
    "analysts , . : ; - ( ) \" 3.5 1,200 % $ percent U.S. it's".split(),
    "la el de que y en un los se del las por con para una su al lo como más pero sus le ya o este sí ¿ ? ¡ ! , .".split(),
    "der die und in den von zu das mit sich des auf für ist im dem nicht ein Größe Übung Straße , . - 1990er".split(),
    "я не что в и ты это на с он как мы его то она вы по из , . — « »".split(),
    "a b c d".split(),
]


def changed(source, words, vocabulary):
    """The words with some dropped, replaced, doubled or swapped."""
    result = []
    for word in words:
        chance = source.random()
        if chance < 0.12:
            continue
        result.append(source.choice(vocabulary) if chance < 0.24 else word)
        if chance > 0.95:
            result.append(word)
    if len(result) > 3 and source.random() < 0.4:
        first = source.randrange(len(result) - 1)
        result[first], result[first + 1] = result[first + 1], result[first]
    return result


def drawn():
    source = random.Random(19690720)
    for number in range(110):
        vocabulary = VOCABULARIES[number % len(VOCABULARIES)]
        length = source.choice([1, 2, 3, 4, 5, 8, 12, 20, 40])
        words = [source.choice(vocabulary) for _ in range(length)]
        references = [" ".join(changed(source, words, vocabulary)) for _ in range(source.choice([1, 1, 1, 2, 3]))]
        response = " ".join(words)
        if number % 3 == 0:
            # Punctuation attached, as in running text.
            tidy = lambda text: re.sub(r" ([,.:;!?)%])", r"\1", text)
            response, references = tidy(response), [tidy(reference) for reference in references]
        if number % 7 == 0:
            response = response.capitalize() + "."
        yield response, references
    long = [source.choice(VOCABULARIES[0]) for _ in range(600)]
    yield " ".join(long), [" ".join(changed(source, long, VOCABULARIES[0]))]


PAIRS = HAND_WRITTEN + list(drawn())


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


def write(metric, vectors):
    with open(f"{metric}.jsonl", "w", encoding="utf-8") as file:
        count = 0
        for origin, params, response, references, found in vectors:
            row = {"id": f"{metric}-{count:03}", "from": origin, "tolerance": 1e-9, "params": params}
            row["case"] = {"response": response, "reference": references}
            file.write(json.dumps({**row, **found}, ensure_ascii=False) + "\n")
            count += 1
    print(metric, count)


BLEU_OPTIONS = [
    {"tokenize": "intl"},
    {"tokenize": "char"},
    {"tokenize": "none"},
    {"lowercase": True},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.25},
    {"smooth_method": "none"},
    {"effective_order": False},
    {"max_ngram_order": 1},
    {"max_ngram_order": 2, "smooth_method": "add-k"},
    {"max_ngram_order": 6},
    {"tokenize": "intl", "lowercase": True, "smooth_method": "floor", "effective_order": False},
]


def bleu():
    for number, (response, references) in enumerate(PAIRS):
        for params in ({}, BLEU_OPTIONS[number % len(BLEU_OPTIONS)]):
            metric = BLEU(**{"effective_order": True, **params})
            score = metric.sentence_score(response, references)
            found = {"value": score.score, "parts": {"brevity_penalty": score.bp, "response_length": score.sys_len,
                                                     "reference_length": score.ref_len}}
            yield version("sacrebleu"), params, response, references, found


CHRF_OPTIONS = [
    {"word_order": 2},
    {"word_order": 2, "lowercase": True},
    {"word_order": 1, "char_order": 3},
    {"beta": 1},
    {"beta": 3, "lowercase": True},
    {"whitespace": True},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2},
    {"char_order": 2},
    {"char_order": 0, "word_order": 3},
    {"char_order": 10, "whitespace": True},
]


def chrf():
    for number, (response, references) in enumerate(PAIRS):
        for params in ({}, CHRF_OPTIONS[number % len(CHRF_OPTIONS)]):
            value = CHRF(**params).sentence_score(response, references).score
            yield version("sacrebleu"), params, response, references, {"value": value}


def rouge_l():
    scorers = {stem: RougeScorer(["rougeL"], use_stemmer=stem) for stem in (False, True)}
    for response, references in PAIRS:
        for stem, scorer in scorers.items():
            score = scorer.score_multi(references, response)["rougeL"]
            found = {"value": float(score.fmeasure), "parts": {"precision": float(score.precision),
                                                               "recall": float(score.recall)}}
            yield version("rouge-score"), {"use_stemmer": stem} if stem else {}, response, references, found


def tfidf_cosine():
    for response, references in PAIRS:
        for stop_words in ("english", None):
            values = []
            for reference in references:
                try:
                    weights = TfidfVectorizer(stop_words=stop_words).fit_transform([response, reference])
                    values.append(float(cosine_similarity(weights[0], weights[1])[0][0]))
                except ValueError:
                    pass  # an empty vocabulary
            found = {"value": max(values)} if values else {"not_applicable": True}
            params = {} if stop_words else {"stop_words": "none"}
            yield version("scikit-learn"), params, response, references, found


def levenshtein():
    for number, (response, references) in enumerate(PAIRS):
        values = [Levenshtein.normalized_similarity(response, reference) for reference in references]
        yield version("rapidfuzz"), {}, response, references, {"value": max(values)}
        words = [Levenshtein.normalized_similarity(response.split(), reference.split()) for reference in references]
        yield version("rapidfuzz"), {"unit": "words"}, response, references, {"value": max(words)}
        if number % 4 == 0:
            folded = [Levenshtein.normalized_similarity(response.lower(), reference.lower()) for reference in references]
            yield version("rapidfuzz"), {"ignore_case": True}, response, references, {"value": max(folded)}


def squad_words(text):
    """Words by the normalisation that the SQuAD evaluation script describes."""
    kept = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def f1(response, reference):
    got, wanted = squad_words(response), squad_words(reference)
    if not got or not wanted:
        return float(got == wanted)
    shared = sum((collections.Counter(got) & collections.Counter(wanted)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(got), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def token_f1():
    origin = "definition of the SQuAD 2.0 script, written out in make.py"
    for response, references in PAIRS:
        yield origin, {}, response, references, {"value": max(f1(response, reference) for reference in references)}


for made in (bleu, chrf, rouge_l, tfidf_cosine, levenshtein, token_f1):
    write(made.__name__, made())
