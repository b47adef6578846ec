import { and, eq, gt } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log } from "../../../db/kit/audit";
import { action_deliveries } from "../../../db/kit/webhooks";
import { operationsOf, readDocument } from "../http/api-document";
import { type Facts, fill, type InPath } from "../http/route-calls";
import { readRows } from "../webhooks/rows";

type Init = { method?: string; bearer?: string; json?: unknown; body?: BodyInit; headers?: Record<string, string> };
type Call = (path: string, init?: Init) => Promise<Response>;

/** How to send a mutation: a setup step, and values that replace those of the route check (`Facts`). */
type Change = { before?: () => Promise<unknown>; body?: object; row?: () => Promise<InPath> };

/** A service with a company, its owner and a staff user. */
export type Audited = {
  call: Call;
  company: number;
  bearers: { owner: string; staff: string };
  /** ids of the owner and the staff user */
  users: { owner: number; staff: number };
  facts: Record<string, Facts>;
  changes?: Record<string, Change>;
  /** operations that have a body but change nothing */
  reads?: readonly string[];
};

/** Returns the id of the newest entry. */
export const newestEntry = async () => (await readRows(audit_log, undefined)).at(-1)?.id ?? 0;

/** Returns the audit entries of a user with an id greater than `id`. */
export const entriesSince = (id: number, userId: number) =>
  readRows(audit_log, and(gt(audit_log.id, id), eq(audit_log.actor_user_id, userId)));

/** Checks that every administrative mutation of the OpenAPI document writes exactly one audit entry. */
export async function checkAudit(subject: Audited): Promise<void> {
  const { call, company, bearers, users, facts, reads = [] } = subject;
  const changes = { ...webhookChanges(facts), ...subject.changes };
  const mutations = operationsOf(await readDocument(call)).flatMap(({ key, method, path }) => {
    const role = facts[key]?.role;
    if (method === "get" || reads.includes(key) || (role !== "owner" && role !== "staff")) return [];
    return [{ key, method, path, role } as const];
  });

  it.each(mutations.map((mutation) => [mutation.key, mutation] as const))(
    "%s writes one audit entry that contains no secrets or email addresses",
    async (key, { method, path, role }) => {
      const { before, body, row } = changes[key] ?? {};
      const json = body ?? (await facts[key]?.body?.());
      const { bytes, headers } = facts[key] ?? {};
      const id = (await (row ?? facts[key]?.companyRow)?.()) ?? "";
      await before?.();
      const last = await newestEntry();
      const search = facts[key]?.search;
      const response = await call(`${fill(path, id)}${search ? `?${search}` : ""}`, {
        method: method.toUpperCase(),
        bearer: bearers[role],
        ...(json === undefined ? {} : { json }),
        ...(bytes === undefined ? {} : { body: bytes }),
        ...(headers === undefined ? {} : { headers }),
      });
      await response.text();
      expect(response.status, key).not.toBe(404);
      const entries = await entriesSince(last, users[role]);
      expect(entries).toMatchObject([{ actor_kind: "session", action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) }]);
      const [entry] = entries;
      expect([company, 0]).toContain(entry?.company_id);
      expect(entry?.target).not.toBe("");
      expect(JSON.stringify(entry)).not.toMatch(/@|esk_|secret-|whsec_/);
      expect(() => JSON.parse(entry?.changes ?? "")).not.toThrow();
    },
  );

  it("GET /api/v1/audit returns pages of a company's entries to its owner, newest first", async () => {
    const list = async (bearer: string, query: string) =>
      (await (await call(`/api/v1/audit?limit=1&${query}`, { bearer })).json()) as {
        entries: { id: number; company_id: number; actor: unknown }[];
        next_cursor: string;
      };
    const first = await list(bearers.owner, `company_id=${company}`);
    expect(first.entries).toMatchObject([{ company_id: company }]);
    const second = await list(bearers.owner, `company_id=${company}&cursor=${first.next_cursor}`);
    expect(second.entries[0]?.id).toBeLessThan(first.entries[0]?.id ?? 0);
    expect((await list(bearers.staff, "")).entries).toHaveLength(1);
  });
}

/** Returns how to send webhook mutations and management commands, which are the same in each service. */
function webhookChanges(facts: Record<string, Facts>): Record<string, Change> {
  return {
    "patch /api/v1/actions/rules/{id}": { body: { name: "Another" } },
    "post /api/v1/actions/rules/{id}/requeue": {
      row: async () => {
        const id = String(await facts["post /api/v1/actions/deliveries/{id}/requeue"]?.companyRow?.());
        const [delivery] = await readRows(action_deliveries, eq(action_deliveries.id, id));
        return String(delivery?.rule_id);
      },
    },
    "post /api/v1/management/{command}": { body: { flags: {} } },
  };
}
