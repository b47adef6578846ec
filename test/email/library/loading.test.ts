import { and, eq, isNull } from "drizzle-orm";
import { expect, it } from "vitest";
import { default_contents, library_templates, library_versions, messages, templates } from "../../../db/email/schema";
import { problemOf } from "../../support/email/admin";
import { storeRule } from "../../support/email/custom-templates";
import { deliverNow } from "../../support/email/deliver-now";
import { startServices } from "../../support/email/delivery";
import { createCompany, createKey, startEmail } from "../../support/email/email";
import { loadFullLibrary, loadOnce } from "../../support/email/library";
import { recordMails } from "../../support/email/mail-api";
import { db, readRows, updateRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const EVENT = "identity.membership.enabled";
const OLD = "0".repeat(64);
const email = await startEmail();

async function startSender() {
  const companyId = createCompany();
  const { key } = await createKey({ service: "identity", companies: [companyId] });
  const json = {
    company_id: companyId,
    template_key: EVENT,
    to: [{ email: "mina@example.com" }],
    variables: { company_name: "Aster Labs", app_url: "https://app.example.com/" },
  };
  return { companyId, post: () => email.call("/api/v1/send", { bearer: key, json }) };
}

const current = and(
  eq(default_contents.event_type, EVENT),
  eq(default_contents.language, "en"),
  eq(default_contents.current, true),
);
const currentChecksum = async () => (await readRows(default_contents, current)).map(({ checksum }) => checksum);
const designs = () => readRows(library_templates, isNull(library_templates.company_id));

async function clearLibrary(): Promise<void> {
  await db.delete(default_contents);
  await db.delete(library_templates);
  await db.delete(library_versions);
}

it("loads the template library into an empty database after one 503 response", async () => {
  const { post } = await startSender();
  await clearLibrary();
  const rejected = await post();
  expect(rejected.headers.get("retry-after")).toBe("1");
  expect(await problemOf(rejected)).toEqual([503, "library_not_synced"]);
  expect((await post()).status).toBe(202);
  expect(await loadOnce()).toBe(false);
});

it("replaces an older library without changing design ids, waiting mail or custom templates", async () => {
  await loadFullLibrary();
  const loaded = await designs();
  const { companyId, post } = await startSender();
  const { template } = await storeRule(companyId, { eventType: EVENT });
  // Simulates a database with an earlier library: a different design under the key, a different default mail, and no
  // version.
  const design = eq(library_templates.key, template.source_key);
  await updateRows(library_templates, { html: "<p>Before</p>", updated_at: 1 }, design);
  await updateRows(default_contents, { checksum: OLD, html: "<p>Before</p>", text: "Before" }, current);
  await db.delete(library_versions);
  const other = await startSender();
  const { messages: [pinned] = [] } = await (await other.post()).json<{ messages: { id: string }[] }>();

  expect((await Promise.all([loadOnce(), loadOnce()])).includes(true)).toBe(true);
  const [old] = await readRows(default_contents, eq(default_contents.checksum, OLD));
  expect(old).toMatchObject({ current: false, text: "Before" });
  expect(await currentChecksum()).toEqual([expect.not.stringMatching(OLD)]);
  const after = await designs();
  expect(after.map(({ id, key, html }) => [id, key, html])).toEqual(loaded.map(({ id, key, html }) => [id, key, html]));
  expect(after.filter(({ key }) => key !== template.source_key)).toEqual(
    loaded.filter(({ key }) => key !== template.source_key),
  );
  expect(await readRows(templates, eq(templates.id, template.id))).toEqual([template]);

  const mails = recordMails();
  const id = pinned?.id.slice(4) ?? "";
  await deliverNow(startServices(), [id], "transactional");
  expect(await readRows(messages, eq(messages.id, id))).toMatchObject([{ status: "sent", default_checksum: OLD }]);
  expect(JSON.stringify(mails)).toContain("Before");
  expect((await post()).status).toBe(202);
});

it("activates each library version once, so that an older Worker does not replace a newer library", async () => {
  await loadFullLibrary();
  // Simulates a newer release that has loaded its texts in the meantime.
  await updateRows(default_contents, { checksum: OLD.replace("0", "1") }, current);
  expect(await loadOnce()).toBe(false);
  expect(await currentChecksum()).toEqual([OLD.replace("0", "1")]);
});
