"""The clock of a coding drill in a notebook: a sentence, and a script that counts where scripts run."""

import json
import uuid
from datetime import datetime
from html import escape

SCRIPT = """
<script>
(() => {
  const clock = document.getElementById("NAME");
  const tick = () => {
    if (document.querySelector(".ENDED")) {
      clearInterval(timer);
      clock.textContent = ENDED_SAID;
      return;
    }
    const left = Math.max(Math.round((END - Date.now()) / 1000), 0);
    const shown = `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, "0")} s are left.`;
    clock.textContent = left ? shown : OVER;
    if (!left) clearInterval(timer);
  };
  const timer = setInterval(tick, 1000);
  tick();
})();
</script>
"""
OVER = "The time is over. Hand in what you have."
ENDED = "This drill is over."


def left(attempt, now):
    """Seconds of an attempt that was begun in a notebook; below 0 if its time is over."""
    return 60 * attempt.minutes - (now - attempt.begun).total_seconds()


def said(attempt, now):
    """How much time there is, and until when."""
    seconds = left(attempt, now)
    if not attempt.open:
        return ENDED
    if seconds <= 0:
        return OVER
    end = attempt.begun.timestamp() + 60 * attempt.minutes
    return f"{seconds / 60:.0f} minutes are left, until {_local(end)}."


def _local(seconds):
    """The time of day, here."""
    return f"{datetime.fromtimestamp(seconds):%H:%M:%S}"


def running(html, attempt, now):
    """A page with a clock below it that counts; without scripts the page's own sentence stays."""
    if not attempt.open or left(attempt, now) <= 0:
        return html
    # A page may show one drill twice.
    name = f"drill-{attempt.key}-{uuid.uuid4().hex[:6]}"
    end = 1000 * (attempt.begun.timestamp() + 60 * attempt.minutes)
    script = SCRIPT.replace("ENDED_SAID", json.dumps(ENDED)).replace("ENDED", _ended(attempt))
    script = script.replace("END", f"{end:.0f}").replace("NAME", name).replace("OVER", json.dumps(OVER))
    timer = f'<p id="{escape(name)}" role="timer" style="margin:6px 0 0 16px;font-variant-numeric:tabular-nums"></p>'
    return html + timer + script


def stopped(html, attempt):
    """A page that stops every clock of an attempt, wherever in the notebook it runs."""
    return html + f'<span class="{_ended(attempt)}" hidden></span>'


def _ended(attempt):
    """The class of what says that an attempt is over; its key may be anybody's who wrote the journal."""
    return f"drill-over-{attempt.key.encode().hex()}"
