"""The chapters' training loop: a fixed number of steps, a fixed seed, a progress bar."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from tqdm import tqdm

QUICK = "ATTENTION_COURSE_QUICK"


def repetitions(number: int) -> int:
    """How often something is done: `number` times, or three times to see that everything runs.

    The second with the environment variable ATTENTION_COURSE_QUICK set.
    """
    return min(number, 3) if os.environ.get(QUICK) else number


@dataclass
class Trained:
    """What a training run leaves behind: the loss of every step, and the seconds it took.

    These are seconds of one core at work: what else the machine does meanwhile is not counted.
    """

    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0


def train(
    parameters: nn.Module | Iterable[nn.Parameter],
    loss_of: Callable[[torch.Generator], Tensor],
    steps: int,
    *,
    learning_rate: float = 1e-3,
    schedule: Callable[[int], float] | None = None,
    weight_decay: float = 0.0,
    betas: tuple[float, float] = (0.9, 0.98),
    clip: float = 1.0,
    seed: int = 0,
    label: str = "Training",
) -> Trained:
    """Take `steps` steps of AdamW.

    `loss_of(random)` draws a batch with the generator it is given and returns the loss, a scalar.
    `schedule(step)`, with steps from 1, gives the learning rate where it changes; without it the
    rate warms up over the first twentieth of the steps and then falls to zero along a cosine.
    Gradients are cut to the norm `clip`. Runs on one thread, so that the result does not
    depend on the number of cores. The same seed gives the same losses on the same machine.
    With the environment variable ATTENTION_COURSE_QUICK set, only three steps are taken.
    """
    if steps < 1:
        raise ValueError(f"train: steps is {steps}; at least one step is needed")
    parameters = list(parameters.parameters() if isinstance(parameters, nn.Module) else parameters)
    rate = schedule or _warm_cosine(steps, learning_rate)
    optimizer = torch.optim.AdamW(
        parameters, lr=rate(1), betas=betas, weight_decay=weight_decay, foreach=True
    )
    random = torch.Generator().manual_seed(seed)
    trained = Trained()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    progress = _Progress(label, steps)
    start = time.thread_time()
    try:
        for step in range(1, repetitions(steps) + 1):
            for group in optimizer.param_groups:
                group["lr"] = rate(step)
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(random)
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, clip)
            optimizer.step()
            trained.losses.append(loss.item())
            progress.show(step, trained.losses[-1])
    finally:
        torch.set_num_threads(threads)
        progress.close()
    trained.seconds = time.thread_time() - start
    return trained


def _warm_cosine(steps: int, highest: float) -> Callable[[int], float]:
    warm = max(1, steps // 20)

    def rate(step: int) -> float:
        if step <= warm:
            return highest * step / warm
        along = torch.tensor((step - warm) / max(1, steps - warm))
        return highest * 0.5 * (1 + torch.cos(torch.pi * along).item())

    return rate


class _Progress:
    """A bar while it runs; afterwards one line, the same after every run."""

    def __init__(self, label: str, steps: int) -> None:
        self._line = f"{label}: {steps:,} steps"
        self._label, self._steps = label, steps
        self._start = self._shown = time.perf_counter()
        self._handle = None
        try:
            from IPython import get_ipython
            from IPython.display import DisplayHandle
        except ImportError:
            return
        if get_ipython() is not None:
            self._handle = DisplayHandle()
            self._handle.display({"text/plain": self._line}, raw=True)

    def show(self, step: int, loss: float) -> None:
        now = time.perf_counter()
        if self._handle is None or now - self._shown < 0.5:
            return
        self._shown = now
        bar = tqdm.format_meter(
            step,
            self._steps,
            now - self._start,
            ncols=72,
            prefix=self._label,
            postfix=f"loss {loss:.3f}",
        )
        self._handle.update({"text/plain": bar}, raw=True)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": self._line}, raw=True)
