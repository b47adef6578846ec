import { describe, expect, it } from "vitest";
import { findOverlappingHost, serviceHostsOf } from "../../../schemas/hosting/app-domain";

const hosts = [...serviceHostsOf(["example.com", ""]), "login.example.net"];

describe("findOverlappingHost", () => {
  it.each([
    ["identity.example.com", "identity.example.com"],
    ["Storage.Example.com:8443", "storage.example.com"],
    ["example.com", "identity.example.com"],
    ["com", "identity.example.com"],
    ["apps.hosting.example.com", "hosting.example.com"],
    ["example.net", "login.example.net"],
  ])("finds the host that overlaps with %s", (domain, host) => {
    expect(findOverlappingHost(domain, hosts)).toBe(host);
  });

  it.each(["apps.example.com", "example.org", "myidentity.example.com", "apps-example.com:8787"])(
    "accepts %s",
    (domain) => {
      expect(findOverlappingHost(domain, hosts)).toBeNull();
    },
  );
});
