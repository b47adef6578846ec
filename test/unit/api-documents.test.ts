import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it, vi } from "vitest";
import { cursorShape } from "../../schemas/query";
import { services } from "../../scripts/support/services";
import { makeDocument } from "../../workers/kit/http/openapi/document";
import { callsOf } from "../bench/growth/lists";
import {
  type ApiDocument,
  credentialOf,
  examplesOf,
  jsonSchemaOf,
  type Media,
  operationsOf,
  resolve,
  type Schema,
  shapeOf,
} from "../support/http/api-document";

// The applications are built, but nothing of the runtime is used.
vi.mock("cloudflare:workers", () => ({ DurableObject: class {}, WorkerEntrypoint: class {} }));
vi.mock("cloudflare:sockets", () => ({ connect: () => undefined }));

const relocations = [
  ...[{}, { bucketId: "company", sourceKey: "a" }, { bucketId: "company", to: "b" }, { sourceKey: null, to: "b/c" }],
  { destinationBucket: "other", from: "a/b", to: "c/d" },
];
const lives = [{ expiresIn: 604_801 }, { expiresIn: "604801" }, { expiresIn: 0 }, { expiresIn: "0" }];

/** Bodies that the document has to refuse, as the service does. */
const refused: Record<string, Record<string, object[]>> = {
  identity: { "post /api/v1/oauth-clients": [{ provider: "oidc", client_id: "a", client_secret: "b" }] },
  storage: {
    "post /storage/v1/object/copy": relocations,
    "post /storage/v1/object/move": relocations,
    "delete /storage/v1/object/{bucket}": [{}],
    "post /storage/v1/object/sign/{bucket}/{path}": lives,
    "post /storage/v1/object/sign/{bucket}": lives.map((life) => ({ ...life, paths: [] })),
  },
};

/** Operations that need no credential, beside health, and those that use a valid one. */
const credentials: Record<string, Record<string, "none" | "optional">> = {
  identity: {
    "post /api/v1/magic-link/request": "none",
    "get /api/v1/magic-link/verify": "none",
    "post /api/v1/magic-link/verify": "none",
    "get /api/v1/authorize": "none",
    "get /api/v1/oauth/callback": "none",
    "post /api/v1/oauth/callback": "none",
    "post /api/v1/oauth/session": "none",
    "post /api/v1/token": "none",
    "get /api/v1/session-end": "none",
    "post /api/v1/session-end": "none",
    "post /api/v1/logout": "optional",
    "get /api/v1/settings": "optional",
    "get /.well-known/jwks.json": "none",
  },
  email: {
    "get /static/logos/{sha256}": "none",
    "get /u/{token}": "none",
    "post /u/{token}": "none",
    // Signed, or with the secret in the address.
    "post /api/v1/provider-webhooks/api/{stream}": "none",
    "post /api/v1/provider-webhooks/ses/{stream}": "none",
    "post /api/v1/provider-webhooks/postmark/{stream}": "none",
  },
  storage: {
    "get /storage/v1/object/sign/{bucket}/{path}": "none",
    "get /storage/v1/object/public/{bucket}/{path}": "none",
    "post /storage/v1/object/upload/sign/{bucket}/{path}": "none",
    "get /storage/v1/share/link/{token}": "none",
  },
};

/** Operations whose refusals are pages to a browser. */
const pages: Record<string, string[]> = {
  identity: [
    "post /api/v1/magic-link/request",
    "get /api/v1/magic-link/verify",
    "post /api/v1/magic-link/verify",
    "get /api/v1/authorize",
    "get /api/v1/oauth/callback",
    "post /api/v1/oauth/callback",
    "get /api/v1/session-end",
    "post /api/v1/session-end",
  ],
  email: ["get /u/{token}", "post /u/{token}"],
};

/** Of those what answers a form by a redirect; its 200 is for programs. */
const redirecting = new Set(["post /api/v1/magic-link/verify"]);

