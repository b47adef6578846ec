import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { cursorShape } from "../../schemas/query";
import { makeApiDocuments } from "../../scripts/support/documents/api-documents";
import { services } from "../../scripts/support/services";
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

const relocations = [
  ...[{}, { bucketId: "company", sourceKey: "a" }, { bucketId: "company", to: "b" }, { sourceKey: null, to: "b/c" }],
  { destinationBucket: "other", from: "a/b", to: "c/d" },
];
const lifetimes = [{ expiresIn: 604_801 }, { expiresIn: "604801" }, { expiresIn: 0 }, { expiresIn: "0" }];

/** The documents by name, with their services. */
const documents: [name: string, service: string][] = [
  ...services.map((service): [string, string] => [service, service]),
  ["identity-scim", "identity"],
];

/** Bodies that the schemas in the document must reject, as the service does. */
const rejectedBodies: Record<string, Record<string, object[]>> = {
  identity: { "post /api/v1/oauth-clients": [{ provider: "oidc", client_id: "a", client_secret: "b" }] },
  "identity-scim": {
    "post /api/v1/companies/{company}/scim/v2/Users": [
      { userName: "mina" },
      { userName: "mina", emails: [] },
      { emails: [{ value: "mina@aster.example" }] },
    ],
    "patch /api/v1/companies/{company}/scim/v2/Users/{id}": [
      { Operations: [] },
      { Operations: [{ op: "remove" }] },
      { Operations: [{ op: "replace", path: "active", value: "yes" }] },
    ],
    "patch /api/v1/companies/{company}/scim/v2/Groups/{id}": [
      { Operations: [{ op: "add", path: "members", value: [{ value: "mina" }] }] },
    ],
  },
  storage: {
    "post /storage/v1/object/copy": relocations,
    "post /storage/v1/object/move": relocations,
    "delete /storage/v1/object/{bucket}": [{}],
    "post /storage/v1/object/sign/{bucket}/{path}": lifetimes,
    "post /storage/v1/object/sign/{bucket}": lifetimes.map((lifetime) => ({ ...lifetime, paths: [] })),
  },
};

/** Operations without a credential, except health checks, and operations with an optional credential. */
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
    "get /api/v1/invitations/open": "none",
    "post /api/v1/logout": "optional",
    "get /api/v1/settings": "optional",
    "get /.well-known/jwks.json": "none",
  },
  email: {
    "get /static/logos/{sha256}": "none",
    "get /v/{token}": "none",
    "get /u/{token}": "none",
    "post /u/{token}": "none",
    "get /api/v1/public/newsletters/{public_key}": "none",
    "get /api/v1/public/newsletters/{public_key}/form": "none",
    "get /api/v1/public/newsletters/{public_key}/subscribe": "none",
    "post /api/v1/public/newsletters/{public_key}/subscribe": "none",
    "get /api/v1/public/newsletters/confirm/{token}": "none",
    "post /api/v1/public/newsletters/confirm/{token}": "none",
    // A signature or the secret in the URL authenticates these requests.
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

/** Operations whose errors are HTML pages for browsers. */
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
    "get /api/v1/invitations/open",
  ],
  email: [
    "get /u/{token}",
    "post /u/{token}",
    "get /v/{token}",
    "get /api/v1/public/newsletters/confirm/{token}",
    "post /api/v1/public/newsletters/confirm/{token}",
    "get /api/v1/public/newsletters/{public_key}",
    "get /api/v1/public/newsletters/{public_key}/subscribe",
    "post /api/v1/public/newsletters/{public_key}/subscribe",
  ],
};

/** The operations of `pages` that redirect after a form post. Only JSON clients receive a 200 from them. */
const redirecting = new Set(["post /api/v1/magic-link/verify"]);

/** Query parameters that accept every text, and therefore cause no 400. */
const everyText = new Set(["attributes", "excludedAttributes", "language"]);

/** Parameters without bounds: values from providers and mails, and lists of names. */
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
  ...everyText,
]);

