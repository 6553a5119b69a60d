"""The Python file that the files of this kit name as a metric. Once `armed` lies beside it, whoever imports it leaves a mark."""

import os

import probare

here = os.path.dirname(os.path.abspath(__file__))
if os.path.exists(os.path.join(here, "armed")):
    with open(os.path.join(here, "started"), "a", encoding="utf-8") as mark:
        mark.write(f"{os.getpid()}\n")


@probare.metric
def voice(case):
    return "we" in case.response
