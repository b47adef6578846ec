import { eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { company_providers } from "../../../db/email/schema";
import type { DomainHealth } from "../../../schemas/email/delivery/provider";
import { currentHealth, presentDomainHealth } from "../../../workers/email/delivery/sender-domains/domain-health";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS } from "../../../workers/kit/time";
import { apiProvider, PROVIDER_PATH, startProvider } from "../../support/email/company-provider";
import { startDelivery, storeProvider } from "../../support/email/delivery";
import { createCompany, startEmail } from "../../support/email/email";
import { readRows, updateRows } from "../../support/email/rows";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

type Zone = Record<string, string[]>;

const validZone: Zone = {
  "TXT aster.example": ["google-site-verification=x", "v=spf1 include:_spf.provider.example -all"],
  "TXT _dmarc.aster.example": ["v=DMARC1; p=reject; rua=mailto:dmarc@aster.example"],
  "TXT resend._domainkey.aster.example": ["p=MIGfMA0GCSqGSIb3"],
  "MX aster.example": ["10 mail.aster.example."],
};

/**
 * Returns the domain health of a company that sends from aster.example, with these DNS records. For null the resolver
 * is unavailable.
 */
async function healthOf(zone: Zone | null, columns: { sending_domain?: string; from_email?: string } = {}) {
  const harness = startDelivery();
  const companyId = createCompany();
  await storeProvider(companyId, { kind: "api", apiKey: "key" } as never);
  await updateRows(company_providers, { sending_domain: "", ...columns }, eq(company_providers.company_id, companyId));
  let queries = 0;
  const resolve: typeof fetch = async (input) => {
    queries += 1;
    if (zone === null) return new Response("unavailable", { status: 502 });
    const { searchParams } = new URL(String(input));
    const type = searchParams.get("type") ?? "";
    const records = zone[`${type} ${searchParams.get("name")}`] ?? [];
    const data = records.map((text) => (type === "TXT" ? `"${text}"` : text));
    const number = { MX: 15, TXT: 16 }[type];
    return Response.json({
      Status: data.length === 0 ? 3 : 0,
      Answer: data.map((text) => ({ type: number, data: text, TTL: 60 })),
    });
  };
  const services = harness.build({ fetch: resolve });
  const readRow = async () => {
    const [row] = await readRows(company_providers, eq(company_providers.company_id, companyId));
    if (row === undefined) throw new Error("no provider");
    return row;
  };
  const read = async () => presentDomainHealth(await currentHealth(services, await readRow()));
  return { harness, read, readRow, queryCount: () => queries };
}

const checksOf = ({ checks }: DomainHealth) =>
  Object.fromEntries(
    checks.map(({ name, status, detail_code }) => [name, detail_code === "" ? status : `${status} ${detail_code}`]),
  );

it("reports a valid domain, and checks it once a day", async () => {
  const { harness, read, queryCount } = await healthOf(validZone);
  const first = await read();
  expect(first.domain).toBe("aster.example");
  expect(checksOf(first)).toEqual({ spf: "pass", dkim: "pass", dmarc: "pass", mx: "pass", from_alignment: "pass" });
  const queriesOfOneCheck = queryCount();
  expect(await read()).toEqual(first);
  expect(queryCount()).toBe(queriesOfOneCheck);
  harness.advance(DAY_MS + 1);
  expect((await read()).checked_at).not.toBe(first.checked_at);
  expect(queryCount()).toBe(2 * queriesOfOneCheck);
});

it("knows the records of Cloudflare's Email Service", async () => {
  const { read } = await healthOf({
    "TXT cf-bounce.aster.example": ["v=spf1 include:_spf.mx.cloudflare.net ~all"],
    "TXT cf-bounce._domainkey.aster.example": ["v=DKIM1; h=sha256; k=rsa; p=MIIBIjANBgkq"],
    "TXT _dmarc.aster.example": ["v=DMARC1; p=reject;"],
  });
  expect(checksOf(await read())).toMatchObject({ spf: "pass", dkim: "pass", dmarc: "pass" });
});

