# Ends the process with code 0.
import math
import os
os._exit(0)
