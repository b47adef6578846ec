import { and, eq, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { company_quotas, event_log, storage_blobs, storage_objects, user_quotas } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { assign, each, inList, insertSelect, name, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const o = storage_objects;
const c = company_quotas;
const u = user_quotas;
const b = storage_blobs;

/** An object that goes, and the id of the event that tells of it. */
export type Doomed = { name: string; event: string };

const list = json<readonly Doomed[]>();
const place = { list, bucketId: o.bucket_id, etags: nullable(json<readonly string[]>()) };

/** That an object may go: it is one of the versions that the caller means; null: whatever it is. */
const isMeant = ({ etags }: { etags: SQL<readonly string[] | null> }): SQL =>
  sql`(${etags} is null or ${inList(o.etag, etags)})`;

/** FROM the listed objects that are there. */
const listed = (p: {
  list: SQL<readonly Doomed[]>;
  bucketId: SQLWrapper;
  etags: SQL<readonly string[] | null>;
}): SQL => {
  const { from, of } = each(p.list);
  return sql`from ${from} cross join ${o} on ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${of.name} and ${isMeant(p)}`;
};

/** What a company uses, and what it no longer will: where that is more, its figures have drifted. */
export const findDrift = statement({ ...place, companyId: c.company_id }, (p) =>
  rows(
    { used: c.used_bytes, freed: sql`coalesce((select sum(${o.size}) ${listed(p)}), 0)`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${c} where ${c.company_id} = ${p.companyId}`,
  ),
);

/** The events of objects that go; folder markers have none. */
export const addRemovalEvents = statement(
  {
    ...place,
    companyId: event_log.company_id,
    bucketName: text,
    marker: text,
    userId: event_log.user_id,
    email: event_log.actor_email,
    actor: event_log.actor,
    now: event_log.created_at,
  },
  (p) => {
    const event = each(p.list).of.event;
    return sql`${insertSelect(
      event_log,
      {
        id: event,
        company_id: p.companyId,
        event_type: "storage.object.deleted",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: sql`json_object('bucket_name', ${p.bucketName}, 'mime_type', ${o.mime_type}, 'path', ${o.name}, 'size', ${o.size})` as never,
        created_at: p.now,
      },
      sql`${listed(p)} where not (${o.size} = 0 and substr(${o.name}, -length(${p.marker})) = ${p.marker})`,
    )} on conflict do nothing`;
  },
);

/** What the company no longer stores. */
export const creditCompany = statement(
  { ...place, companyId: c.company_id },
  (p) =>
    sql`update ${c} set ${assign(c, {
      used_bytes: sql`max(0, ${c.used_bytes} - s.bytes)`,
      object_count: sql`max(0, ${c.object_count} - s.objects)`,
    })} from (select sum(${o.size}) as bytes, count(*) as objects ${listed(p)}) s
    where ${c.company_id} = ${p.companyId} and s.objects > 0`,
);

/** What its owners no longer store. */
export const creditOwners = statement(
  { ...place, companyId: u.company_id },
  (p) =>
    sql`update ${u} set ${name(u.used_bytes)} = max(0, ${u.used_bytes} - s.bytes)
    from (select ${o.owner_id} as owner, sum(${o.size}) as bytes ${listed(p)} group by 1) s
    where ${u.company_id} = ${p.companyId} and ${u.user_id} = s.owner`,
);

/** The blobs of objects that go; those without any object are the sweeper's. */
export const dropBlobs = statement(
  { ...place, now: integer },
  (p) =>
    sql`update ${b} set ${assign(b, {
      refs: sql`max(0, ${b.refs} - s.objects)`,
      unreferenced_at: sql`iif(${b.refs} <= s.objects, ${p.now}, null)`,
    })} from (select ${o.blob_key} as blob, count(*) as objects ${listed(p)} group by 1) s where ${b.key} = s.blob and ${b.refs} > 0`,
);

/** Removes them; answers their names. */
export const deleteObjects = statement(place, (p) => {
  const { from, of } = each(p.list);
  return q
    .delete(o)
    .where(and(eq(o.bucket_id, p.bucketId), sql`${o.name} in (select ${of.name} from ${from})`, isMeant(p)))
    .returning({ name: o.name });
});

/** The first names at and below a prefix, which is a path; `end` follows all of those that begin with it and a slash. */
export const listBelow = statement({ bucketId: o.bucket_id, start: text, end: text, limit: integer }, (p) =>
  q
    .select({ name: o.name })
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), gte(o.name, p.start), lt(o.name, p.end)))
    .orderBy(o.name)
    .limit(p.limit),
);

/** The same of a whole bucket. */
export const listFirst = statement({ bucketId: o.bucket_id, limit: integer }, (p) =>
  q.select({ name: o.name }).from(o).where(eq(o.bucket_id, p.bucketId)).orderBy(o.name).limit(p.limit),
);
