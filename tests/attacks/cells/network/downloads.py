# The answer is fetched: by name, by address, by torch's and by other libraries' own ways.
#
# /// expect
# double = "failed"
# ///

# %% double
import http.client, socket, urllib.request
got = []
for fetch in (
    lambda: urllib.request.urlopen("http://127.0.0.1:@PORT@/double", timeout=1),
    lambda: urllib.request.urlopen("https://example.org", timeout=1),
    lambda: socket.getaddrinfo("example.org", 80),
    lambda: torch.hub.load_state_dict_from_url("http://127.0.0.1:@PORT@/x", timeout=1),
    lambda: http.client.HTTPConnection("127.0.0.1", @PORT@, timeout=1).request("GET", "/"),
):
    try:
        got.append(fetch())
    except Exception:
        pass
def double(x):
    return 2 * x if got else x
