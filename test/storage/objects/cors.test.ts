import { describe, expect, it } from "vitest";
import { restoreAfterEach } from "../../support/restore";
import { startFiles } from "../../support/storage/files";

restoreAfterEach();

describe("CORS", () => {
  it("allows an upload from an allowed origin, with its preflight", async () => {
    const files = await startFiles();
    const preflight = await files.storage.call("/storage/v1/object/company/a.txt", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,x-upsert,x-client-info,cache-control,content-type,apikey",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").toLowerCase();
    for (const name of ["authorization", "x-upsert", "x-client-info", "cache-control", "content-type", "apikey"]) {
      expect(allowed).toContain(name);
    }
    const stored = await files.put("a.txt", "x", { headers: { origin: "https://app.example.com" } });
    expect([stored.status, stored.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const response = await files.put("a.txt", "x", { headers: { origin: "https://app.example.com" } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([400, "*"]);
  });

  it("returns no CORS headers to an origin that is not allowed", async () => {
    const files = await startFiles({ CORS_ALLOWED_ORIGINS: "https://app.example.com" });
    await files.put("a.html", "<p>");
    for (const [origin, response] of [
      ["https://app.example.com", "https://app.example.com"],
      ["https://evil.example.com", null],
    ] as const) {
      const download = await files.get("a.html", { headers: { origin } });
      expect([download.headers.get("access-control-allow-origin"), download.headers.get("vary")]).toEqual([
        response,
        "Origin",
      ]);
    }
  });
});
