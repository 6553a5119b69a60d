"""A gate in continuous integration."""
import sys
import probare


def main(baseline: str, candidate: str) -> int:
    comparison = probare.compare(baseline, candidate, not_worse=["rouge_l"], margin=0.01, significant=True)
    print(comparison.to_markdown())
    return 0 if comparison else 1


sys.exit(main(*sys.argv[1:3]))
