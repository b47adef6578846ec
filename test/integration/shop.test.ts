import { expect, it } from "vitest";
import shop from "../../examples/shop/worker.ts";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

it("lets a shop send a confirmation, an invoice with an attachment and a shipping notice with its own key", async () => {
  const platform = await sharePlatform();
  const owner = await signInAt(platform, "owner@example.com");
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${platform.url}/email/api/v1/${path}`, {
      headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { key: string };
  };
  const types = ["order.placed", "invoice.issued", "order.shipped"];
  for (const preset of types) await call("event-types", { preset, event_type: `lumi.${preset}` });
  const { key } = await call("api-keys", { name: "Example", allowed_template_prefixes: ["lumi."] });
  const env = {
    EMAIL_URL: `${platform.url}/email`,
    EMAIL_KEY: key,
    EMAIL_FROM: "Shop <no-reply@platform.example.com>",
    SHOP_URL: "https://shop.example.com",
  };
  const order = {
    ...{ number: "1042", email: "shop-customer@example.com", language: "fr", currency: "EUR", total: "1048.00" },
    lines: [
      { name: "Lampe Lumi", quantity: 2, amount: "1000.00" },
      { name: "Mug Oslo", quantity: 4, amount: "48.00" },
    ],
  };
  const post = async (path: string, body: object = order) => {
    const request = new Request(`https://shop.example.com${path}`, { method: "POST", body: JSON.stringify(body) });
    const response = await shop.fetch(request, env);
    return [response.status, await response.text()];
  };
  const repeated = [await post("/confirmation"), await post("/confirmation")];
  expect(repeated[0]).toEqual([200, expect.stringMatching(/^\{"id":"[0-9a-f-]{36}"\}$/)]);
  expect(repeated[1]).toEqual(repeated[0]);
  const confirmation = await platform.inbox.waitForMail(order.email, 1);
  expect(confirmation.subject).toBe("Votre commande 1042 est confirmée");
  expect(confirmation.text).toMatch(
    /Lampe Lumi\s: 1\s000,00\s€\nQuantité\s: 2\n\nMug Oslo\s: 48,00\s€\nQuantité\s: 4\n\nTotal\s: 1\s048,00\s€/,
  );
  expect(confirmation.html).toContain("https://shop.example.com/orders/1042");
  expect((await post("/invoice"))[0]).toBe(200);
  const invoice = await platform.inbox.waitForMail(order.email, 2);
  expect(invoice).toMatchObject({ subject: "Votre facture 1042", attachments: [{ fileName: "invoice-1042.csv" }] });
  expect((await post("/shipment"))[0]).toBe(200);
  const notice = await platform.inbox.waitForMail(order.email, 3);
  expect(notice.text).toContain(
    "Suivre le colis : https://shop.example.com/orders/1042/parcel".replace(" :", "\u00a0:"),
  );
  expect((await post("/refund"))[0]).toBe(404);
  expect(await post("/confirmation", { ...order, number: "1043", total: "many" })).toEqual([
    400,
    expect.stringContaining('"variables.total"'),
  ]);
});
