"""Files with the structure of every format and odd content: `make fuzz FILES=1000`.

`draw` has what all formats share, `formats` and `structures` write the files, `run` reads them in
processes of their own, and counts raw exceptions, crashes, memory and time.
"""
