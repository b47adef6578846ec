// scripts/support/load.ts bundles this file, because it imports sources of a Worker.
import { composeDocument } from "../../../workers/email/content/render/compose";
import { substitute } from "../../../workers/email/content/tokens/substitution";

const FIELDS = ["name", "note", "quantity", "price"];

/** Returns the median time in ms to fill a mail with a list of `count` items, as an attempt does. */
export function listRenderMs(count: number, rounds = 40): number {
  const paragraph = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] });
  const cells = FIELDS.map((field) => ({ type: "tableCell", content: [paragraph(`{{ item.${field} }}`)] }));
  const row = { type: "tableRow", attrs: { each: "items" }, content: cells };
  const document = { type: "doc" as const, content: [{ type: "table", content: [row] }, paragraph("{{ total }}")] };
  const look = { set: "studio", language: "en", subject: "Order", preheader: "" };
  const content = { subject: "Order", ...composeDocument(document, look) };
  const item = { name: "Linen notebook, sand", note: "lined & numbered", quantity: "2", price: "€18.00" };
  const variables = { items: Array.from({ length: count }, () => item), total: "€1,800.00" };
  const options = { authLane: false, authLinkHosts: [], debug: false, system: { message_id: "msg_1" }, urlTokens: [] };
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    if ("error" in substitute(content, variables, options)) throw new Error("the mail was not rendered");
    return performance.now() - startedAt;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}
