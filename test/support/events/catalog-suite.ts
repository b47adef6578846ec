import { expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import type { EventEntry, PayloadField } from "../../../schemas/event-entry";

type Catalog = {
  service: string;
  events: readonly EventEntry[];
  mailed: readonly string[];
  fieldsOf: (type: string) => readonly PayloadField[];
};

/** Variables that the post to the email service adds to the data of an event. */
const ADDED_TOKENS = ["company_name", "occurred_at", "actor_name", "actor_kind", "action_url", "thread_id"];

/** Events about which identity mails the owners directly, without a post. */
const MAILED_DIRECTLY = ["storage.quota.threshold_reached"];

/** Checks the event catalog of a service that sends events to the email service. */
export function checkCatalog({ service, events, mailed, fieldsOf }: Catalog): void {
  const types = events.map(({ type }) => type);
  const webhookTypes = events.filter(({ audience }) => audience === "webhook").map(({ type }) => type);

  it("lists each event type once, with a label and a description", () => {
    expect(new Set(types).size).toBe(types.length);
    for (const { type, label, description } of events) {
      expect(type).toMatch(new RegExp(`^${service}(\\.[a-z_]+){2}$`));
      expect(label).toMatch(/^[A-Z][^.]+$/);
      expect(description).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("offers each event type that has an email to webhooks, with the email's variables as fields", () => {
    const catalog = CATALOG_EVENTS.filter((event) => event.service === service);
    expect(catalog.length).toBeGreaterThan(2);
    for (const { event_type, variables } of catalog) {
      expect(webhookTypes).toContain(event_type);
      const names = fieldsOf(event_type).map(({ name }) => name);
      const tokens = variables.map(({ token }) => token).filter((token) => !ADDED_TOKENS.includes(token));
      expect(names, event_type).toEqual(expect.arrayContaining(tokens));
    }
    const posted = catalog.filter(({ event_type }) => !MAILED_DIRECTLY.includes(event_type));
    expect([...mailed].sort()).toEqual(posted.map(({ event_type }) => event_type));
  });

  it("shows job events only to staff", () => {
    for (const end of ["succeeded", "failed"]) {
      const entry = events.find(({ type }) => type === `${service}.scheduled_job.${end}`);
      expect(entry?.audience).toBe("staff");
    }
  });

  it("describes each field of a webhook event once", () => {
    for (const type of webhookTypes) {
      const fields = fieldsOf(type);
      expect(fields.length, type).toBeGreaterThan(2);
      expect(new Set(fields.map(({ name }) => name)).size, type).toBe(fields.length);
    }
    expect(fieldsOf(`${service}.scheduled_job.failed`)).toEqual([]);
  });
}
