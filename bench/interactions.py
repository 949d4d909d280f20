"""Processor time of interactions with the explorer of a report.

The time is that of the page's thread, from the start of an interaction until the next frame is
drawn. Other work on the machine does not count.
"""

from __future__ import annotations

from typing import Any

# JavaScript that is run on the explorer `e`: before the time is taken, and while it is taken.
WORK = {
    "first search": ("", "e.query.value = 'th'; e.update()"),
    "search for two words": ("", "e.query.value = 'to e'; e.update()"),
    "range of a rate": ("e.reset()", "e.filters.conditions[0].low.value = '20'; e.update()"),
    "tag of a word with an error": ("e.reset()", "choose(f => f.within, 3); e.update()"),
    "value of a metadata column": ("e.reset()", "choose(f => f.name === 'speaker', 7); e.update()"),
    "click on a confusion": ("e.reset()", "e.filterBy([e.chips.resolve(confusion)])"),
    "state of an address": ("e.reset()", "e.restore(new URLSearchParams(state))"),
    "one system less": ("e.reset()", "e.systems.boxes[0].click()"),
    "order by a change": (
        "e.reset()",
        "e.order.value = String(e.fields.findIndex("
        "f => f.group.startsWith('Change') && f.metric === 1)); e.update()",
    ),
    "a step down the list": ("", "e.list.select(e.list.at + 1)"),
    "to the end of the list": ("", "e.list.select(e.corpus.size - 1)"),
}
STEP = """() => {{
  const e = Object.values(misword.explorers)[0];
  const choose = (test, at) => {{
    const [condition] = e.filters.conditions;
    condition.field.value = String(e.fields.findIndex(test));
    condition.offer();
    condition.choice.value = String(at);
  }};
  const link = document.querySelector("[id*=confusions] ~ * [data-filter]");
  const confusion = JSON.parse(link.dataset.filter)[0];
  const state = {{ q: "th", c: JSON.stringify(confusion), d: "up" }};
  {work};
}}"""
# Waits until the page was drawn.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


def interactions(page: Any) -> dict[str, float]:
    """Return the milliseconds of each interaction, in this order, with an open report."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))

    for chart in page.locator(".chart").all():  # they are drawn after loading
        chart.locator("svg").wait_for(state="attached")
    times = {}
    for name, (before, work) in WORK.items():
        page.evaluate(STEP.format(work=before))
        page.evaluate(DRAWN)
        start = worked()
        page.evaluate(STEP.format(work=work))
        page.evaluate(DRAWN)
        times[name] = worked() - start
    return times
