// Shows each event of the stream in place of the last one. Pausing ends the stream; resuming starts it again.
"use strict";
(() => {
  const [shown, state, button] = ["shown", "state", "pause"].map((id) => document.getElementById(id));
  let stream;
  const say = (text) => { if (state.textContent !== text) state.textContent = text; };
  // A plot that is wider than the window shows its newest end.
  const parts = () => [...shown.querySelectorAll("[tabindex]")];
  parts().forEach((part) => { part.scrollLeft = part.scrollWidth; });
  // Keeps scroll positions and focus.
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
