import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { emailEvents } from "../../../../schemas/email/events";
import { hostingEvents } from "../../../../schemas/hosting/events";
import { identityEvents } from "../../../../schemas/identity/events";
import { storageEvents } from "../../../../schemas/storage/events";

const catalogs = { identity: identityEvents, email: emailEvents, hosting: hostingEvents, storage: storageEvents };

/** Returns every quoted event type in the source code of a service's Worker, which is the only writer of its events. */
function readQuotedTypes(service: string): Set<string> {
  const folder = fileURLToPath(new URL(`../../../../workers/${service}`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const source = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  return new Set([...source.matchAll(/["'`]([a-z]+\.[a-z_]+\.[a-z_.]+)["'`]/g)].map(([, type = ""]) => type));
}

it.each(["identity", "email", "hosting", "storage"] as const)(
  "offers rules of %s exactly the event types that the service writes",
  (service) => {
    const quotedTypes = readQuotedTypes(service);
    const offered = catalogs[service].filter(({ audience }) => audience === "webhook").map(({ type }) => type);
    expect(offered).toEqual(offered.filter((type) => quotedTypes.has(type)));
  },
);
