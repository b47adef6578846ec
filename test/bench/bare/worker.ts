import { DurableObject } from "cloudflare:workers";

type Bindings = { DB: D1Database; BEHIND: Fetcher; COUNTER: DurableObjectNamespace<Counter> };

/** Stores one number per call, as a rate limit must. */
export class Counter extends DurableObject {
  async count(): Promise<number> {
    const next = ((await this.ctx.storage.get<number>("n")) ?? 0) + 1;
    await this.ctx.storage.put("n", next);
    return next;
  }
}

export default {
  /** `?reads=&writes=&objects=`: so many D1 round trips and Durable Object calls, one after the other. */
  async fetch(request, env) {
    if (!request.url.includes("behind=")) return env.BEHIND.fetch(`${request.url}&behind=1`);
    const count = (name: string) => Number(new URL(request.url).searchParams.get(name) ?? 0);
    for (let i = 0; i < count("objects"); i++) {
      await env.COUNTER.get(env.COUNTER.idFromName(crypto.randomUUID())).count();
    }
    for (let i = 0; i < count("reads"); i++) await env.DB.prepare("SELECT 1 AS n").all();
    for (let i = 0; i < count("writes"); i++) {
      await env.DB.prepare("INSERT INTO bare (at) VALUES (?1)").bind(Date.now()).run();
    }
    return Response.json({ ok: true });
  },
} satisfies ExportedHandler<Bindings>;
