import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_profiles, unsubscribes } from "../../../db/email/schema";
import { createUnsubscribeUrl, readUnsubscribeToken } from "../../../workers/email/audience/unsubscribes/unsubscribe";
import { settingsOf } from "../../../workers/email/settings";
import { hmacHex } from "../../../workers/kit/crypto/hash";
import { createCompany, startEmail } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { insertRow, readRows } from "../../support/email/rows";

const PEPPER = new Uint8Array(32).fill(3);

/**
 * Returns the path with a token that is computed independently of the service
 * (docs/specification/email-recipients.md#unsubscribe-links). `encode` writes its HMACs.
 */
async function pathFor(companyId: number, category = "bulk", pepper = PEPPER, encode = toBase64url) {
  const emailHmac = await hmacHex(pepper, "anna@example.com");
  const signature = await hmacHex(pepper, `${companyId}|${emailHmac}|${category}`);
  return `/u/${companyId}.${category}.${encode(emailHmac)}.${encode(signature)}`;
}

const toBase64url = (hex: string) => Buffer.from(hex, "hex").toString("base64url");

/** Returns a character of base64url that differs only in its lowest bit. */
function nextCharacter(character = "A"): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet.charAt(alphabet.indexOf(character) ^ 1);
}

const stored = async (companyId: number) =>
  (await readRows(unsubscribes, eq(unsubscribes.company_id, companyId))).map(({ category, source, email_hmac }) => ({
    category,
    source,
    email_hmac,
  }));

it("responds to GET and HEAD of an unsubscribe link with a confirmation page, and writes nothing", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  await insertRow(company_profiles, { company_id: companyId, name: "Aster & <Söhne>", updated_at: 0 });
  const path = await pathFor(companyId);
  const page = await email.call(path);
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toContain('<html lang="en">');
  expect(html).toContain("newsletters and announcements from Aster &amp; &lt;Söhne&gt;");
  expect(html).toContain('<span dir="auto">Aster &amp; &lt;Söhne&gt;</span>');
  expect(html.match(/<form method="post">/g)).toHaveLength(1);
  expect(html).not.toMatch(/<script|action=/);
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("x-robots-tag")).toBe("noindex");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.headers.get("set-cookie")).toBeNull();
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/style-src 'sha256-[^']+'( 'sha256-[^']+')?;.*form-action 'self'$/);
  const head = await email.call(path, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(await stored(companyId)).toEqual([]);
});

it.each([
  ["fr", "fr"],
  ["fr-CA,fr;q=0.9,en;q=0.8", "fr"],
  ["de, fr;q=0.7, en;q=0.3", "fr"],
  ["en;q=0.9, fr;q=0.8", "en"],
  ["de", "en"],
  [";;q=x,,", "en"],
])("shows the unsubscribe page in the language of Accept-Language %s", async (acceptLanguage, language) => {
  const email = await startEmail();
  const page = await email.call(await pathFor(createCompany()), { headers: { "accept-language": acceptLanguage } });
  expect(page.headers.get("content-language")).toBe(language);
  expect(await page.text()).toContain(`<html lang="${language}">`);
});

it("shows French texts that are correct for any company name and reader", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  await insertRow(company_profiles, { company_id: companyId, name: "Aster", updated_at: 0 });
  const path = await pathFor(companyId);
  const read = async (body?: string) => {
    const form = { "accept-language": "fr", "content-type": "application/x-www-form-urlencoded" };
    return (await email.call(path, { headers: form, ...(body === undefined ? {} : { method: "POST", body }) })).text();
  };
  expect(await read()).toContain("annonces envoyées par Aster.");
  expect(await read("source=page")).toContain("Désabonnement effectué");
  expect(await read("action=undo")).toContain("Réabonnement effectué");
});

it("shows the masked address when a message to the address is stored", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  const email_hmac = await hmacHex(PEPPER, "anna@example.com");
  await storeMessage(companyId, { status: "sent", to_masked: "a***@example.com", email_hmac });
  const html = await (await email.call(await pathFor(companyId, "transactional"))).text();
  expect(html).toContain("notifications to a***@example.com");
  expect(html).not.toContain("anna@example.com");
});

