import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import { findEventEntry, identityEvents } from "../../../schemas/identity/events";

const folder = new URL("../../../workers/identity", import.meta.url).pathname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(folder, file), "utf8"));
const types = identityEvents.map((event) => event.type);

describe("catalog of identity's events", () => {
  it("contains every event type that the source code mentions", () => {
    const quotedTypes = sources.flatMap((text) => [...text.matchAll(/["'`](identity\.[a-z_]+\.[a-z_.]+)["'`]/g)]);
    expect(quotedTypes.length).toBeGreaterThan(10);
    expect(quotedTypes.map(([, type = ""]) => type).filter((type) => !findEventEntry(type))).toEqual([]);
  });

  it("contains an event type for every prefix in a template literal of the source code", () => {
    const prefixes = sources.flatMap((text) => [...text.matchAll(/`(identity\.[a-z_.]+)\$\{/g)]);
    const hasTypeWithPrefix = (beginning: string) => types.some((type) => type.startsWith(beginning));
    expect(
      prefixes.map(([, beginning = ""]) => beginning).filter((beginning) => !hasTypeWithPrefix(beginning)),
    ).toEqual([]);
  });

  it("lists each event type once, with a label and a description", () => {
    expect(new Set(types).size).toBe(types.length);
    for (const { type, label, description } of identityEvents) {
      expect(type).toMatch(/^identity(\.[a-z_]+){2,3}$/);
      expect(label).toMatch(/^[A-Z][^.]+$/);
      expect(description).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("offers all event types to webhooks, except log-only and staff-only ones", () => {
    const audienceOf = (type: string) => findEventEntry(type)?.audience;
    for (const type of ["login.succeeded", "login.failed", "session.reuse_detected", "magic_link.mail_failed"]) {
      expect(audienceOf(`identity.auth.${type}`)).toBe("log");
    }
    for (const end of ["succeeded", "failed"]) expect(audienceOf(`identity.scheduled_job.${end}`)).toBe("staff");
    expect(identityEvents.filter((event) => event.audience === "webhook").map((event) => event.type)).toEqual([
      "identity.auth.magic_link.requested",
      "identity.user.created",
      "identity.user.updated",
      "identity.user.deleted",
      "identity.user.invited",
      "identity.user.invitation_revoked",
      "identity.membership.requested",
      "identity.membership.enabled",
      "identity.group.created",
      "identity.group.updated",
      "identity.group.deleted",
      "identity.group.membership_changed",
      "identity.scim.user.provisioned",
      "identity.scim.user.deprovisioned",
      "identity.scim.token.created",
      "identity.scim.token.revoked",
      "identity.scim.provisioning_conflict",
      "identity.action_rule.failing",
    ]);
  });

  it("uses the names of the mail catalog", () => {
    const mailed = CATALOG_EVENTS.filter((event) => event.service === "identity");
    expect(mailed.length).toBeGreaterThan(10);
    for (const { event_type, label } of mailed) expect(findEventEntry(event_type)?.label, event_type).toBe(label);
  });
});
