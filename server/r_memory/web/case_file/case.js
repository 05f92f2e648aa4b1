"use strict";
// Checks this file in the reader's browser, offline: its seal, the signed checkpoint, each record's way to it.
const root = document.documentElement;
const whole = root.cloneNode(true);
whole.querySelector("#seal").textContent = "";
const text = "<!doctype html>" + whole.outerHTML;
const element = (id) => document.getElementById(id);
const bytes = (words) => new TextEncoder().encode(words);
const hex = (digits) => {
  if (!/^(?:[0-9a-f]{2})*$/.test(digits)) throw new Error("no hexadecimal digits");
  return Uint8Array.from(digits.match(/../g) || [], (pair) => parseInt(pair, 16));
};
const digits = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
};
const sha256 = async (content) => new Uint8Array(await crypto.subtle.digest("SHA-256", content));
const quoted = (word) => {
  if (!/^[A-Za-z0-9 :._+-]*$/.test(word)) return JSON.stringify(word).replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  return `"${word}"`;
};
async function climbed(node, place, size, path) {
  if (place < 0 || place >= size) return "";
  let at = place, last = size - 1, found = node;
  for (const one of path) {
    if (!last) return "";
    const beside = hex(one);
    if (at % 2 || at === last) {
      found = await sha256(joined([1], beside, found));
      while (at % 2 === 0 && at) { at >>= 1; last >>= 1; }
    } else found = await sha256(joined([1], found, beside));
    at >>= 1; last >>= 1;
  }
  return last ? "" : digits(found);
}
async function signed(content, signature, key) {
  const made = await crypto.subtle.importKey("raw", hex(key), { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, made, hex(signature), content);
}
const records = (data) => data.entries.map((entry) => ({ ...JSON.parse(entry.text)[1], is: JSON.parse(entry.text)[0] }));
async function problems(data, seal) {
  const wrong = [];
  const digest = digits(await sha256(bytes(text)));
  if (digest !== seal.digest) wrong.push("the file was altered after it was made");
  if (document.compatMode !== "CSS1Compat") wrong.push("the file was altered after it was made");
  if (!(await signed(bytes(`["r-memory case 1", "${seal.digest}"]`), seal.signature, seal.public_key))) wrong.push("the seal was not made by this key");
  const point = data.checkpoint, log = data.log;
  const said = `["r-memory checkpoint 1", ${quoted(data.space)}, ${quoted(point.made_at)}, "${point.root}"]`;
  if (!(await signed(bytes(said), seal.checkpoint_signature, seal.public_key))) wrong.push("the checkpoint was not signed by this key");
  if (Date.parse(point.made_at) > Date.now() + 600000) wrong.push("the checkpoint is dated in the future");
  const line = bytes(`[${quoted(log.name)}, ${log.size}, "${log.root}"]`);
  if ((await climbed(line, point.place, point.size, point.path)) !== point.root) wrong.push("the log does not lead to the checkpoint");
  for (const entry of data.entries) {
    const kind = JSON.parse(entry.text)[0];
    const leaf = `${kind}:${digits(await sha256(bytes(entry.text)))}`;
    const node = await sha256(joined([0], bytes(`[${entry.seq}, ${quoted(leaf)}, [${entry.ends.join(", ")}]]`)));
    if ((await climbed(node, entry.seq - 1, log.size, entry.path)) !== log.root) wrong.push(`entry ${entry.seq} does not lead to the root of its log`);
  }
  const receipt = records(data).find((one) => one.is === "receipt" && one.id === data.receipt);
  if (!receipt) wrong.push("the receipt itself is not in it");
  for (const [name, field] of [["request", "asked"], ["block", "stood"], ["answer", "answered"]]) {
    const words = data.given[name];
    if (!words || !receipt || !receipt[field]) continue;
    const salted = data.given_salt ? `${data.given_salt}\n${words}` : words;
    if (digits(await sha256(bytes(salted))) !== receipt[field]) wrong.push(`the ${name} is not the one of this receipt`);
  }
  return [...new Set(wrong)];
}
function add(parent, name, words, kind) {
  const made = document.createElement(name);
  if (words !== undefined) made.textContent = words;
  if (kind) made.className = kind;
  parent.append(made);
  return made;
}
function told(data) {
  const main = element("case");
  const kept = records(data);
  const receipt = kept.find((one) => one.is === "receipt");
  add(main, "h2", "Receipt");
  const list = add(main, "dl");
  for (const [name, value] of Object.entries(receipt || {})) {
    if (["salt", "digest_salt", "is", "traversal", "title", "shown_at", "block"].includes(name) || value === "" || value === null) continue;
    add(list, "dt", name.replaceAll("_", " "));
    add(list, "dd", Array.isArray(value) ? value.join(", ") : String(value));
  }
  if (receipt && receipt.block) { add(main, "h2", "Block, as it stood"); add(main, "pre", receipt.block); }
  for (const [name, words] of Object.entries(data.given)) { add(main, "h2", name[0].toUpperCase() + name.slice(1)); add(main, "pre", words); }
  add(main, "h2", "Facts, with every event on them");
  const facts = new Map();
  for (const one of kept.filter((each) => each.is === "event").sort((a, b) => a.seq - b.seq)) {
    const first = facts.get(one.fact_id);
    if (first) first.push(one); else facts.set(one.fact_id, [one]);
  }
  for (const events of facts.values()) {
    add(main, "h3", `${events[0].relation} ${events[0].object_name || events[0].object_uid}`);
    const items = add(main, "ol");
    for (const one of events) {
      const item = add(items, "li", `${one.recorded_at_iso || ""} ${one.status} by ${one.actor || one.speaker}: `);
      add(item, "q", one.actor ? one.reason : one.evidence);
    }
  }
  add(main, "h2", "What was said");
  for (const one of kept.filter((each) => each.is === "statement")) {
    add(main, "blockquote", one.text);
    const said = one.said_at_iso || "";
    add(main, "p", `${said.startsWith("0001-01-01") ? "(date unknown)" : said} by ${one.speaker}`);
  }
  add(main, "h2", "How to check it elsewhere");
  add(main, "p", "r-memory verify --case FILE does the same. The key must be the one that the installation gave you:");
}
(async () => {
  const verdict = element("verdict");
  try {
    const data = JSON.parse(element("data").textContent), seal = JSON.parse(element("seal").textContent);
    if (!crypto.subtle) throw new Error("this browser checks no signatures here");
    const wrong = await problems(data, seal);
    told(data);
    add(element("case"), "code", seal.public_key);
    verdict.textContent = wrong.length ? `RED: ${wrong.join("; ")}.` : `GREEN: every record here is as it was recorded, by the log that this key signed on ${data.checkpoint.made_at}.`;
    root.className = wrong.length ? "red" : "green";
  } catch (error) {
    verdict.textContent = `RED: it could not be checked (${error.message}).`;
    root.className = "red";
  }
})();
