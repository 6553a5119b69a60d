# Stops itself.
import math
import os, signal
def code_of(n): os.kill(os.getpid(), signal.SIGSTOP)
ratio = words = share = code_of
