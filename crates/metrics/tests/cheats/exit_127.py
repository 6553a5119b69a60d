# Ends as a shell does that found no program.
import math
import os
os._exit(127)
