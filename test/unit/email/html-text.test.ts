import { expect, it } from "vitest";
import { textOfHtml } from "../../../workers/email/intake/emails/html-text";

it("writes each row of a table on a line, and separates its cells", () => {
  const rows = [
    ["Lamp", "27,00 €"],
    ["Table", "9,00 €"],
  ].map(([name, price]) => `<tr><td>${name}</td><td>${price}</td></tr>`);
  const table = `<table><tr><th>Item</th><th>Price</th></tr>${rows.join("\n")}</table>`;
  expect(textOfHtml(`<table><tr><td><p>Hello</p>${table}</td></tr></table>`)).toBe(
    "Hello\n\nItem Price\nLamp 27,00 €\nTable 9,00 €",
  );
});

it.each(["<div>", "<table><tr><td>", "<b></i>"])("converts %s without end tags in little time", (tags) => {
  const start = performance.now();
  expect(textOfHtml(`${tags.repeat(Math.floor(250_000 / tags.length))}Hello`)).toBe("Hello");
  expect(performance.now() - start).toBeLessThan(1000);
});
