// Imports the schema without file extensions, as the Workers do. Import this file with loadModule of load.ts.
import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import {
  company_quotas,
  storage_blobs,
  storage_buckets,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { createDialect } from "../../../workers/kit/db/dialect";
import { queryBuilder } from "../../../workers/kit/db/query";
import { parentOf } from "../../../workers/storage/objects/path";

/** The ids of the demo company and of its owner. */
const COMPANY = 1;
const OWNER = 1;
const DEFAULT_BYTES = 10 * 1024 ** 3;

const files: { path: string; type: string; text: string }[] = [
  {
    path: "welcome.md",
    type: "text/markdown",
    text: `# Files of your company

Upload with any client that speaks this API, \`@supabase/storage-js\` among them, with an access token as bearer:

    const files = new StorageClient("http://localhost:3000/storage/v1", { authorization: \`Bearer \${token}\` }).from("company");
    await files.upload("reports/2026/plan.pdf", file);

What the company uses and may use: \`GET /storage/v1/quota\`.
`,
  },
  {
    path: "reports/2026/visitors.csv",
    type: "text/csv",
    text: "month,visitors\n2026-08,1204\n2026-09,1377\n2026-10,1519\n",
  },
  {
    path: "images/logo.svg",
    type: "image/svg+xml",
    text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#4f46e5"/><path d="M20 44 32 18l12 26M25 35h14" fill="none" stroke="#fff" stroke-width="4"/></svg>\n',
  },
];

/** Returns the sample files of the demo company: the content and storage key of each file, and the rows as SQL. */
export function demoFiles(company: { name: string; slug: string }) {
  const now = Date.now();
  const times = { created_at: now, updated_at: now };
  const bucketId = crypto.randomUUID();
  const stored = files.map(({ path, type, text }) => {
    const id = crypto.randomUUID();
    const size = Buffer.byteLength(text);
    const key = `${COMPANY}/${bucketId}/${id}`;
    const etag = createHash("md5").update(text).digest("hex");
    return { path, type, text, id, size, key, etag };
  });
  const used_bytes = stored.reduce((sum, { size }) => sum + size, 0);
  const rows: SQL[] = [
    queryBuilder
      .insert(company_quotas)
      .values({
        company_id: COMPANY,
        ...company,
        named_at: now,
        max_bytes: DEFAULT_BYTES,
        used_bytes,
        object_count: stored.length,
      })
      .getSQL(),
    queryBuilder.insert(user_quotas).values({ company_id: COMPANY, user_id: OWNER, used_bytes }).getSQL(),
    queryBuilder
      .insert(storage_buckets)
      .values({
        id: bucketId,
        company_id: COMPANY,
        name: "company",
        display_name: "Company files",
        kind: "company",
        ...times,
      })
      .getSQL(),
    ...stored.flatMap(({ path, type, id, size, key, etag }) => [
      queryBuilder
        .insert(storage_objects)
        .values({
          bucket_id: bucketId,
          name: path,
          parent: parentOf(path),
          id,
          company_id: COMPANY,
          owner_id: OWNER,
          size,
          etag,
          mime_type: type,
          blob_key: key,
          version: 1,
          change_id: id,
          ...times,
        })
        .getSQL(),
      queryBuilder.insert(storage_blobs).values({ key, company_id: COMPANY, size, refs: 1 }).getSQL(),
    ]),
  ];
  const existing = createDialect().sqlToQuery(
    sql`select 1 from ${company_quotas} where ${company_quotas.company_id} = ${COMPANY}`.inlineParams(),
  );
  return {
    /** query that returns a row if the company has already used its storage; then no files are added */
    existing: existing.sql,
    blobs: stored.map(({ key, text }) => ({ key, text })),
    rows: rows.map((row) => createDialect().sqlToQuery(row.inlineParams()).sql),
  };
}
