import { expect, it } from "vitest";
import { apiProvider, startProvider } from "../../support/email/company-provider";
import { createKey } from "../../support/email/email";

type Json = Record<string, unknown>;

const category = (value: string) => [{ name: "category", value }];

it("counts emails by their first tag, and requires the unsubscribe link in those of optional tags", async () => {
  const { email, owner, put, companyId } = await startProvider();
  expect((await put({ ...apiProvider, optional_tags: ["category:news"] })).status).toBe(200);
  expect((await put({ ...apiProvider, optional_tags: ["a b"] })).status).toBe(400);
  const { key } = await createKey({ service: "shop", companies: [companyId] });
  const send = async (overrides: Json) => {
    const json = { from: apiProvider.from_email, to: "mina@example.com", subject: "Aster", ...overrides };
    const response = await email.call("/api/v1/emails", { bearer: key, json });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const html = '<p>News</p><a href="{{system.unsubscribe_url}}">Unsubscribe</a>';
  expect(await send({ html: "<p>News</p>", tags: category("news") })).toMatchObject({
    status: 400,
    body: { field_errors: { html: ["unsubscribe_missing"], text: ["unsubscribe_missing"] } },
  });
  expect((await send({ html, tags: category("news") })).status).toBe(200);
  expect((await send({ text: "{{ system.unsubscribe_url }}", tags: category("news") })).status).toBe(200);
  expect((await send({ text: "Order", tags: category("order") })).status).toBe(200);
  expect((await send({ text: "Plain" })).status).toBe(200);
  const statsOf = async (search: string) =>
    (await (await email.call(`/api/v1/stats?company_id=${companyId}${search}`, { bearer: owner })).json()) as Json;
  const stats = await statsOf("");
  expect(stats).toMatchObject({
    by_tag: { "category:news": { queued: 2 }, "category:order": { queued: 1 } },
    by_internal: { "email.direct": { queued: 1 } },
  });
  expect((await statsOf("&event_type=email.direct.category:order")).totals).toMatchObject({ queued: 1 });
});
