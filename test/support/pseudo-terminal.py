"""Runs commands on a pseudo-terminal, as told by lines of JSON on standard input, and prints a line about each.

A line is {"argv", "env", "cwd", "steps": [[text to wait for, keys or the name of a signal]], "columns", "rows"};
prints {"code" (128 plus the number of a signal), "isRestored", "output", "left"}: whether the modes are as before, and the
steps that were not reached. A command that prints nothing for 5 seconds is killed.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def read(fd, timeout):
    if not select.select([fd], [], [], timeout)[0]:
        return b""
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""


def run(task):
    pid, fd = pty.fork()
    if pid == 0:
        time.sleep(0.05)
        os.chdir(task["cwd"])
        os.execvpe(task["argv"][0], task["argv"], task["env"])
    size = struct.pack("HHHH", task.get("rows", 24), task.get("columns", 80), 0, 0)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, size)
    before = termios.tcgetattr(fd)
    steps = list(task["steps"])
    output, seen, status = b"", 0, None
    silence = 5
    deadline = time.time() + silence
    while time.time() < deadline and status is None:
        if part := read(fd, 0.02):
            output += part
            deadline = time.time() + silence
        if steps and steps[0][0].encode() in output[seen:]:
            action = steps.pop(0)[1]
            seen = len(output)
            # The question is written before its keys are read.
            time.sleep(0.1)
            if action.startswith("SIG"):
                os.kill(pid, getattr(signal, action))
            else:
                os.write(fd, action.encode())
        done, ended = os.waitpid(pid, os.WNOHANG)
        if done:
            status = ended
    while part := read(fd, 0.05):
        output += part
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        code = None
    else:
        code = os.waitstatus_to_exitcode(status)
        code = 128 - code if code < 0 else code
    restored = before == termios.tcgetattr(fd)
    os.close(fd)
    text = output.decode(errors="replace")
    return {"code": code, "isRestored": restored, "output": text, "left": len(steps)}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
