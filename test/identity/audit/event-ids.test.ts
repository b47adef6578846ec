import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { event_log } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import { uuid } from "../../../workers/kit/ids";
import { eventIdAt } from "../../support/db/event-ids";
import { freshEmail, requestLink } from "../../support/identity/identity";
import { deleteRows, insertRow, storeEntries, storeEntry } from "../../support/identity/rows";
import { eventType, setUpWebhooks } from "../../support/webhooks/api";

type Row = { id: number; event_id: string; event_type: string; created_at: string };
type Page = { count?: number; results: Row[]; next_cursor: string | null };
type Api = Awaited<ReturnType<typeof setUpWebhooks>>;

const list = async ({ call }: Api, query = "") => (await call("GET", `/event-log?${query}`)).body as unknown as Page;

it("assigns different integer ids to events of the same millisecond, in the order of their creation", async () => {
  const api = await setUpWebhooks();
  const { env, mailbox, company, call } = api;
  const now = Date.now();
  clock.now = () => now;
  const [first, second] = [freshEmail(), freshEmail()];
  for (const email of [first, second]) await requestLink(env, mailbox, company, email);
  const { results } = await list(api);
  expect(results.map(({ created_at }) => created_at)).toEqual([now, now].map((at) => new Date(at).toISOString()));
  const [later, earlier] = results;
  expect(later?.id).toBeGreaterThan(earlier?.id ?? Number.POSITIVE_INFINITY);
  for (const row of results) expect((await call("GET", `/event-log/${row.id}`)).body).toEqual(row);
  // The page boundary is between the two events.
  const [firstPage] = [await list(api, "page_size=1")];
  const secondPage = await list(api, `page_size=1&cursor=${firstPage?.next_cursor}`);
  expect([firstPage?.results, secondPage.results, secondPage.next_cursor]).toEqual([[later], [earlier], null]);
});

it("lists, finds and replays a row by its old id when the row is older than time-ordered ids", async () => {
  const api = await setUpWebhooks();
  const { company, call, code, createRule } = api;
  const rule = await createRule();
  const at = Date.now() - 60_000;
  const [event_id, id] = [crypto.randomUUID(), eventIdAt(at)];
  const body = JSON.stringify({ id: event_id, type: eventType, time: "", company: { id: company.id }, data: {} });
  const row = { company_id: company.id, event_id, event_type: eventType, data: "{}", envelope: body, created_at: at };
  await insertRow(event_log, { ...row, id });
  const { results, count } = await list(api, `event_id=${event_id}`);
  expect([count, results]).toEqual([
    1,
    [expect.objectContaining({ event_id, created_at: new Date(at).toISOString() })],
  ]);
  expect((await list(api, `event_id=${id}`)).results).toEqual([]);
  const [listedEvent] = results;
  expect((await call("GET", `/event-log/${listedEvent?.id}`)).body).toEqual(listedEvent);
  const replayed = await call("POST", `/event-log/${listedEvent?.id}/replay`, { action_rule_id: rule.id });
  expect([replayed.status, replayed.body.webhook_id]).toEqual([201, event_id]);
  expect(await code("POST", `/event-log/${listedEvent?.id}/replay`, { action_rule_id: rule.id })).toEqual([
    409,
    "conflict",
  ]);
  // A row of another company with the same old id must not match.
  expect((await list(api, `event_id=${uuid()}`)).results).toEqual([]);
});

it("lists frequent types and partial addresses in cursor pages, and finds a rare type in one page", async () => {
  const api = await setUpWebhooks();
  const { company, other } = api;
  const at = Date.now() - 3_600_000;
  const rare = await storeEntry(company.id, { created_at: at, user_email: "needle@example.com" });
  await storeEntries(company.id, 6000, {
    event_type: "identity.auth.login.failed",
    created_at: sql`${at} + i`,
    user_email: "hay@example.com",
  });
  const walk = async (query: string) => {
    const pages = [await list(api, query)];
    while (pages.at(-1)?.next_cursor && pages.length < 9) {
      pages.push(await list(api, `${query}&cursor=${pages.at(-1)?.next_cursor}`));
    }
    return pages;
  };
  const byAddress = await walk("user=needle");
  expect(byAddress.map(({ results }) => results.length)).toEqual([0, 0, 0, 1]);
  expect(byAddress[3]?.results[0]?.id).toBe(rare);
  const mixed = await walk("event_type=identity.auth.login.succeeded,identity.user.updated");
  expect(mixed.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([rare]);
  const [direct, ...rest] = await walk("event_type=identity.user.updated,identity.user.created");
  expect([direct?.count, direct?.results.map(({ id }) => id), rest]).toEqual([1, [rare], []]);
  for (const id of [company.id, other.id]) await deleteRows(event_log, eq(event_log.company_id, id));
});
