import { eq } from "drizzle-orm";
import type { BroadcastRow } from "../../../db/email/rows";
import { broadcasts, templates } from "../../../db/email/schema";
import { storeNumberedTemplate } from "./custom-templates";
import { insertRow, updateRows } from "./rows";

type Fields = Partial<typeof broadcasts.$inferInsert>;

/** An audience of all members, as the API stores it. */
export const everyMember: BroadcastRow["audience"] = {
  mode: "filter",
  group_ids: [],
  roles: [],
  access: "enabled",
  joined_after: "",
  joined_before: "",
  seen_after: "",
  seen_before: "",
  user_ids: [],
  emails: [],
};

/** Stores a broadcast, by default a draft, with a template. `fields` replace its columns. */
export async function storeDraftBroadcast(companyId: number, fields: Fields = {}): Promise<BroadcastRow> {
  const template = await storeNumberedTemplate(companyId);
  await updateRows(
    templates,
    { kind: "broadcast", event_type: "broadcast", active_version: template.id },
    eq(templates.id, template.id),
  );
  return insertRow(broadcasts, {
    company_id: companyId,
    name: "March news",
    state: "draft",
    template_id: template.id,
    template_key: template.template_key,
    language: "en",
    audience: everyMember,
    provider_ref: `bc_${crypto.randomUUID().replaceAll("-", "")}`,
    seal_id: crypto.randomUUID(),
    request_id: "test",
    created_at: 1,
    updated_at: 1,
    ...fields,
  });
}
