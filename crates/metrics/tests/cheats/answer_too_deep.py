# Gives lists in lists without end.
import math
def code_of(n):
    found = []
    for _ in range(100_000):
        found = [found]
    return found
ratio = words = share = code_of
