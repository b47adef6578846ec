import { describe, expect, it } from "vitest";
import { startHosting } from "../../support/hosting/hosting";

describe("HOSTING_APP_DOMAIN", () => {
  it.each([
    ["example.com", "false", 503],
    ["hosting.example.com", "false", 503],
    ["apps.identity.example.com", "true", 503],
    ["localhost:8787", "false", 503],
    ["apps.example.com", "false", 200],
    ["localhost:8787", "true", 200],
    ["apps.localhost", "true", 200],
    ["none", "false", 200],
  ])("%s with DEBUG %s", async (domain, debug, status) => {
    const { call } = await startHosting({
      vars: {
        DEBUG: debug,
        SERVICE_DOMAINS: "example.com",
        HOSTING_APP_DOMAIN: domain,
        IDENTITY_ISSUER: "http://localhost:8787/identity",
      },
    });
    expect((await call("/hosting/v1/health")).status).toBe(status);
  });
});
