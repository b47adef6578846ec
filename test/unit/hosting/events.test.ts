import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../schemas/email/catalog";
import { hostingEventFields, hostingEvents, mailedEvents } from "../../../schemas/hosting/events";

const types = hostingEvents.map((event) => event.type);
const ofRules = hostingEvents.filter(({ audience }) => audience === "webhook").map(({ type }) => type);

describe("the catalog of hosting's events", () => {
  it("names each type once, with a label and a sentence", () => {
    expect(new Set(types).size).toBe(types.length);
    for (const { type, label, description } of hostingEvents) {
      expect(type).toMatch(/^hosting(\.[a-z_]+){2}$/);
      expect(label).toMatch(/^[A-Z][^.]+$/);
      expect(description).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("offers to rules every type that mail can be sent for, with the variables of the mail among its fields", () => {
    const events = CATALOG_EVENTS.filter(({ service }) => service === "hosting");
    expect(events.length).toBeGreaterThan(4);
    for (const { event_type, variables } of events) {
      expect(ofRules).toContain(event_type);
      const names = hostingEventFields(event_type).map(({ name }) => name);
      const wanted = variables.map(({ token }) => token).filter((token) => token !== "company_name");
      expect(names, event_type).toEqual(expect.arrayContaining(wanted));
    }
    expect([...mailedEvents].sort()).toEqual(events.map(({ event_type }) => event_type));
  });

  it("keeps the events of the jobs for staff", () => {
    for (const end of ["succeeded", "failed"]) {
      const entry = hostingEvents.find(({ type }) => type === `hosting.scheduled_job.${end}`);
      expect(entry?.audience).toBe("staff");
    }
  });

  it("describes every field of an event that rules may name", () => {
    for (const type of ofRules) {
      const fields = hostingEventFields(type);
      expect(fields.length, type).toBeGreaterThan(2);
      expect(new Set(fields.map(({ name }) => name)).size, type).toBe(fields.length);
      expect(fields.map(({ name }) => name)).toContain("company_id");
    }
    expect(hostingEventFields("hosting.scheduled_job.failed")).toEqual([]);
  });
});