/** Parameters that take any text: what providers and mails carry, and lists of words that messages may hold. */
const freeTexts = new Set([
  "state",
  "code",
  "error",
  "iss",
  "token",
  "template_key",
  "event_type",
  "service",
  "download",
  "x-upsert",
  "if-match",
  "if-none-match",
]);

/** Whether a parameter says more than that it is a text. */
function isBounded(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.every(isBounded);
  if (schema.type === "array") return schema.items !== undefined && isBounded(schema.items);
  if (schema.type === "integer") return schema.minimum !== undefined && schema.maximum !== undefined;
  const isText = schema.type === "string";
  return !isText || [schema.enum, schema.format, schema.pattern, schema.maxLength].some((bound) => bound !== undefined);
}

/** Whether a text may be digits alone, or `true` and `false` alone. */
function isTextOfOtherType({ type, pattern, enum: values }: Schema): boolean {
  if (type !== "string") return false;
  if (values?.includes("false")) return true;
  return pattern !== undefined && new RegExp(pattern).test("7") && !new RegExp(pattern).test("x");
}

const isJson = (type: string) => /^application\/([a-z.+-]+\+)?json$/.test(type);

/** Examples of a JSON media type that its schema refuses, or that it has none. */
function faultsOf(media: Media | undefined, document: ApiDocument): string[] {
  if (!media?.schema) return ["no schema"];
  const shape = shapeOf(media.schema, document);
  const examples = examplesOf(media, document);
  if (examples.length === 0) return ["no example"];
  return examples.flatMap((example) => {
    const result = shape.safeParse(example);
    return result.success ? [] : [`${JSON.stringify(example)}: ${JSON.stringify(result.error.issues)}`];
  });
}

/** The file that a Worker serves. */
const served = (service: string) =>
  readFileSync(new URL(`../../.generated/docs/static/docs/${service}.json`, import.meta.url), "utf8");

/** The routes of a service. */
async function apiOf(service: string): Promise<Parameters<typeof makeDocument>[0]> {
  const app = (await import(`../../workers/${service}/app.ts`)) as { api: Parameters<typeof makeDocument>[0] };
  return app.api;
}

