# Millions of short lines, warnings and log entries, in cells and in calls.
#
# /// expect
# ///

# %% lines
import logging, os, warnings

for number in range(100_000):
    print(number)
for number in range(2000):
    warnings.warn(f"{number}")
    logging.error(number)
for _ in range(50):
    os.write(1, b"x" * 1_000_000)
