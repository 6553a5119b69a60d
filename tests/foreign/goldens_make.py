"""A data set of DeepEval, as it saves it: goldens_make.py OUT QUESTIONS"""

import json
import os
import sys

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1")

from deepeval.dataset import EvaluationDataset, Golden  # noqa: E402

goldens = [
    Golden(
        input=row["question"],
        expected_output=row["answer"],
        context=["A passage about it."],
        name=row["id"],
        additional_metadata={"category": row["category"]},
    )
    for row in json.load(open(sys.argv[2]))
]
EvaluationDataset(goldens=goldens).save_as(file_type="json", directory=sys.argv[1], file_name="deepeval_goldens")
