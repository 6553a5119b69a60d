# Speaks no sense.
import math
import os
os.write(8, os.urandom(4096) + b"\n")

def code_of(n): return 0
def ratio(n): return 0.0
def words(n): return []
def share(n): return 0.0
