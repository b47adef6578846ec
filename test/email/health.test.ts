import { expect, it } from "vitest";
import { startEmail } from "../support/email/email";

it("returns the health of email without a credential", async () => {
  const email = await startEmail();
  const response = await email.call("/api/v1/health/");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok", version: expect.any(String) });
});

it("returns 503 for health (degraded) and for other routes while a required setting is invalid", async () => {
  const email = await startEmail({ vars: { EMAIL_HASH_PEPPER: "short" } });
  const response = await email.call("/api/v1/health");
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ status: "degraded" });
  const other = await email.call("/api/v1/catalog");
  expect(other.status).toBe(503);
  expect(await other.json()).toMatchObject({ error_code: "service_unavailable" });
});

it("serves the OpenAPI document and its pages", async () => {
  const email = await startEmail();
  const schema = await email.call("/api/schema/");
  expect(schema.status).toBe(200);
  expect(await schema.json()).toMatchObject({ openapi: "3.1.0" });
  for (const path of ["/api/docs/", "/api/docs/redoc/"]) {
    const page = await email.call(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    // An inline icon keeps browsers from requesting /favicon.ico, which the service does not have.
    expect(await page.text()).toContain('<link rel="icon" href="data:,">');
  }
});
