import { orders } from "./data.js";
import { currentTexts, day, make, money, platform } from "./shell.js";

/** Draws all orders as a table; each order number links to its order. */
export function drawList(go) {
  const t = currentTexts();
  const head = ["number", "customer", "date", "state"].map((key) =>
    make("th", { scope: "col", class: `column-${key}` }, t[key]),
  );
  const rows = [...orders.values()].map(({ id, customer, date, state, cents }) =>
    make(
      "tr",
      {},
      make("td", {}, make("a", { href: `/${id}` }, String(id))),
      make("td", {}, customer),
      make("td", { class: "column-date" }, day(date)),
      make("td", {}, make("span", { class: "pill" }, t[state])),
      make("td", { class: "number" }, money(cents)),
    ),
  );
  const table = make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...head, make("th", { scope: "col", class: "number" }, t.amount))),
    make("tbody", {}, ...rows),
  );
  const openAppearance = () => void platform.openModal({ url: "/__settings/appearance", title: t.settings });
  return [
    make(
      "div",
      { class: "head" },
      make("h1", { tabindex: "-1" }, t.title),
      make(
        "div",
        { class: "row" },
        make("button", { type: "button", onClick: openAppearance }, t.settings),
        make("button", { type: "button", onClick: () => go("/account") }, t.account),
      ),
    ),
    rows.length === 0 ? make("p", { class: "quiet" }, t.empty) : make("div", { class: "wide" }, table),
  ];
}

/** Draws one order with its actions. */
export function drawOrder(id, { go, draw }) {
  const t = currentTexts();
  const back = make("a", { class: "back", href: "/" }, `← ${t.back}`);
  const order = orders.get(id);
  if (order === undefined) return [back, make("h1", { tabindex: "-1" }, t.missing)];
  const facts = { customer: order.customer, date: day(order.date), state: t[order.state], amount: money(order.cents) };
  const send = make("button", { type: "button", class: "primary", onClick: () => void sendOrder(order, draw) }, t.send);
  send.disabled = order.state === "sent";
  return [
    back,
    make("div", { class: "head" }, make("h1", { tabindex: "-1" }, t.order(id))),
    make(
      "div",
      { class: "stack" },
      make(
        "dl",
        { class: "facts card" },
        ...Object.entries(facts).flatMap(([key, text]) => [make("dt", {}, t[key]), make("dd", {}, text)]),
      ),
      make(
        "div",
        { class: "row" },
        send,
        make("button", { type: "button", class: "danger", onClick: () => void removeOrder(order, go) }, t.remove),
      ),
    ),
  ];
}

/** Shows a toast while the order is being sent, then updates it with the result. */
async function sendOrder(order, draw) {
  const t = currentTexts();
  const { data: toast } = await platform.toast({ title: t.sending, kind: "loading" });
  await new Promise((resume) => setTimeout(resume, 600));
  order.state = "sent";
  draw();
  await toast?.update({ title: t.sentToast(order.id), kind: "success", duration: 4000 });
}

/** Asks for confirmation, then offers to undo. */
async function removeOrder(order, go) {
  const t = currentTexts();
  const { data: answer, error } = await platform.dialog({
    title: t.removeTitle(order.id),
    description: t.removeHint(order.customer),
    mode: "delete",
    okLabel: t.removeOk,
  });
  // Without a shell the browser's own dialog asks.
  if (error === null ? answer !== "ok" : !globalThis.confirm(t.removeTitle(order.id))) return;
  orders.delete(order.id);
  go("/");
  const undo = () => {
    orders.set(order.id, order);
    go(`/${order.id}`);
  };
  await platform.toast({ title: t.removed(order.id), kind: "success", action: { label: t.undo, onClick: undo } });
}
