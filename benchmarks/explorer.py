"""Time until the explorer answers a slider, in the browser: python -m benchmarks.explorer.

The page is served in this process. For each slider it is measured how long it takes, from its new value until
the next frame, to see the sentence, and then the last chart. The CPU time is that of the server for both.
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


def main() -> None:
    """Print a table of the times."""
    import browser

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| slider | sentence (ms): median, worst | all charts: median, worst | CPU: median |")
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
