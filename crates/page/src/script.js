// A common cursor for all plots over time, with values below; dragging zooms, a double click resets.
"use strict";
(() => {
  const plots = [...document.querySelectorAll("svg[data-time]")];
  const words = (seconds) => {
    const whole = Math.floor(Math.abs(seconds)), two = (n) => String(n).padStart(2, "0");
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    return (seconds < 0 ? "-" : "") + (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(whole % 60);
  };
  const points = (line) => {
    line.points ??= line.getAttribute("d").slice(1).split("L").map((pair) => pair.split(" ").map(Number));
    return line.points;
  };
  const nearest = (line, x) => {
    const all = points(line);
    let low = 0, high = all.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (all[middle][0] <= x) low = middle; else high = middle - 1;
    }
    return Math.abs(all[low][0] - x) < 12 ? all[low][1] : undefined;
  };
  for (const svg of plots) {
    const [from, to, left, right] = svg.dataset.time.split(" ").map(Number);
    const full = svg.getAttribute("viewBox").split(" ").map(Number);
    const hover = document.createElement("p");
    hover.className = "hover soft";
    hover.textContent = "Point at the plot for values. Drag to zoom, double click to go back.";
    svg.parentElement.after(hover);
    const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
    cursor.setAttribute("class", "cursor");
    svg.append(cursor);
    const place = (event) => {
      const box = svg.viewBox.baseVal, rect = svg.getBoundingClientRect();
      return box.x + (event.clientX - rect.left) / rect.width * box.width;
    };
    let began;
    svg.addEventListener("pointermove", (event) => {
      const x = Math.min(right, Math.max(left, place(event)));
      for (const [name, value] of [["x1", x], ["x2", x], ["y1", 0], ["y2", full[3]]]) cursor.setAttribute(name, value);
      const seconds = from + (x - left) / (right - left) * (to - from);
      const values = [...svg.querySelectorAll("path[data-name]")].map((line) => {
        const y = nearest(line, x);
        if (y === undefined) return "";
        const [low, high, bottom, top, unit] = line.dataset.scale.split(" ");
        const value = +low + (bottom - y) / (bottom - top) * (high - low);
        return line.dataset.name + " " + (high > 100 ? value.toFixed(0) : value.toFixed(1)) + " " + unit;
      });
      hover.textContent = [words(seconds), ...values.filter(Boolean)].join(" · ");
    });
    svg.addEventListener("pointerdown", (event) => { began = place(event); });
    svg.addEventListener("pointerup", (event) => {
      const ended = place(event), low = Math.min(began, ended), width = Math.abs(ended - began);
      if (width > 15) {
        svg.setAttribute("preserveAspectRatio", "none");
        svg.setAttribute("viewBox", [low, full[1], width, full[3]].join(" "));
      }
    });
    svg.addEventListener("dblclick", () => {
      svg.removeAttribute("preserveAspectRatio");
      svg.setAttribute("viewBox", full.join(" "));
    });
  }
})();
