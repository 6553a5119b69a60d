"""`python -m probare` is `probare`."""

from probare._command import main

main()
