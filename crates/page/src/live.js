// Shows what the stream brings in the place of what it brought before. To pause ends the stream; to resume begins it again.
"use strict";
(() => {
  const [shown, state, button] = ["shown", "state", "pause"].map((id) => document.getElementById(id));
  let stream;
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };
  // Of a plot that is wider than the window the newest end is shown.
  const parts = () => [...shown.querySelectorAll("[tabindex]")];
  parts().forEach((part) => { part.scrollLeft = part.scrollWidth; });
  // Where a reader has scrolled to and what is focused stay as they are.
  const show = (text) => {
    const places = parts().map((part) => part.scrollLeft), focused = parts().indexOf(document.activeElement);
    shown.innerHTML = text;
    parts().forEach((part, index) => {
      part.scrollLeft = places[index] ?? part.scrollWidth;
      if (index === focused) part.focus({ preventScroll: true });
    });
  };
  const begin = () => {
    stream = new EventSource("events");
    stream.onopen = () => say("Live");
    stream.onmessage = ({ data }) => show(data);
    stream.onerror = () => say(stream.readyState === EventSource.CLOSED
      ? "The monitor takes no more viewers; load the page again later." : "No connection to the monitor; trying again");
  };
  button.onclick = () => {
    const pauses = stream !== undefined;
    if (pauses) { stream.close(); stream = undefined; say("Paused"); } else begin();
    button.textContent = pauses ? "Resume" : "Pause";
  };
  button.hidden = false;
  begin();
})();
