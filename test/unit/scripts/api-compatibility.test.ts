import { describe, expect, it } from "vitest";
import { checkDocuments, findBreakingChanges, sha256 } from "../../../scripts/support/documents/api-compatibility";

type Schema = Record<string, unknown>;

const documentOf = (request: Schema, response: Schema) => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: {
    "/send": {
      post: {
        requestBody: { content: { "application/json": { schema: request } } },
        responses: { 200: { description: "d", content: { "application/json": { schema: response } } } },
      },
    },
  },
});
const request = { type: "object", properties: { lane: { type: "string", enum: ["auth", "bulk"] } }, required: [] };
const response = { type: "object", properties: { id: { type: "string" }, state: { type: "string" } } };
const before = documentOf(request, response);

describe("compatibility of documents", () => {
  it.each([
    ["a removed operation", { ...before, paths: {} }],
    ["a removed field of a request", documentOf({ ...request, properties: {} }, response)],
    ["a removed field of a response", documentOf(request, { ...response, properties: { id: { type: "string" } } })],
    [
      "a request value that is no longer accepted",
      documentOf({ ...request, properties: { lane: { type: "string", enum: ["auth"] } } }, response),
    ],
    ["a request field that became required", documentOf({ ...request, required: ["lane"] }, response)],
  ])("reports a breaking change: %s", (_, after) => {
    expect(findBreakingChanges(before, after)).not.toEqual([]);
  });

  it("accepts new optional request fields and new response fields", () => {
    const wider = { ...request, properties: { ...request.properties, subject: { type: "string" } } };
    const longer = { ...response, properties: { ...response.properties, created_at: { type: "string" } } };
    expect(findBreakingChanges(before, documentOf(wider, longer))).toEqual([]);
  });
});

describe("check of openapi/", () => {
  const text = JSON.stringify(before);
  const state = {
    generated: { email: text },
    stored: { email: text },
    baseline: { email: text },
    acceptance: { line: "First.", sha256: { email: sha256(text) } },
    changelog: "- First.",
  };

  it("accepts current and compatible documents", () => {
    expect(checkDocuments(state)).toEqual([]);
    expect(
      checkDocuments({ ...state, generated: { ...state.generated, demo: text }, stored: { email: text, demo: text } }),
    ).toEqual([]);
  });

  it("reports stale documents, an unaccepted baseline, breaking changes and a missing changelog line", () => {
    expect(checkDocuments({ ...state, stored: { email: null } })).toEqual([expect.stringContaining("is stale")]);
    expect(checkDocuments({ ...state, baseline: { email: `${text} ` } })).toEqual([
      expect.stringContaining("is not what was accepted"),
    ]);
    expect(checkDocuments({ ...state, baseline: { email: null } })).toHaveLength(1);
    const broken = JSON.stringify({ ...before, paths: {} });
    expect(checkDocuments({ ...state, generated: { email: broken }, stored: { email: broken } })).toEqual([
      expect.stringContaining("email breaks clients: remove paths /send"),
    ]);
    expect(checkDocuments({ ...state, changelog: "" })).toEqual([expect.stringContaining("CHANGELOG.md lacks")]);
  });
});
