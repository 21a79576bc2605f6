"use strict";

// Shows times as the reader writes them, with the zone; what they were is kept in the title.
const arenaTimes = (() => {
  const format = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });

  /** Rewrite the times in an element. */
  function show(within) {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const when = new Date(time.dateTime);
      if (time.title || Number.isNaN(when.getTime())) continue;
      time.title = time.textContent;
      time.textContent = format.format(when);
    }
  }

  show(document);
  return Object.freeze({ show });
})();
