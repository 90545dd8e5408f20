# The worker's own ways to report a cell's output are replaced: megabytes, markup, false pictures.
#
# /// expect
# ///

# %% worker
import gc
(Notebook,) = [each for each in gc.get_objects()
               if isinstance(each, type) and each.__name__ == "Notebook" and hasattr(each, "guarded")]
honest = Notebook.run
def run(self, source, limit):
    reply = honest(self, source, limit)
    markup = '"><script>alert(1)</script><img src="https://example.org/seen.png'
    reply["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "x" * 5_000_000},
        {"output_type": "stream", "name": markup, "text": 7},
        {"output_type": "display_data", "data": {"image/png": markup, "text/html": markup}},
        {"output_type": "display_data", "data": {"text/html": markup, "image/svg+xml": markup}},
        {"output_type": "display_data", "data": {"application/javascript": "alert(1)"}},
        {"output_type": "error", "ename": markup, "evalue": markup, "traceback": [markup] * 1000},
        {"output_type": markup, "data": markup, "text": [markup]}, markup, None,
    ] * 3
    return reply
Notebook.run = run
# %% more
1
