import { describe, expect, it } from "vitest";
import { findAppDomainProblem, readHostConfigs } from "../../../scripts/support/app-domain";
import { perWorker } from "../../../scripts/support/services";

/** Returns the configurations of a deployment with apps at a domain. */
function configsWith(domain: string) {
  const configs = perWorker(() => ({ vars: {} as Record<string, unknown>, routes: [] as string[] }));
  configs.edge.vars = { SERVICE_DOMAINS: "example.com", PATH_HOSTS: "platform.example.net" };
  configs.edge.routes = ["*.apps.example.com/*", `*.${domain}/*`];
  configs.hosting.vars = {
    SERVICE_DOMAINS: "example.com",
    HOSTING_APP_DOMAIN: domain,
    IDENTITY_ISSUER: "https://login.example.org/identity",
  };
  configs.storage.routes = ["files.example.io/*"];
  return configs;
}

describe("findAppDomainProblem", () => {
  it.each(["example.com", "storage.example.com", "apps.platform.example.net", "example.org", "example.io"])(
    "rejects %s",
    (domain) => {
      expect(findAppDomainProblem(configsWith(domain))).toContain(
        `HOSTING_APP_DOMAIN ${domain} overlaps the service host`,
      );
    },
  );

  it.each(["apps.example.com", "apps.example.io.net", "none", ""])("accepts %s", (domain) => {
    expect(findAppDomainProblem(configsWith(domain))).toBeNull();
  });

  it("requires the same domains of services at the edge and in hosting", () => {
    const configs = configsWith("apps.example.com");
    configs.edge.vars = {};
    expect(findAppDomainProblem(configs)).toContain("SERVICE_DOMAINS");
  });

  it("accepts the configuration of this repository", () => {
    expect(findAppDomainProblem(readHostConfigs())).toBeNull();
  });
});
