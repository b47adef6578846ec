import { services } from "../../support/services.ts";
import { hasCode } from "../cloudflare/client.ts";
import type { Queue } from "../cloudflare/existing.ts";
import type { WorkerConfigs } from "../config.ts";
import { deadLetterQueue } from "../names.ts";
import type { Run, Step } from "../run.ts";

/** Codes of Cloudflare for names that are taken. A lost response of an earlier attempt causes them too. */
const taken = { database: 7502, bucket: 10004, queue: 11009 };

/** Returns the names of the queues of a deployment, with the dead letter queue of each consumed queue. */
export function queuesOf(configs: WorkerConfigs): string[] {
  const all = Object.values(configs).flatMap(({ queues }) => [
    ...(queues?.producers ?? []).map(({ queue }) => queue),
    ...(queues?.consumers ?? []).flatMap(({ queue }) => [queue, deadLetterQueue(queue)]),
  ]);
  return [...new Set(all)];
}

export function bucketsOf(configs: WorkerConfigs): string[] {
  return Object.values(configs).flatMap(({ r2_buckets = [] }) => r2_buckets.map(({ bucket_name }) => bucket_name));
}

async function createDatabase({ api, record }: Run, name: string): Promise<string> {
  const path = `/accounts/${record.account}/d1/database`;
  try {
    return (await api.call<{ uuid: string }>("POST", path, { json: { name } })).uuid;
  } catch (error) {
    if (!hasCode(error, taken.database)) throw error;
    const found = (await api.list<{ name: string; uuid: string }>(path, { name })).find((entry) => entry.name === name);
    if (found === undefined) throw error;
    return found.uuid;
  }
}

async function createQueue({ api, record }: Run, name: string): Promise<Queue> {
  const path = `/accounts/${record.account}/queues`;
  try {
    const { queue_id } = await api.call<{ queue_id: string }>("POST", path, { json: { queue_name: name } });
    return { id: queue_id, consumers: [] };
  } catch (error) {
    if (!hasCode(error, taken.queue)) throw error;
    const queues = await api.list<{ queue_name: string; queue_id: string }>(path);
    const found = queues.find(({ queue_name }) => queue_name === name);
    if (found === undefined) throw error;
    return { id: found.queue_id, consumers: [] };
  }
}

/** Creates the databases, buckets and queues that are missing. Records the ids of the databases. */
export const createResources: Step = {
  title: "databases, buckets and queues",
  run: async (run) => {
    const { api, record, configs, existing } = run;
    for (const service of services) {
      for (const database of configs[service].d1_databases ?? []) {
        const name = database.database_name;
        const id = existing.databases.get(name) ?? (await createDatabase(run, name));
        existing.databases.set(name, id);
        database.database_id = id;
        record.databases[service] = id;
      }
    }
    run.save();
    for (const name of bucketsOf(configs)) {
      if (existing.buckets.has(name)) continue;
      try {
        await api.call("POST", `/accounts/${record.account}/r2/buckets`, { json: { name } });
      } catch (error) {
        if (!hasCode(error, taken.bucket)) throw error;
      }
      existing.buckets.add(name);
    }
    for (const name of queuesOf(configs)) {
      if (!existing.queues.has(name)) existing.queues.set(name, await createQueue(run, name));
    }
  },
};
