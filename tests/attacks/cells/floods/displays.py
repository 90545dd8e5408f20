# Pictures, pages and results without end.
#
# /// expect
# ///

# %% displays
import matplotlib.pyplot as plt
from IPython.display import HTML, display

for number in range(1000):
    display(HTML(f"<script>{number}</script>" * 100))
display({"image/png": "A" * 30_000_000, "text/plain": "picture"}, raw=True)
for number in range(5):
    plt.figure(figsize=(20, 20))
    plt.plot([number])
