import { afterEach, expect, it, vi } from "vitest";
import type { DomainHealth } from "../../../schemas/email/delivery/provider";
import { clock } from "../../../workers/kit/clock";
import { MINUTE_MS } from "../../../workers/kit/time";
import { apiProvider, PROVIDER_PATH, startProvider } from "../../support/email/company-provider";
import { createKey } from "../../support/email/email";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

it("accepts any From address at the sending domain when its TXT record proves it, and no other", async () => {
  const texts: Record<string, string[]> = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(String(input));
    const data = searchParams.get("type") === "TXT" ? (texts[searchParams.get("name") ?? ""] ?? []) : [];
    const answers = data.map((text) => ({ type: 16, data: `"${text}"`, TTL: 60 }));
    return Response.json({ Status: answers.length === 0 ? 3 : 0, Answer: answers });
  });
  const { email, owner, put, show, companyId } = await startProvider();
  const other = await startProvider();
  await put({ ...apiProvider, sending_domain: "Shop.example" });
  await other.put({ ...apiProvider, sending_domain: "shop.example" });
  const recordOf = async (read: typeof show) => (await read()).sending_domain_record as { value: string } | null;
  const record = await recordOf(show);
  expect(record).toEqual({
    type: "TXT",
    name: "shop.example",
    value: expect.stringMatching(/^platform-sending-domain=[0-9a-f]{32}$/),
  });
  const { key } = await createKey({ service: "shop", companies: [companyId] });
  const sendFrom = async (from: string) => {
    const json = { from, to: "mina@example.com", subject: "Order", text: "Thank you" };
    return (await email.call("/api/v1/emails", { bearer: key, json })).status;
  };
  const ownership = async () => {
    const response = await email.call(`${PROVIDER_PATH}/domain-health`, { bearer: owner });
    return ((await response.json()) as DomainHealth).ownership;
  };
  // The record of another company proves nothing.
  texts["shop.example"] = [(await recordOf(other.show))?.value ?? ""];
  clock.now = () => systemNow() + 2 * MINUTE_MS;
  expect([await ownership(), await sendFrom("orders@shop.example"), await sendFrom("hello@aster.example.com")]).toEqual(
    ["fail", 403, 200],
  );
  texts["shop.example"].push(record?.value ?? "");
  clock.now = () => systemNow() + 4 * MINUTE_MS;
  expect([
    await ownership(),
    await sendFrom("Orders <orders@SHOP.example>"),
    await sendFrom("a@sub.shop.example"),
  ]).toEqual(["pass", 200, 403]);
});
