import type { LibraryRow } from "../../../db/email/rows";
import { library_templates } from "../../../db/email/schema";
import { insertRow } from "./rows";

/** A document of one paragraph. */
export const paragraphDocument = (text: string) => documentOf({ type: "paragraph", content: [{ type: "text", text }] });

/** A document of blocks. */
export const documentOf = (...content: object[]) => ({ type: "doc", content });

/** A template of a company's own library. */
export function storeLibraryTemplate(companyId: number, own: Partial<LibraryRow> = {}): Promise<LibraryRow> {
  return insertRow(library_templates, {
    ...{ key: `library.${crypto.randomUUID()}`, set_key: "", name: "Own", company_id: companyId, built_in: false },
    ...{ subject: "", preheader: "", document: JSON.stringify(paragraphDocument("Hello")), head: "" },
    ...{ html: "<p>Hello</p>", text: "Hello", created_at: 1, updated_at: 1 },
    ...own,
  });
}
