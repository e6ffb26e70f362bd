"""What runs inside the sandbox: NumPy, the standard library and these files, and nothing else of the course.

The judge uses `wire` and `notebook` too, and trusts nothing that comes back.
"""
