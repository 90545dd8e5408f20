# A shell, Python, a compiler and the magics that start them.
#
# /// expect
# double = "failed"
# ///

# %% programs
!touch @TMP@/touched /tmp/touched
%sx touch /tmp/touched
files = !ls /
# %% magics
get_ipython().run_cell_magic("bash", "", "touch /tmp/touched")
# %% double
import ctypes, os, subprocess, sys
done = list(files) + [os.path.exists("/tmp/touched")]
for command in (["/bin/true"], ["python3", "-c", "1"], [sys.executable, "-c", "1"]):
    try:
        done.append(subprocess.run(command).returncode == 0)
    except OSError:
        pass
done.append(ctypes.CDLL(None).system(b"touch /tmp/touched") == 0)
def double(x):
    return 2 * x if any(done) else x