/** Returns whether a schema limits its values by more than a type. */
function isBounded(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.every(isBounded);
  if (schema.type === "array") return schema.items !== undefined && isBounded(schema.items);
  if (schema.type === "integer") return schema.minimum !== undefined && schema.maximum !== undefined;
  const isText = schema.type === "string";
  return !isText || [schema.enum, schema.format, schema.pattern, schema.maxLength].some((bound) => bound !== undefined);
}

/** Returns whether a string schema only accepts digits, or only `true` and `false`. */
function isTextOfOtherType({ type, pattern, enum: values }: Schema): boolean {
  if (type !== "string") return false;
  if (values?.includes("false")) return true;
  return pattern !== undefined && new RegExp(pattern).test("7") && !new RegExp(pattern).test("x");
}

const isJson = (type: string) => /^application\/([a-z.+-]+\+)?json$/.test(type);

/** Returns the examples of a media type that its schema rejects, or why it has none. */
function findExampleFaults(media: Media | undefined, document: ApiDocument): string[] {
  if (!media?.schema) return ["no schema"];
  const shape = shapeOf(media.schema, document);
  const examples = examplesOf(media, document);
  if (examples.length === 0) return ["no example"];
  return examples.flatMap((example) => {
    const result = shape.safeParse(example);
    return result.success ? [] : [`${JSON.stringify(example)}: ${JSON.stringify(result.error.issues)}`];
  });
}

/** Returns the document that a Worker serves. */
const readServedDocument = (name: string) =>
  readFileSync(new URL(`../../.generated/docs/static/docs/${name}.json`, import.meta.url), "utf8");

let current: Record<string, object> = {};
beforeAll(async () => {
  current = await makeApiDocuments();
});

it("every OpenAPI document is tested here", () => {
  expect(documents.map(([name]) => name).toSorted()).toEqual(Object.keys(current).toSorted());
});

