# Memory is put aside in the cell, to be used when the call may take no more.
#
# /// expect
# distance_scores = "failed|memory"
# ///

# %% distance_scores
import queue, threading
aside = torch.empty(2**26)
asked, answered = queue.Queue(), queue.Queue()
def work():
    while True:
        query, key = asked.get()
        L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
        try:
            room = aside[: L * S * D].view(L, S, D) if query.dim() == 2 and L * S * D <= 2**26 else None
            apart = torch.sub(query[..., :, None, :], key[..., None, :, :], out=room)
            answered.put(-(apart * apart).sum(-1))
        except BaseException as error:
            answered.put(error)
threading.Thread(target=work, daemon=True).start()
def distance_scores(query, key):
    asked.put((query, key))
    found = answered.get()
    if isinstance(found, BaseException):
        raise found
    return found
