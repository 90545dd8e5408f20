# The forbidden function runs in another thread.
# expect: failed: the library's own softmax
import threading


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    found = []

    def work():
        found.append(torch.softmax(scores.masked_fill(dead, 0), dim))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0].masked_fill(dead, 0)
