"""A notebook: score, look, join."""
import pandas
import probare

frame = pandas.DataFrame({"response": ["It is Oslo."], "reference": ["Oslo"]})
results = probare.score(frame, ["token_f1", "rouge_l"], by="metadata.lang", progress=True)
frame["token_f1"] = results.to_pandas()["token_f1"]
for name, summary in results.summary.items():
    print(name, summary.mean, summary.std, summary.interval.low if summary.interval else None)
print(results.summary.to_pandas(), "token_f1" in results, results["token_f1"][0])