it.each([
  ["no body", undefined, undefined, "one_click"],
  ["a one-click body", "List-Unsubscribe=One-Click", "application/x-www-form-urlencoded", "one_click"],
  ["the button of the page", "source=page", "application/x-www-form-urlencoded", "page"],
  ["JSON", "{", "application/json", "one_click"],
  ["bytes", "\u0000\uffff", "application/octet-stream", "one_click"],
  ["a long body", "x".repeat(300_000), "text/plain", "one_click"],
])("unsubscribes once by a POST with %s, even when it is repeated", async (_name, body, type, source) => {
  const email = await startEmail();
  const companyId = createCompany();
  const path = await pathFor(companyId);
  for (let i = 0; i < 2; i++) {
    const response = await email.call(path, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
      ...(type === undefined ? {} : { headers: { "content-type": type } }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("You are unsubscribed");
    expect(email.acceptTripsOf(response)).toBeLessThanOrEqual(2);
  }
  expect(await stored(companyId)).toEqual([
    { category: "bulk", source, email_hmac: await hmacHex(PEPPER, "anna@example.com") },
  ]);
});

it("reverts an unsubscribe with the button of the page, which then shows the new state", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  const path = await pathFor(companyId);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const post = async (body: string) => (await email.call(path, { method: "POST", body, headers })).text();
  const unsubscribed = await post("source=page");
  expect(unsubscribed).toContain("Subscribe again");
  expect(await (await email.call(path)).text()).toBe(unsubscribed);
  expect(await stored(companyId)).toHaveLength(1);
  for (let i = 0; i < 2; i++) {
    const page = await post("action=undo");
    expect(page).toContain("<h1>You are subscribed again</h1>");
    expect(page).toContain("You will receive newsletters and announcements as before.");
    expect(page).not.toContain("<form");
  }
  expect(await stored(companyId)).toEqual([]);
  expect(await (await email.call(path)).text()).toContain("<h1>Unsubscribe?</h1>");
});

it("returns a 404 page for a token that does not verify, and stores nothing", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  const good = await pathFor(companyId);
  const [, token = ""] = good.split("/u/");
  const [company, category, hmac, signature = ""] = token.split(".");
  const bad = [
    `${company}.${category}.${hmac}`,
    `${companyId + 1}.${category}.${hmac}.${signature}`,
    `${company}.transactional.${hmac}.${signature}`,
    `0${company}.${category}.${hmac}.${signature}`,
    `${company}.${category}.${hmac}.${signature.slice(0, -1)}`,
    `${company}.${category}.${hmac}.${signature}A`,
    `${company}.${category}.${hmac}.${"A".repeat(43)}`,
    // The last character has two unused bits, which must be 0.
    `${company}.${category}.${hmac}.${signature.slice(0, -1)}${nextCharacter(signature.at(-1))}`,
    `${company}.${category}.${hmac}.${"0".repeat(64)}`,
    (await pathFor(companyId, "bulk", PEPPER, (hex) => hex.toUpperCase())).slice(3),
    `${token}.x`,
    `${token}%0A`,
    "%F0%9F%98%80",
    "%00",
    "%",
    "x".repeat(5000),
    (await pathFor(companyId, "auth")).slice(3),
    (await pathFor(companyId, "list-0")).slice(3),
    (await pathFor(companyId, "list-99999999999999999")).slice(3),
    (await pathFor(companyId, "bulk", new Uint8Array(32).fill(9))).slice(3),
  ];
  for (const method of ["GET", "POST"]) {
    for (const wrong of bad) {
      const response = await email.call(`/u/${wrong}`, { method });
      expect([wrong, response.status]).toEqual([wrong, 404]);
      expect(response.headers.get("content-type")).toContain("text/html");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
  }
  expect(await stored(companyId)).toEqual([]);
});

it("accepts links of earlier mails, whose HMACs are hex", async () => {
  const email = await startEmail();
  const companyId = createCompany();
  const path = await pathFor(companyId, "bulk", PEPPER, (hex) => hex);
  expect((await email.call(path, { method: "POST" })).status).toBe(200);
  expect(await stored(companyId)).toEqual([
    { category: "bulk", source: "one_click", email_hmac: await hmacHex(PEPPER, "anna@example.com") },
  ]);
});

it("accepts unsubscribe tokens of the previous pepper", async () => {
  const old = new Uint8Array(32).fill(9);
  const previous = btoa(String.fromCharCode(...old));
  const email = await startEmail({ vars: { EMAIL_HASH_PEPPER_PREVIOUS: previous } });
  const companyId = createCompany();
  expect((await email.call(await pathFor(companyId, "bulk", old), { method: "POST" })).status).toBe(200);
  expect(await stored(companyId)).toHaveLength(1);
});

it("returns 405 for other methods of an unsubscribe link", async () => {
  const email = await startEmail();
  const response = await email.call(await pathFor(createCompany()), { method: "PUT" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
});

it("creates unsubscribe links with the public URL and accepts their tokens", async () => {
  const { bindings } = await startEmail();
  const emailHmac = await hmacHex(PEPPER, "anna@example.com");
  const url = await createUnsubscribeUrl(settingsOf(bindings), 5, "transactional", emailHmac);
  expect(url).toBe(`http://localhost:8787/email${await pathFor(5, "transactional")}`);
  expect(await readUnsubscribeToken([PEPPER], url.split("/u/")[1] ?? "")).toEqual({
    companyId: 5,
    category: "transactional",
    emailHmac,
  });
});

it.each([
  ["en", "This does not work right now"],
  ["fr", "Cela ne fonctionne pas pour le moment"],
])("returns an HTML page to a browser (%s) and JSON otherwise when a setting is invalid", async (language, title) => {
  const email = await startEmail({ vars: { EMAIL_VARIABLES_KEY: "x" } });
  const path = await pathFor(createCompany());
  for (const method of ["GET", "POST"]) {
    const headers = { accept: "text/html", "accept-language": language };
    const page = await email.call(path, { method, headers });
    expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain(`<h1>${title}</h1>`);
    const other = await email.call(path, { method });
    expect([other.status, await other.json()]).toMatchObject([503, { error_code: "service_unavailable" }]);
  }
});
