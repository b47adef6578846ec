import { expect, it } from "vitest";
import { identityEventFields } from "../../../schemas/identity/event-fields";
import { mailedEvents } from "../../../schemas/identity/events";
import { valueTexts } from "../../../workers/email/content/catalog/value-texts";

it.each([
  ["error", "artifact_missing", "en", /Upload it again/],
  ["error", "quota_exceeded", "fr", /code ci-dessous/],
  ["change", "members_removed", "fr", "Des personnes ont quitté le groupe."],
  ["changed_fields", "display_name, language, shoe_size, language", "en", "Name, Language, shoe size"],
  ["changed_fields", "first_name", "fr", "Prénom"],
  ["changed_fields", "access_state, state_reason, is_staff", "en", "Access, Staff access"],
  ["source", "magic_link", "en", "A first sign-in by email"],
  ["operation", "create_group", "fr", "Création d’un groupe"],
  ["operation", "merge_group", "en", "merge group"],
  ["mime_type", "application/pdf", "en", "PDF"],
  ["mime_type", "application/x-own", "fr", "application/x-own"],
  ["country_code", "FR", "en", "France"],
  ["last_status", "HTTP 503", "fr", "HTTP 503"],
  ["last_status", "timeout", "fr", "Aucune réponse dans le délai"],
  ["threshold", "100", "en", /no space left/],
  ["used_bytes", "8053063680", "fr", "7,5\u00a0Go"],
  ["bucket_name", "company", "fr", "Fichiers de l’entreprise"],
  ["bucket_name", "drawings", "en", "drawings"],
] as const)("translates the %s %s (%s)", (token, value, language, text) => {
  expect(valueTexts({ [token]: value }, language)[`words.${token}`]).toMatch(text);
});

it("returns no text for a missing value, an unknown change or a name of Object.prototype", () => {
  expect(valueTexts({ error: "" }, "en")).toEqual({});
  expect(valueTexts({ change: "members_shuffled" }, "en")["words.change"]).toBe("");
  expect(valueTexts({ source: "toString" }, "en")["words.source"]).toBe("toString");
});

it("names the author, and the members of a group by what happened to them", () => {
  const wordsOf = (values: Record<string, string>) => valueTexts(values, "en");
  expect(wordsOf({ actor_name: "Noor", actor_kind: "session" })).toMatchObject({ "words.actor": "Noor" });
  expect(wordsOf({ actor_kind: "scim" })).toMatchObject({ "words.actor": "The directory" });
  expect(wordsOf({ actor_kind: "session" })).toEqual({});
  expect(wordsOf({ change: "members_added", member_names: "Mina" })).toMatchObject({ "words.joined": "Mina" });
  expect(wordsOf({ change: "members_removed", member_names: "Mina" })).toMatchObject({ "words.left": "Mina" });
});

it("translates every source that identity documents", () => {
  const [description = ""] = mailedEvents.flatMap((type) =>
    identityEventFields(type).flatMap(({ name, description }) => (name === "source" ? [description] : [])),
  );
  const sources = [...description.matchAll(/`([a-z_]+)`/g)].map(([, source = ""]) => source);
  expect(sources).toContain("scim");
  for (const source of sources) expect(valueTexts({ source }, "fr")["words.source"]).not.toBe(source);
});
