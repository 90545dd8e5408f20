"""Where a submission's code runs: processes in which it can do no harm, and what they answer.

probe      whether this machine can make a sandbox
layout     what the file system inside shows
fork_server    what has PyTorch imported and forks a session for each submission; process is how
           it is started
session    one submission's process, as the trusted side talks to it
worker     the same from inside; isolation is how it locks itself in
bounds     how much of an answer is taken; what crosses the wall is in remote/wire.py
container, unsafe    what takes its place where none can be had; child is what they share
"""
