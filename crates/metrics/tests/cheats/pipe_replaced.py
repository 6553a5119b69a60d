# Puts a file in the place of the line.
import math
import os
d = os.open('line', os.O_RDWR | os.O_CREAT)
os.dup2(d, 7)
os.dup2(d, 8)

def code_of(n): return 0
def ratio(n): return 0.0
def words(n): return []
def share(n): return 0.0
