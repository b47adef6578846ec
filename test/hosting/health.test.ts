import { expect, it } from "vitest";
import { startHosting } from "../support/hosting/hosting";

const hosting = await startHosting();

it.each(["/hosting/v1/health", "/hosting/v1/health/", "/api/v1/health"])(
  "returns 200 for %s without a credential",
  async (path) => {
    const response = await hosting.call(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", version: expect.any(String) });
  },
);

it("returns 503 with the status `degraded` while the database does not respond", async () => {
  const DB = {
    withSession: () => ({ prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error("unavailable")) }) }) }),
  };
  const withoutDatabase = await startHosting({ vars: { DB: DB as unknown as D1Database } });
  const response = await withoutDatabase.call("/hosting/v1/health");
  expect([response.status, await response.json()]).toEqual([503, { status: "degraded", version: expect.any(String) }]);
});

it("serves the OpenAPI document and the documentation pages", async () => {
  const schema = await hosting.call("/api/schema/");
  expect(schema.status).toBe(200);
  expect(await schema.json()).toMatchObject({ openapi: "3.1.0" });
  for (const path of ["/api/docs/", "/api/docs/redoc/"]) {
    const page = await hosting.call(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
  }
});
