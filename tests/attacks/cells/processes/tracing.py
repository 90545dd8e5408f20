# The fork server or a neighbour is traced, read and written from outside.
#
# /// expect
# double = "failed"
# ///

# %% double
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
done = []
for process in [0, 1, 2, 3, os.getppid(), *range(4, 200)]:
    done.append(libc.ptrace(16, process, 0, 0) == 0 and process > 1)
    buffer = ctypes.create_string_buffer(8)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    done.append(libc.process_vm_writev(process, vector, 1, vector, 1, 0) > 0)
    done.append(libc.process_vm_readv(process, vector, 1, vector, 1, 0) > 0)
done.append(libc.syscall(438, 3, 0, 0) >= 0)


def double(x):
    return 2 * x if any(done) else x
