# The forbidden function runs in a thread of a pool.
# expect: failed: the library's own softmax
from concurrent.futures import ThreadPoolExecutor


def softmax(scores, dim=-1):
    dead = (scores == -math.inf).all(dim, keepdim=True)
    with ThreadPoolExecutor(1) as pool:
        weights = pool.submit(F.softmax, scores.masked_fill(dead, 0), dim).result()
    return weights.masked_fill(dead, 0)
