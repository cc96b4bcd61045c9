"""Time until the explorer shows its first page, and answers a slider: python -m benchmarks.explorer.

The first page is that of `ndcg-asymptotics explore`, opened when its address is printed by a browser that
runs already: the time until its means are there, and then all charts.

For sliders the page is served in this process and computed in another one, as the command does. For each
slider it is measured how long it takes, from its new value until the next frame, to see the sentence, and
then the last chart.
Set OPENBLAS_NUM_THREADS=1, as the command does by itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

_STEPS = 15
_SLIDERS = {
    "curve, nDCG": ("", "top", np.linspace(0.41, 0.58, _STEPS)),
    "curve, nDCG@10": ("measure=nDCG@10", "top", np.linspace(0.41, 0.58, _STEPS)),
    "share of relevant items": ("", "share of relevant items", np.linspace(0.26, 0.34, _STEPS)),
    "exponent b": ("measure=nDCG(power(0.5))", "b", np.linspace(0.3, 1.7, _STEPS)),
    "kappa, one relevant item": ("relevant=1", "kappa", np.linspace(0.2, 0.9, _STEPS)),
}
# Both places are dimmed when the slider moves, and not when their values are there.
_MOVE = """
const [title, value, done] = arguments, models = [...Bokeh.documents[0]._all_models.values()];
const slider = models.find(m => m.title === title && m.value !== undefined);
const sentence = models.find(m => m.css_classes?.includes("verdict"));
const last = models.find(m => m.renderers?.some(r => r.data_source?.name === "exponent b"));
const start = performance.now(), times = [];
for (const shown of [sentence, last]) {
  const place = models.find(m => m.styles?.opacity && m.children.includes(shown));
  const seen = () => {
    if (place.styles.opacity !== "1") return;
    place.properties.styles.change.disconnect(seen);
    requestAnimationFrame(() => {
      times.push(performance.now() - start);
      if (times.length === 2) done(times);
    });
  };
  place.properties.styles.change.connect(seen);
}
slider.value = value;
"""
_POINTS = "return window.Bokeh?.documents[0]?.get_model_by_name(arguments[0])?.data.x.length ?? 0"


def first_page(driver: Any) -> str:
    """Return a line with the times of the first page after its address is printed, and of its start."""
    command = [sys.executable, "-m", "ndcg_asymptotics", "explore", "--no-browser"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        listening = time.perf_counter()
        driver.get(address)
        shown = []
        for name in ("mean A", "exponent b"):
            while not driver.execute_script(_POINTS, name):
                time.sleep(0.02)
            shown.append(time.perf_counter() - listening)
        server.terminate()
        _, _, used = os.wait4(server.pid, 0)
    started, cpu = listening - start, used.ru_utime + used.ru_stime
    return f"first page: start {started:.1f} s, means {shown[0]:.1f} s, all {shown[1]:.1f} s, CPU {cpu:.1f} s"


def main() -> None:
    """Print a table of the times."""
    import browser

    from ndcg_asymptotics.explorer.workers import worker

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with browser.chromium() as driver:
        for _ in range(3):
            print(first_page(driver), flush=True)
    print("\n| slider | sentence (ms): median, worst | all charts: median, worst |")
    print("|---|---|---|", flush=True)
    with worker() as submit, browser.explorer(submit) as address, browser.chromium() as driver:
        driver.set_script_timeout(120)
        for name, (query, title, values) in _SLIDERS.items():
            driver.get(f"{address}?{query}")
            while not driver.execute_script(_POINTS, "exponent b"):
                time.sleep(0.2)
            times = [driver.execute_async_script(_MOVE, title, float(value)) for value in values]
            first, last = np.array(times).T
            print(
                f"| {name} | {np.median(first):.0f}, {first.max():.0f} | {np.median(last):.0f}, "
                f"{last.max():.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
