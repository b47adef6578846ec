// Does nothing but the same number of calls of D1, with as many statements and written rows, of R2, Durable Objects and another
// Worker as a measured operation.
import { DurableObject } from "cloudflare:workers";

type Bindings = { DB: D1Database; OBJECTS: R2Bucket; MAIL: Fetcher; COUNTER: DurableObjectNamespace<Counter> };

/** Objects are as warm as those of a service that is in use. */
const OBJECTS = 16;
let calls = 0;

/** Stores one number a call, as a limit must. */
export class Counter extends DurableObject {
  count(): number {
    const next = (this.ctx.storage.kv.get<number>("n") ?? 0) + 1;
    this.ctx.storage.kv.put("n", next);
    return next;
  }
}

export default {
  /**
   * `?reads=&writes=&objects=&mails=`: so many calls, those of objects at once and the others one after the other. `statements`
   * are shared out among reads and writes, `rows` among writes, one each unless told. `put`, `get`: the body as an object of that name.
   */
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const count = (name: string) => Number(searchParams.get(name) ?? 0);
    const times = (name: string) => Array.from({ length: count(name) });
    const trips = count("reads") + count("writes");
    const statements = Math.max(trips, count("statements"));
    const select = env.DB.prepare("SELECT 1 AS n");
    let trip = 0;
    /** A round trip: the statement, and as many besides it as fall to its share. */
    const ask = (statement: D1PreparedStatement) => {
      const others = Math.floor((statements + trip++) / trips) - 1;
      return others === 0 ? statement.all() : env.DB.batch([statement, ...new Array(others).fill(select)]);
    };
    await Promise.all(times("objects").map(() => env.COUNTER.getByName(String(calls++ % OBJECTS)).count()));
    for (const _ of times("reads")) await ask(select);
    for (const write of times("writes").keys()) {
      const rows = Math.max(1, Math.floor((count("rows") + write) / count("writes")));
      const values = new Array(rows).fill("(?1)").join(", ");
      await ask(env.DB.prepare(`INSERT INTO bare (at) VALUES ${values}`).bind(Date.now()));
    }
    const [put, get] = [searchParams.get("put"), searchParams.get("get")];
    if (put !== null) await env.OBJECTS.put(put, request.body);
    if (get !== null) return new Response((await env.OBJECTS.get(get))?.body ?? null);
    for (const _ of times("mails")) await env.MAIL.fetch("http://mail/", { method: "POST", body: "{}" });
    return Response.json({ ok: true });
  },
} satisfies ExportedHandler<Bindings>;