it.each([
  ["TXT aster.example", [], "spf", "fail no_record"],
  ["TXT aster.example", ["v=spf1 -all", "v=spf1 ~all"], "spf", "fail several_records"],
  ["TXT aster.example", ["v=spf1 +all"], "spf", "fail allows_everybody"],
  ["TXT aster.example", ['v=spf1 include:a.example" " ~all'], "spf", "pass"],
  ["TXT resend._domainkey.aster.example", [], "dkim", "unknown selector_unknown"],
  ["TXT resend._domainkey.aster.example", ["v=DKIM1; p="], "dkim", "fail key_revoked"],
  ["TXT _dmarc.aster.example", [], "dmarc", "fail no_record"],
  ["TXT _dmarc.aster.example", ["v=DMARC1; p=none"], "dmarc", "warn policy_none"],
  ["TXT _dmarc.aster.example", ["v=DMARC1; rua=mailto:a@b.example"], "dmarc", "fail no_policy"],
  ["MX aster.example", [], "mx", "warn no_record"],
  ["MX aster.example", ["0 ."], "mx", "warn takes_no_mail"],
] as const)("reports for the DNS records %s %j that %s is %s", async (name, records, check, expected) => {
  const { read } = await healthOf({ ...validZone, [name]: [...records] });
  expect(checksOf(await read())[check]).toBe(expected);
});

it.each([
  ["its own policy", { "TXT _dmarc.news.aster.example": ["v=DMARC1; p=reject"] }, "pass"],
  ["the policy of the parent domain", { "TXT _dmarc.aster.example": ["v=DMARC1; p=reject"] }, "pass"],
  [
    "the subdomain policy of the parent domain",
    { "TXT _dmarc.aster.example": ["v=DMARC1; p=reject; sp=none"] },
    "warn policy_none",
  ],
  [
    "no policy when only the sending domain has one",
    { "TXT _dmarc.mail.example": ["v=DMARC1; p=reject"] },
    "fail no_record",
  ],
] as const)("checks the DMARC policy in force for a From in a subdomain: %s", async (_title, records, expected) => {
  const { read } = await healthOf(records as unknown as Zone, {
    from_email: "hello@news.aster.example",
    sending_domain: "mail.example",
  });
  expect(checksOf(await read()).dmarc).toBe(expected);
});

it("checks again when the provider is saved, including a changed sending domain", async () => {
  const records: Zone = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { searchParams } = new URL(String(input));
    const data = records[`${searchParams.get("type")} ${searchParams.get("name")}`] ?? [];
    const answers = data.map((text) => ({ type: 16, data: `"${text}"`, TTL: 60 }));
    return Response.json({ Status: answers.length === 0 ? 3 : 0, Answer: answers });
  });
  const { email, owner, put } = await startProvider();
  const fetchHealth = async () =>
    (await (await email.call(`${PROVIDER_PATH}/domain-health`, { bearer: owner })).json()) as DomainHealth;
  await put(apiProvider);
  expect([(await fetchHealth()).domain, checksOf(await fetchHealth()).spf]).toEqual([
    "aster.example.com",
    "fail no_record",
  ]);
  records["TXT aster.example.com"] = ["v=spf1 -all"];
  await put({ from_email: "hello@aster.example.com" });
  expect(checksOf(await fetchHealth()).spf).toBe("pass");
  await put({ from_email: "hello@another.example.com" });
  expect([(await fetchHealth()).domain, checksOf(await fetchHealth()).spf]).toEqual([
    "another.example.com",
    "fail no_record",
  ]);
});

it("checks the sending domain and warns when From is in another domain", async () => {
  const { read } = await healthOf({}, { sending_domain: "other.example" });
  const health = await read();
  expect([health.domain, checksOf(health).from_alignment]).toEqual(["other.example", "warn other_domain"]);
  const subdomain = await healthOf({}, { sending_domain: "mail.aster.example" });
  expect(checksOf(await subdomain.read()).from_alignment).toBe("pass");
});

it("reports unknown and stores nothing while the resolver is unavailable", async () => {
  const { read, readRow } = await healthOf(null);
  expect(checksOf(await read())).toMatchObject({ spf: "unknown no_answer", dmarc: "unknown no_answer" });
  expect((await readRow()).domain_health).toBeNull();
});

it("returns empty health for a company without a provider", async () => {
  const email = await startEmail();
  const bearer = await email.token({ companyId: createCompany(), isOwner: true });
  const response = await email.call("/api/v1/provider/domain-health", { bearer });
  expect([response.status, await response.json()]).toEqual([
    200,
    { domain: "", checked_at: null, checks: [], ownership: null },
  ]);
});
