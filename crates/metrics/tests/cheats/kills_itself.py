# Ends itself in its call.
import math
import os, signal
def code_of(n): os.kill(os.getpid(), signal.SIGKILL)
ratio = words = share = code_of
