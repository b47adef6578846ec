import type { LibraryRow } from "../../../../db/email/rows";
import type { LibraryItem, PublicLibraryTemplate } from "../../../../schemas/email/content/library";
import { iso } from "../../../kit/time";

type Listed = Omit<LibraryRow, "document" | "head" | "html" | "text" | "created_at"> & { html?: string };

/** What designs of the library may show, whatever event they are for. */
const VARIABLES: PublicLibraryTemplate["variables"] = [
  { token: "company_name", type: "string", example: "Aster Labs" } as const,
  { token: "action_url", type: "url", example: "https://app.example.com/" } as const,
].map((variable) => ({
  ...variable,
  required: false,
  description: `email.var.${variable.token}`,
  is_url: variable.type === "url",
}));

/** A template of the library in a list, with its HTML where the row has it. */
export function presentLibraryItem(row: Listed): LibraryItem {
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

/** A template of the library with all of it. */
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
