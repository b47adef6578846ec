import {
  scimConfigSchema,
  scimResourceTypeListSchema,
  scimResourceTypePath,
  scimResourceTypeSchema,
  scimSchemaListSchema,
  scimSchemaPath,
  scimSchemaSchema,
} from "../../../../schemas/identity/scim/discovery";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { scimBody } from "../protocol/document";
import { baseUrl, mountEndpoint, type ScimCall, scimResponse } from "../protocol/endpoint";
import { presentList } from "../protocol/list";
import { resourceSchemas, resourceTypes, serviceProviderConfig } from "./discovery";

/** Mounts the endpoints that describe the service: docs/specification/scim.md#discovery */
export function mountScimDiscovery(service: IdentityService): void {
  const common = { method: "get" as const, tags: ["Discovery"] };
  mountEndpoint(
    service,
    {
      ...common,
      path: "/ServiceProviderConfig",
      summary: "The supported features",
      responses: { 200: scimBody(scimConfigSchema, "The features") },
    },
    async (call) => scimResponse(serviceProviderConfig(await baseOf(call))),
  );
  const lists = [
    {
      list: {
        path: "/ResourceTypes",
        summary: "The resource types",
        responses: { 200: scimBody(scimResourceTypeListSchema, "All resource types") },
      },
      item: {
        path: "/ResourceTypes/{id}",
        params: scimResourceTypePath,
        summary: "A resource type",
        responses: { 200: scimBody(scimResourceTypeSchema, "The resource type") },
      },
      all: resourceTypes,
    },
    {
      list: {
        path: "/Schemas",
        summary: "The schemas, with exactly the attributes that are stored",
        responses: { 200: scimBody(scimSchemaListSchema, "All schemas") },
      },
      item: {
        path: "/Schemas/{id}",
        params: scimSchemaPath,
        summary: "A schema",
        responses: { 200: scimBody(scimSchemaSchema, "The schema") },
      },
      all: resourceSchemas,
    },
  ];
  for (const { list, item, all } of lists) {
    mountEndpoint(service, { ...common, ...list, errorCodes: ["forbidden"] }, async (call) => {
      // RFC 7644, 4: a filter is refused here, because the client could believe that it was applied.
      if (call.query.filter !== undefined) throw new Problem("forbidden", { message: "This list cannot be filtered." });
      const resources = all(await baseOf(call));
      return scimResponse(presentList(resources.length, { start: 1, count: resources.length }, resources));
    });
    mountEndpoint(service, { ...common, ...item }, async (call) => {
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
