"""Save every eval of an OpenAI project, with its runs, output items and data files, before the service closes on 2026-11-30.

    pip install openai
    export OPENAI_API_KEY=…
    python export.py openai-evals

Nothing is changed or deleted. What is there already is not fetched again, so that the script can be called once more.
"""

import json
import pathlib
import sys

from openai import OpenAI


def save(path, objects):
    """Write the objects, one a line; a file appears whole or not at all."""
    if path.exists():
        print(f"kept   {path}")
        return
    part = path.with_suffix(".partial")
    with part.open("w", encoding="utf-8") as out:
        count = 0
        for value in objects:
            out.write(json.dumps(value.model_dump(mode="json", by_alias=True), ensure_ascii=False) + "\n")
            count += 1
    part.rename(path)
    print(f"wrote  {path} ({count})")


def data_file(run):
    """The id of the file that a run read, where it read one."""
    source = getattr(run.data_source, "source", None)
    return getattr(source, "id", None) if getattr(source, "type", None) == "file_id" else None


def main(folder):
    client = OpenAI()
    for one in client.evals.list():
        place = folder / one.id
        place.mkdir(parents=True, exist_ok=True)
        save(place / "eval.json", [one])
        for run in client.evals.runs.list(one.id):
            save(place / f"{run.id}.json", [run])
            save(place / f"{run.id}.items.jsonl", client.evals.runs.output_items.list(run.id, eval_id=one.id))
            name = data_file(run)
            path = place / f"{name}.jsonl"
            if name and not path.exists():
                try:
                    path.write_bytes(client.files.content(name).read())
                    print(f"wrote  {path}")
                except Exception as error:  # A file that was deleted is no reason to stop.
                    print(f"failed {path}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "openai-evals"))