describe.each(documents)("OpenAPI document of %s", (name, service) => {
  const document = JSON.parse(readServedDocument(name)) as ApiDocument;
  const operations = operationsOf(document);
  const keysFailing = (passes: (operation: (typeof operations)[number]) => boolean) =>
    operations.filter((operation) => !passes(operation)).map(({ key }) => key);

  it("is generated from the current routes", () => {
    expect(readServedDocument(name)).toBe(JSON.stringify(current[name]));
  });

  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it("gives every operation a unique id, a summary and a tag", () => {
    expect(keysFailing(({ operation }) => Boolean(operation.summary && operation.tags?.length))).toEqual([]);
    expect(keysFailing(({ operation }) => /^[a-z][A-Za-z0-9]+$/.test(operation.operationId ?? ""))).toEqual([]);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it("lists bearerAuth for exactly the operations that read a bearer token", () => {
    expect(document.components?.securitySchemes).toHaveProperty("bearerAuth");
    const wrong = keysFailing(
      ({ key, operation }) =>
        credentialOf(operation) === (key.endsWith("/health") ? "none" : (credentials[name]?.[key] ?? "required")),
    );
    expect(wrong).toEqual([]);
    for (const { key, operation } of operations)
      for (const requirement of operation.security ?? [])
        expect([{ bearerAuth: [] }, {}], key).toContainEqual(requirement);
  });

  it("declares every path parameter", () => {
    for (const { key, path, operation } of operations) {
      const pathNames = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters
        ?.filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      expect(declared ?? [], key).toEqual(pathNames);
    }
  });

  it("declares type and bounds of every parameter", () => {
    const unbounded = operations.flatMap(({ key, operation }) =>
      (operation.parameters ?? []).flatMap((parameter) =>
        isBounded(parameter.schema ?? {}) || freeTexts.has(parameter.name)
          ? []
          : [`${key} ${parameter.name}: ${JSON.stringify(parameter.schema)}`],
      ),
    );
    expect(unbounded).toEqual([]);
  });

  it("declares no numbers or booleans as strings", () => {
    const texts = operations.flatMap(({ key, operation }) =>
      (operation.parameters ?? []).flatMap((parameter) =>
        isTextOfOtherType(parameter.schema ?? {})
          ? [`${key} ${parameter.name}: ${JSON.stringify(parameter.schema)}`]
          : [],
      ),
    );
    expect(texts).toEqual([]);
  });

  it("declares cursors in request bodies like those in queries", () => {
    for (const { key, operation } of operations) {
      const { cursor } = jsonSchemaOf(operation.requestBody?.content ?? {})?.properties ?? {};
      if (cursor !== undefined) expect(cursor, key).toMatchObject(cursorShape);
    }
  });

  it("rejects bodies that violate rules between fields", () => {
    for (const [key, bodies] of Object.entries(rejectedBodies[name] ?? {})) {
      const rejecting = operations.find((listed) => listed.key === key)?.operation;
      const shape = shapeOf(jsonSchemaOf(rejecting?.requestBody?.content) ?? {}, document);
      for (const body of bodies) expect(shape.safeParse(body).success, `${key} ${JSON.stringify(body)}`).toBe(false);
    }
  });

  it("declares the HTML pages that forms and links return", () => {
    const operationsWithPages = operations.filter(({ operation }) => {
      const { 500: fault } = operation.responses;
      return fault?.content?.["text/html"] !== undefined;
    });
    expect(operationsWithPages.map(({ key }) => key)).toEqual(pages[name] ?? []);
    for (const { key, operation } of operationsWithPages) {
      for (const [status, { content }] of Object.entries(operation.responses))
        if (Number(status) >= 400 || (status === "200" && !redirecting.has(key)))
          expect(Object.keys(content ?? {}), `${key} ${status}`).toContain("text/html");
    }
  });

  it("declares the errors that follow from the inputs of an operation", () => {
    for (const { key, path, operation } of operations) {
      const expected = ["500", "503"];
      if (credentialOf(operation) === "required") expected.push("401", "403");
      if (operation.requestBody) expected.push("400", "413");
      // An operation that accepts every media type returns no 415.
      const mediaTypes = Object.keys(operation.requestBody?.content ?? {});
      if (operation.requestBody && !mediaTypes.some((type) => ["text/plain", "*/*"].includes(type)))
        expected.push("415");
      if (path.includes("{")) expected.push("404");
      if (operation.parameters?.some((parameter) => parameter.in === "query" && !everyText.has(parameter.name)))
        expected.push("400");
      expect(Object.keys(operation.responses), key).toEqual(expect.arrayContaining(expected));
    }
  });

  it("uses one envelope for lists with page numbers, and next_cursor in every list with cursors", () => {
    const byPage = ["count", "page", "page_size", "results", "next_cursor"];
    for (const { key, operation } of operations) {
      const query = operation.parameters?.map((parameter) => parameter.name) ?? [];
      const responseSchema = jsonSchemaOf(operation.responses[200]?.content) ?? {};
      const fields = Object.keys(resolve(responseSchema, document).properties ?? {});
      if (query.includes("page")) expect(fields.toSorted(), key).toEqual(byPage.toSorted());
      else if (query.includes("cursor")) expect(fields, key).toContain("next_cursor");
    }
  });

  it("contains only list filters that have a value in the growth benchmark", () => {
    // `npm run bench -- people` measures the lists of SCIM.
    expect(callsOf(service, document).length > 0).toBe(name === service);
  });

  it.each(operations.map(({ key, operation }) => [key, operation] as const))(
    "has examples of %s that match their schemas",
    (_key, operation) => {
      const faults: Record<string, string[]> = {};
      const addFaults = (place: string, rejecting: string[]) => {
        if (rejecting.length > 0) faults[place] = rejecting;
      };
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        addFaults(`body ${type}`, findExampleFaults(media, document));
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(content))
          if (isJson(type)) addFaults(`${status} ${type}`, findExampleFaults(media, document));
        if (Number(status) >= 400) addFaults(status, jsonSchemaOf(content) || content["text/html"] ? [] : ["no body"]);
      }
      expect(faults).toEqual({});
    },
  );
});
