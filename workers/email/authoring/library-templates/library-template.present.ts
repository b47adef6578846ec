import type { LibraryRow } from "../../../../db/email/rows";
import type { LibraryItem, PublicLibraryTemplate } from "../../../../schemas/email/content/library";
import { iso } from "../../../kit/time";

type LibraryItemRow = Omit<LibraryRow, "document" | "head" | "html" | "text" | "created_at"> & { html?: string };

/** The variables of library designs. Designs belong to no event. */
const VARIABLES: PublicLibraryTemplate["variables"] = [
  { token: "company_name", type: "string", example: "Aster Labs" } as const,
  { token: "action_url", type: "url", example: "https://app.example.com/" } as const,
].map((variable) => ({
  ...variable,
  required: false,
  description: `email.var.${variable.token}`,
  is_url: variable.type === "url",
}));

/** Returns a library template as a list item, with HTML if the row contains it. */
export function presentLibraryItem(row: LibraryItemRow): LibraryItem {
  const { id, key, set_key: set, name, built_in, company_id, subject, preheader, html, updated_at } = row;
  return {
    id,
    key,
    set,
    name,
    built_in,
    company_id,
    subject,
    preheader,
    ...(html === undefined ? {} : { html }),
    updated_at: iso(updated_at),
  };
}

/** Returns a complete library template. */
export function presentLibraryTemplate(row: LibraryRow): PublicLibraryTemplate {
  const { html, text, head } = row;
  return {
    ...presentLibraryItem(row),
    html,
    text,
    head,
    document: JSON.parse(row.document),
    variables: VARIABLES,
  };
}
