import json


def get_assert(output, context):
    print("nobody reads this")
    return {"pass": "museum" in output.lower(), "score": 0.6, "reason": context["vars"]["text"]}


async def is_open(output, context):
    return "open" in output


def tidy(output, context):
    return {"words": json.loads(json.dumps(output)).split()}
