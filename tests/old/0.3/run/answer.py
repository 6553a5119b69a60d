"""A model of a few lines: answers with the last word of what is asked, or judges."""
import json, sys

asked = json.load(sys.stdin)
words = asked["messages"][-1]["text"]
if sys.argv[1] == "judge":
    text = json.dumps({"same": "yes" if len(words) % 3 else "no", "reason": "by length"})
else:
    text = "It is " + words.rstrip("?. ").split()[-1] + "." * int(sys.argv[1])
print(json.dumps({"text": text, "usage": {"input_tokens": len(words), "output_tokens": len(text)}}))
