import { eq } from "drizzle-orm";
import { library_templates, type rules } from "../../../db/email/schema";
import { send, startCompany } from "./admin";
import type { EmailHarness } from "./email";
import { readRows } from "./rows";

export const RULES_PATH = "/api/v1/rules";

/** A rule as the API shows it. */
export type ShownRule = {
  id: number;
  service: string;
  event_type: string;
  enabled: boolean;
  recipient_mode: string;
  static_recipients: string[];
  language: string;
  template_id: number;
  built_in: boolean;
  created_at: string;
  updated_at: string;
};

type List = { company_id: number; rules: ShownRule[]; next_cursor: string | null };

/** A row of a rule that no copy is of. */
export const storedRule = (companyId: number): typeof rules.$inferInsert => ({
  ...{ company_id: companyId, service: "identity", event_type: "identity.user.created", enabled: true, template_id: 0 },
  ...{ static_recipients_enc: "", seal_id: "x", built_in: false, created_at: 1, updated_at: 1 },
  language: "",
  recipient_mode: "hints",
});

/** The id of a built-in design. */
export async function libraryId(key = "barebone.text-only"): Promise<number> {
  const [row] = await readRows(library_templates, eq(library_templates.key, key));
  if (row === undefined) throw new Error(`no design ${key}`);
  return row.id;
}

/** A company, and its rules by the API. */
export async function startRules(email: EmailHarness) {
  const company = await startCompany(email);
  const content = { library_id: await libraryId() };
  const call = (method: string, path = "", json?: unknown) =>
    send(email, company.owner, { method, path: `${RULES_PATH}${path}`, json });
  return {
    ...company,
    content,
    call,
    /** Makes a rule, which sends the text-only design unless told. */
    create: async (body: Record<string, unknown>): Promise<ShownRule> => {
      const response = await call("POST", "", { content, ...body });
      if (response.status !== 201) throw new Error(`no rule: ${response.status} ${await response.text()}`);
      return response.json();
    },
    list: async (query = ""): Promise<List> => (await call("GET", query)).json(),
  };
}
