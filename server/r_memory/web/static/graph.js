// Draws the table of connections as a picture; the table stays for whoever cannot see it.
"use strict";
const picture = document.getElementById("picture");
fetch(picture.dataset.from, { credentials: "same-origin" })
  .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
  .then((elements) => {
    picture.hidden = false;
    const colours = getComputedStyle(document.documentElement);
    const colour = (name) => colours.getPropertyValue(name).trim();
    cytoscape({
      container: picture,
      elements,
      layout: { name: "cose", animate: false, nodeDimensionsIncludeLabels: true },
      style: [
        { selector: "node", style: { label: "data(name)", color: colour("--text"), "background-color": colour("--soft"), "font-size": 11 } },
        { selector: 'node[kind="person"]', style: { "background-color": colour("--risk"), shape: "round-rectangle" } },
        { selector: "edge", style: { label: "data(name)", color: colour("--soft"), "font-size": 8, width: 1, "line-color": colour("--line"), "target-arrow-color": colour("--line"), "target-arrow-shape": "triangle", "curve-style": "bezier" } },
      ],
    });
  })
  .catch(() => { picture.hidden = true; });
