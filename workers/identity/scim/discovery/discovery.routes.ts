import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { baseUrl, mountEndpoint, type ScimCall, scimResponse } from "../protocol/endpoint";
import { presentList } from "../protocol/list";
import { resourceSchemas, resourceTypes, serviceProviderConfig } from "./discovery";

/** Mounts the endpoints that describe the service: docs/specification/scim.md#discovery */
export function mountScimDiscovery(service: IdentityService): void {
  mountEndpoint(
    service,
    { method: "get", path: "/ServiceProviderConfig", summary: "The supported features" },
    async (call) => scimResponse(serviceProviderConfig(await baseOf(call))),
  );
  const lists = [
    { path: "/ResourceTypes", summary: "The resource types", one: "A resource type", all: resourceTypes },
    { path: "/Schemas", summary: "The schemas", one: "A schema", all: resourceSchemas },
  ];
  for (const { path, summary, one, all } of lists) {
    mountEndpoint(service, { method: "get", path, summary }, async (call) => {
      // RFC 7644, 4: a filter is refused here, because the client could believe that it was applied.
      if (call.query.filter !== undefined) throw new Problem("forbidden", { message: "This list cannot be filtered." });
      const resources = all(await baseOf(call));
      return scimResponse(presentList(resources.length, { start: 1, count: resources.length }, resources));
    });
    mountEndpoint(service, { method: "get", path: `${path}/{id}`, summary: one }, async (call) => {
      const id = call.id?.toLowerCase();
      const document = all(await baseOf(call)).find((resource) => resource.id.toLowerCase() === id);
      if (document === undefined) throw new Problem("not_found");
      return scimResponse(document);
    });
  }
}

async function baseOf(call: ScimCall): Promise<string> {
  await call.read(() => ({}));
  return baseUrl(call.services, call.company());
}
