import { get, json, seedCompany } from "../mail/workers.ts";
import { type Call, send } from "../support/load.ts";
import { signInOwner } from "../support/person.ts";
import type { Runtime } from "../support/runtime.ts";

type Broadcast = { id: number; state: string; last_error_code: string; counts: Record<string, number> | null };

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Creates company 1 and signs in its owner. Returns what a broadcast needs of the API of email. */
export async function openCompany(runtime: Runtime) {
  await seedCompany(runtime);
  const url = await runtime.url("platform-email");
  const owner = await signInOwner(runtime);
  const call = async <T>(request: Call): Promise<T> => JSON.parse((await send(request)).text) as T;
  const post = <T>(path: string, body: object = {}) => call<T>(json(`${url}/api/v1/${path}`, owner, body));
  const show = (id: number) => call<Broadcast>(get(`${url}/api/v1/broadcasts/${id}`, owner));
  return {
    url,
    owner,
    /** Creates a newsletter and returns its id and public key. */
    createList: (name: string) => post<{ id: number; public_key: string }>("newsletters", { name }),
    /** Imports confirmed subscribers `from` to `to` (exclusive) with one request. Returns the number of added ones. */
    importSubscribers: async (list: number, from: number, to: number): Promise<number> => {
      const rows = Array.from({ length: to - from }, (_, index) => `reader${from + index}@example.com,Mina,en`);
      const csv = ["email,first_name,language", ...rows].join("\n");
      const { added } = await post<{ added: number }>(`newsletters/${list}/subscribers/import`, {
        csv,
        mode: "consented",
      });
      return added;
    },
    /** Creates a broadcast to `audience` and returns its id. */
    createBroadcast: async (audience: object): Promise<number> => {
      const source_key = "barebone.product-update";
      const body = { name: "News", source_key, language: "en", audience };
      return (await post<Broadcast>("broadcasts", body)).id;
    },
    sendBroadcast: (id: number) => post<Broadcast>(`broadcasts/${id}/send`),
    cancelBroadcast: (id: number) => post<Broadcast>(`broadcasts/${id}/cancel`),
    show,
    /**
     * Runs the minute's cron every few seconds until the broadcast has one of `states`, and returns it. Throws after `maxMs`
     * or when the broadcast fails.
     */
    waitFor: async (id: number, states: readonly string[], maxMs: number): Promise<Broadcast> => {
      let cronAt = Date.now();
      for (const end = Date.now() + maxMs; Date.now() < end; await pause(200)) {
        const broadcast = await show(id);
        if (states.includes(broadcast.state)) return broadcast;
        if (broadcast.state === "failed") throw new Error(`the broadcast failed: ${broadcast.last_error_code}`);
        if (Date.now() < cronAt) continue;
        cronAt = Date.now() + 5000;
        await runtime.runCron("email", "* * * * *", new Date());
      }
      throw new Error(`broadcast ${id} is ${JSON.stringify(await show(id))}`);
    },
  };
}

/** Inserts `count` members of company 1 with addresses `member<n>@example.com`. */
export async function insertMembers(runtime: Runtime, count: number): Promise<void> {
  const d1 = await runtime.database("DB", "platform-identity");
  const firstId = 1000;
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const now = Date.now();
  await d1.batch([
    d1.prepare(`insert into users (id, email, username, first_name, created_at, updated_at)
      ${numbers} select ${firstId} + i, 'member' || i || '@example.com', 'member' || i, 'Mina', ${now}, ${now} from n`),
    d1.prepare(`insert into memberships (company_id, user_id, state, state_reason, state_at, created_at)
      ${numbers} select 1, ${firstId} + i, 'allowed', 'admin', ${now}, ${now} from n`),
  ]);
}
