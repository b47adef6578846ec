// A Worker without logic that makes the same calls to the runtime as a measured operation: calls to D1 with as many
// statements and written rows, and calls to R2, Durable Objects and another Worker.
import { DurableObject } from "cloudflare:workers";

type Bindings = { DB: D1Database; OBJECTS: R2Bucket; MAIL: Fetcher; COUNTER: DurableObjectNamespace<Counter> };

/** Number of Durable Objects. The calls reuse them, so that they are as warm as the objects of a service in use. */
const OBJECTS = 16;
let calls = 0;

/** Stores one number per call, as a rate limit must. */
export class Counter extends DurableObject {
  count(): number {
    const next = (this.ctx.storage.kv.get<number>("n") ?? 0) + 1;
    this.ctx.storage.kv.put("n", next);
    return next;
  }
}

export default {
  /**
   * `?reads=&writes=&objects=&mails=` are numbers of calls. Calls to objects run in parallel, and the others run in
   * sequence. `statements` are distributed over reads and writes, and `rows` over writes; the default is one per call.
   * `put` stores the body under that name in R2, and `get` returns the object with that name.
   */
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const count = (name: string) => Number(searchParams.get(name) ?? 0);
    const times = (name: string) => Array.from({ length: count(name) });
    const trips = count("reads") + count("writes");
    const statements = Math.max(trips, count("statements"));
    const select = env.DB.prepare("SELECT 1 AS n");
    let trip = 0;
    /** Makes one round trip with the statement and its share of the other statements. */
    const runRoundTrip = (statement: D1PreparedStatement) => {
      const selectCount = Math.floor((statements + trip++) / trips) - 1;
      return selectCount === 0 ? statement.all() : env.DB.batch([statement, ...new Array(selectCount).fill(select)]);
    };
    await Promise.all(times("objects").map(() => env.COUNTER.getByName(String(calls++ % OBJECTS)).count()));
    for (const _ of times("reads")) await runRoundTrip(select);
    for (const write of times("writes").keys()) {
      const rows = Math.max(1, Math.floor((count("rows") + write) / count("writes")));
      const values = new Array(rows).fill("(?1)").join(", ");
      await runRoundTrip(env.DB.prepare(`INSERT INTO bare (at) VALUES ${values}`).bind(Date.now()));
    }
    const [put, get] = [searchParams.get("put"), searchParams.get("get")];
    if (put !== null) await env.OBJECTS.put(put, request.body);
    if (get !== null) return new Response((await env.OBJECTS.get(get))?.body ?? null);
    for (const _ of times("mails")) await env.MAIL.fetch("http://mail/", { method: "POST", body: "{}" });
    return Response.json({ ok: true });
  },
} satisfies ExportedHandler<Bindings>;
