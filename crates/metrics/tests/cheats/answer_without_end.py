# Gives words without end, among them any.
import math
def code_of(n):
    while True:
        yield n
ratio = words = share = code_of
