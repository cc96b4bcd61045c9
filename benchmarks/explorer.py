"""Time until the explorer answers a slider, in the browser: python -m benchmarks.explorer.

The page is served in this process. For each slider it is measured how long it takes, from its new value until
the next frame, to see the sentence and the charts of means, standard deviations and probabilities (the first
answer), and until the last chart is there. The CPU time is that of the server for everything.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

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
_MOVE = """
const [title, value, done] = arguments, page = Bokeh.documents[0];
const slider = [...page._all_models.values()].find(m => m.title === title && m.value !== undefined);
const start = performance.now(), times = [];
function after(name) {
  const changed = page.get_model_by_name(name).properties.data.change;
  const seen = () => {
    changed.disconnect(seen);
    requestAnimationFrame(() => {
      times.push(performance.now() - start);
      if (times.length === 2) done(times);
    });
  };
  changed.connect(seen);
}
after("mean A"); after("exponent b");
slider.value = value;
"""


def main() -> None:
    """Print a table of the times."""
    import browser

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| slider | first answer (ms): median, worst | all charts: median, worst | CPU: median |")
    print("|---|---|---|---|", flush=True)
    with browser.explorer() as address, browser.chromium() as driver:
        driver.set_script_timeout(120)
        for name, (query, title, values) in _SLIDERS.items():
            driver.get(f"{address}?{query}")
            ready = "return Bokeh?.documents[0]?.get_model_by_name('exponent b')?.data.x.length ?? 0"
            while not driver.execute_script(ready):
                time.sleep(0.2)
            times, cpu = [], []
            for value in values:
                before = time.process_time()
                times.append(driver.execute_async_script(_MOVE, title, float(value)))
                cpu.append(1000 * (time.process_time() - before))
            first, last = np.array(times).T
            print(
                f"| {name} | {np.median(first):.0f}, {first.max():.0f} | {np.median(last):.0f}, "
                f"{last.max():.0f} | {np.median(cpu):.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
