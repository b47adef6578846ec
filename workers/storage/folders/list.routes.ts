import { listBody, listedSchema, listedV2Schema, listV2Body } from "../../../schemas/storage/objects";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { invalid } from "../../kit/problem";
import { openBucket } from "../buckets/bucket";
import type { StorageService } from "../http";
import { presentFolder, presentObject } from "../objects/object.present";
import { basenameOf, readFolder, readSearch } from "../objects/path";
import { bucketOperation } from "./folder-call";
import { type Listing, listFolder, listObjects, readPosition, type Sort } from "./list";

const byName: Sort = { column: "name", order: "asc" };

/** Mounts the routes that list folders. */
export function mountLists({ call }: StorageService): void {
  call(
    {
      ...bucketOperation,
      method: "post",
      path: "/storage/v1/object/list/{bucket}",
      summary: "List a folder",
      description:
        "Folders by name, then files. `X-Next-Cursor` continues the list and is missing at its end. A `search` that is sorted " +
        "by a time sorts the first 5,000 matching files.",
      body: { schema: listBody, read: readListing },
      responses: { 200: jsonResponse(listedSchema, "Folders, then files, with their names in the folder") },
    },
    async ({ c, services, scope, caller, row, body }) => {
      const bucket = await openBucket(services, scope, caller, row);
      const { rows, next } = await listFolder(services, bucket, body);
      const listed = rows.map((entry) =>
        "folder" in entry
          ? presentFolder(basenameOf(entry.folder), bucket.name, entry.markerId)
          : presentObject(entry.file, bucket.name, basenameOf(entry.file.name)),
      );
      return c.json(listed, 200, next === null ? {} : { "x-next-cursor": next });
    },
  );
  call(
    {
      ...bucketOperation,
      method: "post",
      path: "/storage/v1/object/list-v2/{bucket}",
      summary: "List objects",
      description:
        "Objects whose paths start with `prefix`, by name; with `with_delimiter` only one level, with folders listed separately. " +
        "Names and keys are paths; those of folders end in a slash.",
      body: {
        schema: listV2Body,
        read: (raw) => {
          const { prefix, with_delimiter: isDelimited, ...body } = parse(listV2Body, raw);
          const sort = body.sortBy ?? byName;
          if (!isDelimited && sort.column !== "name") throw invalid({ "sortBy.column": ["not_supported"] });
          const text = prefix.replaceAll("\\", "/");
          const folder = readFolder(text.slice(0, Math.max(0, text.lastIndexOf("/"))));
          const search = readSearch(basenameOf(text), "prefix");
          const listing = { folder, search, limit: body.limit, offset: 0, sort };
          return { isDelimited, listing: { ...listing, after: readPosition(body.cursor, sort) } };
        },
      },
      responses: { 200: jsonResponse(listedV2Schema, "Folders and objects of the page") },
    },
    async ({ c, services, scope, caller, row, body: { isDelimited, listing } }) => {
      const bucket = await openBucket(services, scope, caller, row);
      const page = isDelimited
        ? await listFolder(services, bucket, listing)
        : await listObjects(services, bucket, listing).then(({ rows, next }) => ({
            rows: rows.map((file) => ({ file })),
            next,
          }));
      const folders = page.rows.flatMap((entry) => ("folder" in entry ? [`${entry.folder}/`] : []));
      const files = page.rows.flatMap((entry) => ("file" in entry ? [entry.file] : []));
      return c.json({
        hasNext: page.next !== null,
        ...(page.next === null ? {} : { nextCursor: page.next }),
        folders: folders.map((path) => ({ name: path, key: path })),
        objects: files.map((file) => ({ ...presentObject(file, bucket.name), key: file.name })),
      });
    },
  );
}

function readListing(raw: Record<string, unknown>): Listing {
  const { prefix, limit, offset, cursor, search, sortBy } = parse(listBody, raw);
  const sort = sortBy ?? byName;
  const folder = readFolder(prefix);
  return { folder, search: readSearch(search ?? ""), limit, offset, sort, after: readPosition(cursor, sort) };
}