describe.each(services)("the OpenAPI document of %s", (service) => {
  const document = JSON.parse(served(service)) as ApiDocument;
  const operations = operationsOf(document);
  const without = (isRight: (operation: (typeof operations)[number]) => boolean) =>
    operations.filter((operation) => !isRight(operation)).map(({ key }) => key);

  it("is that of the routes that run", async () => {
    expect(served(service)).toBe(JSON.stringify(makeDocument(await apiOf(service))));
  });

  it("is OpenAPI 3.1 to a validator", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it("gives every operation an id of its own, a summary and a tag", () => {
    expect(without(({ operation }) => Boolean(operation.summary && operation.tags?.length))).toEqual([]);
    expect(without(({ operation }) => /^[a-z][A-Za-z0-9]+$/.test(operation.operationId ?? ""))).toEqual([]);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it("names bearerAuth exactly where a bearer is read", () => {
    expect(document.components?.securitySchemes).toHaveProperty("bearerAuth");
    const wrong = without(
      ({ key, operation }) =>
        credentialOf(operation) === (key.endsWith("/health") ? "none" : (credentials[service]?.[key] ?? "required")),
    );
    expect(wrong).toEqual([]);
    for (const { key, operation } of operations)
      for (const requirement of operation.security ?? [])
        expect([{ bearerAuth: [] }, {}], key).toContainEqual(requirement);
  });

  it("declares every parameter of a path", () => {
    for (const { key, path, operation } of operations) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters?.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(declared ?? [], key).toEqual(named);
    }
  });

  it("says type and bounds of every parameter", () => {
    const unsaid = operations.flatMap(({ key, operation }) =>
      (operation.parameters ?? []).flatMap(({ name, schema = {} }) =>
        isBounded(schema) || freeTexts.has(name) ? [] : [`${key} ${name}: ${JSON.stringify(schema)}`],
      ),
    );
    expect(unsaid).toEqual([]);
  });

  it("says of no number and of no yes or no that it is a text", () => {
    const texts = operations.flatMap(({ key, operation }) =>
      (operation.parameters ?? []).flatMap(({ name, schema = {} }) =>
        isTextOfOtherType(schema) ? [`${key} ${name}: ${JSON.stringify(schema)}`] : [],
      ),
    );
    expect(texts).toEqual([]);
  });

  it("says of the cursor of a body what it says of that of a query", () => {
    for (const { key, operation } of operations) {
      const { cursor } = jsonSchemaOf(operation.requestBody?.content ?? {})?.properties ?? {};
      if (cursor !== undefined) expect(cursor, key).toMatchObject(cursorShape);
    }
  });

  it("refuses the bodies that calls refuse by rules between fields", () => {
    for (const [key, bodies] of Object.entries(refused[service] ?? {})) {
      const found = operations.find((one) => one.key === key)?.operation;
      const shape = shapeOf(jsonSchemaOf(found?.requestBody?.content) ?? {}, document);
      for (const body of bodies) expect(shape.safeParse(body).success, `${key} ${JSON.stringify(body)}`).toBe(false);
    }
  });

  it("declares the pages that forms and links are answered with", () => {
    const withPages = operations.filter(({ operation }) => {
      const { 500: fault } = operation.responses;
      return fault?.content?.["text/html"] !== undefined;
    });
    expect(withPages.map(({ key }) => key)).toEqual(pages[service] ?? []);
    for (const { key, operation } of withPages) {
      for (const [status, { content }] of Object.entries(operation.responses))
        if (Number(status) >= 400 || (status === "200" && !redirecting.has(key)))
          expect(Object.keys(content ?? {}), `${key} ${status}`).toContain("text/html");
    }
  });

  it("shows the refusals that follow from what an operation reads", () => {
    for (const { key, path, operation } of operations) {
      const owed = ["500", "503"];
      if (credentialOf(operation) === "required") owed.push("401", "403");
      if (operation.requestBody) owed.push("400", "413");
      // What takes every media type refuses none.
      const taken = Object.keys(operation.requestBody?.content ?? {});
      if (operation.requestBody && !taken.some((type) => ["text/plain", "*/*"].includes(type))) owed.push("415");
      if (path.includes("{")) owed.push("404");
      if (operation.parameters?.some((parameter) => parameter.in === "query")) owed.push("400");
      expect(Object.keys(operation.responses), key).toEqual(expect.arrayContaining(owed));
    }
  });

  it("has one envelope for lists by page, and a next_cursor in every list by cursor", () => {
    const byPage = ["count", "page", "page_size", "results", "next_cursor"];
    for (const { key, operation } of operations) {
      const query = operation.parameters?.map(({ name }) => name) ?? [];
      const answer = jsonSchemaOf(operation.responses[200]?.content) ?? {};
      const fields = Object.keys(resolve(answer, document).properties ?? {});
      if (query.includes("page")) expect(fields.toSorted(), key).toEqual(byPage.toSorted());
      else if (query.includes("cursor")) expect(fields, key).toContain("next_cursor");
    }
  });

  it("has lists whose every filter has a value in the growth bench", () => {
    expect(callsOf(service, document)).not.toEqual([]);
  });

  it.each(operations.map(({ key, operation }) => [key, operation] as const))(
    "has examples of %s that pass their schemas",
    (_key, operation) => {
      const faults: Record<string, string[]> = {};
      const note = (what: string, found: string[]) => {
        if (found.length > 0) faults[what] = found;
      };
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        note(`body ${type}`, faultsOf(media, document));
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(content))
          if (isJson(type)) note(`${status} ${type}`, faultsOf(media, document));
        if (Number(status) >= 400) note(status, jsonSchemaOf(content) || content["text/html"] ? [] : ["no body"]);
      }
      expect(faults).toEqual({});
    },
  );
});
