import { asc, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log } from "../../../db/email/schema";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { createCompany, createKey, magicLink, startEmail, storeSuppression } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const PATH = "/api/v1/unsubscribes";

type Row = { id: number; email_masked: string | null; category: string; source: string; created_at: string };
type List = { unsubscribes: Row[]; next_cursor: string | null };

const auditOf = (companyId: number) => readRows(audit_log, eq(audit_log.company_id, companyId), asc(audit_log.id));

async function withRows(addresses: string[]) {
  const email = await startEmail();
  const company = await startCompany(email);
  for (const address of addresses)
    await storeSuppression(company.companyId, address, { unsubscribed: "transactional" });
  const list = async (query = "", bearer = company.owner) =>
    (await (await email.call(`${PATH}${query}`, { bearer })).json()) as List;
  const remove = (path: string, bearer = company.owner) =>
    send(email, bearer, { method: "DELETE", path: `${PATH}${path}` });
  return { email, ...company, list, remove };
}

it("lists unsubscribes newest first, with the masked address of a stored message or without an address", async () => {
  const { email, companyId, list } = await withRows(["anna@example.com", "mina@example.com"]);
  const { key } = await createKey({ service: "identity" });
  expect((await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) })).status).toBe(202);
  expect(await list()).toEqual({
    unsubscribes: [
      {
        id: expect.any(Number),
        email_masked: "m***@example.com",
        category: "transactional",
        source: "page",
        created_at: "1970-01-01T00:00:00.001Z",
      },
      {
        id: expect.any(Number),
        email_masked: null,
        category: "transactional",
        source: "page",
        created_at: "1970-01-01T00:00:00.001Z",
      },
    ],
    next_cursor: null,
  });
});

it("returns each unsubscribe once across pages, and filters by address", async () => {
  const { list } = await withRows(Array.from({ length: 5 }, (_, i) => `user${i}@example.com`));
  const ids: number[] = [];
  let cursor: string | null = null;
  do {
    const page: List = await list(`?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
    ids.push(...page.unsubscribes.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(ids).toHaveLength(5);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  expect((await list("?email=USER3@example.com")).unsubscribes).toHaveLength(1);
  expect((await list("?email=nobody@example.com")).unsubscribes).toEqual([]);
});

it.each([
  ["limit=0", { limit: ["out_of_range"] }],
  ["limit=ten", { limit: ["invalid"] }],
  ["cursor=%00", { cursor: ["invalid"] }],
  ["email=nobody", { email: ["invalid_format"] }],
])("rejects a list of unsubscribes with the query %s", async (query, fields) => {
  const { email, owner } = await withRows([]);
  expect(await problemOf(await email.call(`${PATH}?${query}`, { bearer: owner }))).toEqual([
    400,
    "validation_failed",
    fields,
  ]);
});

it("deletes an unsubscribe once, writes an audit entry that omits the address, and accepts mail to the address again", async () => {
  const companyId = createCompany();
  const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(companyId) } });
  const owner = await email.token({ companyId, isOwner: true, userId: companyId });
  await storeSuppression(companyId, "mina@example.com", { unsubscribed: "transactional" });
  await storeSuppression(companyId, "anna@example.com", { unsubscribed: "transactional" });
  const { key } = await createKey({ service: "identity" });
  const json = {
    company_id: companyId,
    template_key: "identity.user.created",
    to: [{ email: "mina@example.com" }],
    variables: { company_name: "Aster" },
  };
  const submit = async () => {
    const response = await email.call("/api/v1/send", { bearer: key, json });
    return ((await response.json()) as { messages?: { status: string }[] }).messages?.[0]?.status;
  };
  const list = async (query: string) => (await (await email.call(`${PATH}${query}`, { bearer: owner })).json()) as List;
  expect(await submit()).toBe("suppressed");
  const id = (await list("?email=mina@example.com")).unsubscribes[0]?.id ?? 0;
  const remove = () => send(email, owner, { method: "DELETE", path: `${PATH}/${id}` });
  const responses = await Promise.all(Array.from({ length: 10 }, remove));
  expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(9).fill(404)]);
  expect((await list("")).unsubscribes).toHaveLength(1);
  expect(await submit()).toBe("queued");
  const audit = await auditOf(companyId);
  expect(audit).toMatchObject([
    {
      actor_kind: "session",
      actor_user_id: companyId,
      action: "unsubscribe.deleted",
      target: `unsubscribe:${id}`,
      changes: '{"category":"transactional","source":"page"}',
    },
  ]);
  expect(JSON.stringify(audit)).not.toContain("mina");
});

it("hides unsubscribes of another company, and returns 404 for malformed ids", async () => {
  const { email, list, remove, staff } = await withRows(["mina@example.com"]);
  const stranger = await startCompany(email);
  const id = (await list()).unsubscribes[0]?.id;
  expect((await list("", stranger.owner)).unsubscribes).toEqual([]);
  expect(await problemOf(await remove(`/${id}`, stranger.owner))).toEqual([404, "not_found"]);
  expect(await problemOf(await remove(`/${id}?company_id=${stranger.companyId}`, staff))).toEqual([404, "not_found"]);
  for (const bad of ["0", "-1", "abc", "99999999999999999999"]) {
    expect(await problemOf(await remove(`/${bad}`))).toEqual([404, "not_found"]);
  }
  expect((await remove(`/${id}`, staff)).status).toBe(204);
});

it("rejects callers who may not manage unsubscribes", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PATH });
  await expectGuards(email, { method: "DELETE", path: `${PATH}/1` });
});
