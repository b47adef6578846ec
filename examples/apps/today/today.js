// A one-page application with the tiny build: it follows the shell's colours and language, shows the signed-in user, and puts a
// number on its navigation item.
import { texts } from "./texts.js";

const { platform } = globalThis;
const done = new Set();

const find = (id) => document.getElementById(id);
const element = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });
const currentTexts = () => texts[platform.settings?.language.code.split("-")[0]] ?? texts.en;

function drawPerson(t) {
  const { user } = platform;
  const name = user === null ? (platform.embedded ? t.nobody : t.alone) : user.name || user.email;
  const hint = user === null ? (platform.embedded ? t.nobodyHint : t.aloneHint) : user.email;
  const words = element("div", "", "");
  words.append(element("h2", "", name), element("p", "quiet small", hint));
  const parts = [words];
  if (user !== null) {
    const initials = name.split(/[\s@.]+/, 2).map((word) => word.slice(0, 1).toUpperCase());
    const picture = element("span", "initials", initials.join(""));
    picture.ariaHidden = "true";
    const role = user.isCompanyOwner ? t.owner : user.isStaff ? t.staff : t.member;
    parts.unshift(picture);
    parts.push(element("span", "pill", role));
  }
  find("person").replaceChildren(...parts);
}

function drawTask(t, text, index) {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: done.has(index) });
  box.addEventListener("change", () => {
    if (box.checked) done.add(index);
    else done.delete(index);
    drawCount(currentTexts());
    if (box.checked) void notifyDone(t, text, index);
  });
  const label = document.createElement("label");
  label.append(box, element("span", "", text));
  const line = document.createElement("li");
  line.append(label);
  return line;
}

/** Offers to undo in a toast of the shell. */
async function notifyDone(t, text, index) {
  const undo = () => {
    done.delete(index);
    draw();
  };
  await platform.toast({ title: t.done(text), duration: 6000, action: { label: t.undo, onClick: undo } });
}

function drawCount(t) {
  const open = t.tasks.length - done.size;
  find("open").textContent = t.open(open);
  void platform.badge(open);
}

function draw() {
  const t = currentTexts();
  document.documentElement.lang = t === texts.fr ? "fr" : "en";
  find("title").textContent = t.title;
  document.title = t.title;
  drawPerson(t);
  find("tasks").replaceChildren(...t.tasks.map((text, index) => drawTask(t, text, index)));
  drawCount(t);
}

await platform.ready;
platform.on("settings", draw);
platform.on("session", draw);
draw();
await platform.applyTheme();
