import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CATALOG_EVENTS, findEvent } from "../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../schemas/email/content/catalog-texts";
import { messageListSchema, messageSchema, type PublicMessage } from "../../../schemas/email/delivery/messages";
import { MESSAGE_STATUSES } from "../../../schemas/email/intake/send";
import { presentCatalog } from "../../../workers/email/content/catalog/catalog";
import { RAW_TOKEN_SOURCE } from "../../../workers/email/content/tokens/token";

type PublicMessageList = z.output<ReturnType<typeof messageListSchema.unwrap>>;

const tokens = (text: string) => [...text.matchAll(new RegExp(RAW_TOKEN_SOURCE, "g"))];
const fill = (text: string, value: (name: string, fallback: string) => string) =>
  text.replace(new RegExp(RAW_TOKEN_SOURCE, "g"), (_token, name: string, fallback = "") => value(name, fallback));

it("uses only known event types and statuses in the examples of the message schemas", () => {
  const examples = [messageSchema, messageListSchema].flatMap(
    (schema) => (z.globalRegistry.get(schema.unwrap())?.examples ?? []) as (PublicMessage & PublicMessageList)[],
  );
  expect(examples).toHaveLength(2);
  for (const { template_key, events = [], messages = [] } of examples) {
    const keys = [template_key, ...messages.flatMap((item) => [item.template_key, item.event_type])];
    for (const key of keys.filter((key) => key !== undefined)) expect(findEvent(key)?.event_type).toBe(key);
    for (const { type } of events) expect(MESSAGE_STATUSES).toContain(type);
  }
});

describe("catalog response", () => {
  const catalog = presentCatalog(["app.example.com", "localhost:8787"], []);

  it("lists 29 events in alphabetical order", () => {
    const types = catalog.events.map(({ event_type }) => event_type);
    expect(types).toHaveLength(29);
    expect(types).toEqual([...types].sort());
    expect(catalog.auth_link_hosts).toEqual(["app.example.com", "localhost:8787"]);
  });

  it("has exactly the fields of the contract, with derived template_key, category and lane", () => {
    for (const event of catalog.events) {
      expect(Object.keys(event)).toEqual([
        "service",
        "event_type",
        "template_key",
        "label",
        "labels",
        "lane_class",
        "default_lane",
        "default_enabled",
        "category",
        "default_ttl_seconds",
        "variables",
        "link_token",
        "default_template",
        "suggested",
      ]);
      expect(event.template_key).toBe(event.event_type);
      expect(event.service).toBe(event.event_type.split(".")[0]);
      expect([event.category, event.default_lane]).toEqual([event.lane_class, event.lane_class]);
      expect(event.variables[0]?.token).toBe("company_name");
    }
  });

  it("describes the magic link event with an example link on the first auth host", () => {
    const event = catalog.events.find(({ event_type }) => event_type === "identity.auth.magic_link.requested");
    expect(event).toMatchObject({ lane_class: "auth", default_ttl_seconds: 120, link_token: "magic_link_url" });
    expect(event?.variables[1]).toEqual({
      token: "magic_link_url",
      type: "url",
      required: true,
      description: "email.var.magic_link_url",
      example: "https://app.example.com/api/v1/magic-link/verify?token=example&company_id=1",
      is_url: true,
      value_type: "url",
      labels: { en: "Sign-in link", fr: "Lien de connexion" },
      sensitive: true,
      allowed_hosts_setting: "EMAIL_AUTH_LINK_HOSTS",
    });
    expect(event?.variables[2]).toEqual({
      token: "recipient_name",
      type: "string",
      required: false,
      description: "email.var.recipient_name",
      example: "Mina",
      is_url: false,
      value_type: "text",
      labels: { en: "Name of the recipient", fr: "Nom du destinataire" },
    });
  });

  it("labels every event and every variable in English and French", () => {
    for (const { label, labels, variables } of catalog.events) {
      expect([labels.en, typeof labels.fr]).toEqual([label, "string"]);
      // A variable without labels would show its token.
      for (const { token, labels } of variables) expect(Object.values(labels), token).not.toContain(token);
    }
  });

  it("writes IPv6 hosts of example links in brackets", () => {
    const event = presentCatalog(["::1"], []).events.find(({ event_type }) => event_type === "identity.user.invited");
    expect(event?.variables.find(({ is_url }) => is_url)?.example).toBe(
      "https://[::1]/api/v1/invitations/open?token=example",
    );
  });

  it("requires a company name for the four events whose subjects contain it", () => {
    const required = CATALOG_EVENTS.filter(({ variables }) => variables[0]?.required).map(({ label }) => label);
    expect(required).toEqual([
      "Signed in on a new device",
      "Magic link requested",
      "Invitation revoked",
      "User invited",
    ]);
  });

  it("finds no event for an unknown name or a name that every object inherits", () => {
    expect(findEvent("storage.object.deleted")?.label).toBe("Object deleted");
    expect(findEvent("toString")).toBeUndefined();
    expect(findEvent("broadcast")).toBeUndefined();
  });
});

describe.each(CATALOG_EVENTS.map((event) => [event.event_type, event] as const))("texts of %s", (_type, event) => {
  const example = (name: string) => event.variables.find(({ token }) => token === name)?.example ?? "";

  it("have subjects of at most 60 characters, both with defaults and with examples", () => {
    for (const language of EMAIL_LANGUAGES) {
      const { subject } = event.suggested[language];
      expect(fill(subject, (_name, fallback) => fallback).length).toBeLessThanOrEqual(60);
      expect(fill(subject, example).length).toBeLessThanOrEqual(60);
      expect(subject).not.toContain("!");
    }
  });

  it("have preheaders of one sentence with 40 to 100 characters", () => {
    for (const language of EMAIL_LANGUAGES) {
      const preheader = fill(event.suggested[language].preheader, (_name, fallback) => fallback);
      expect(preheader.length).toBeGreaterThanOrEqual(40);
      expect(preheader.length).toBeLessThanOrEqual(100);
      expect(preheader).toMatch(/^[^.!?]+\.$/);
    }
  });

  it("use only declared tokens, each with a default, and the same tokens in English and French", () => {
    const used = EMAIL_LANGUAGES.map((language) => {
      const { subject, preheader } = event.suggested[language];
      return [...tokens(subject), ...tokens(preheader)];
    });
    const names = used.map((matches) => matches.map(([, name]) => name));
    expect(names[0]).toEqual(names[1]);
    for (const [, name, fallback] of used.flat()) {
      expect(fallback).toBeTruthy();
      expect(event.variables.map(({ token }) => token)).toContain(name);
    }
  });

  it("contain no link or code, and no token in a preheader except on the auth lane", () => {
    for (const language of EMAIL_LANGUAGES) {
      const { subject, preheader } = event.suggested[language];
      expect(`${subject} ${preheader}`).not.toMatch(/https?:|www\.|_url|sign_in_code/);
      if (event.lane_class !== "auth") expect(tokens(preheader)).toEqual([]);
    }
  });
});
