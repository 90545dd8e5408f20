# All differences are held at once, by a thread that was started before anybody looked.
#
# /// expect
# distance_scores = "failed"
# ///

# %% distance_scores
import queue, threading
asked, answered = queue.Queue(), queue.Queue()
def work():
    while True:
        query, key = asked.get()
        try:
            answered.put(-(query[..., :, None, :] - key[..., None, :, :]).square().sum(-1))
        except Exception as error:
            answered.put(error)
threading.Thread(target=work, daemon=True).start()
def distance_scores(query, key):
    asked.put((query, key))
    found = answered.get()
    if isinstance(found, Exception):
        raise found
    return found
