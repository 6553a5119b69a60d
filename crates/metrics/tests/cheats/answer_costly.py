# A small message that takes much memory to read.
import math
import os
def code_of(n):
    os.write(8, b'["value", [], ["tuple", [' )
    for _ in range(15):
        os.write(8, b'["tuple", []],' * 70000)
    os.write(8, b'0]]]\n')
ratio = words = share = code_of
