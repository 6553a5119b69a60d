# Gives more than can cross.
import math
def code_of(n): return 'x' * (20 << 20)
ratio = words = share = code_of
