import { CATALOG_EVENTS } from "../../../../schemas/email/catalog";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/catalog-texts";
import { findSet } from "../design-sets/sets";
import type { MailContent } from "../tokens/substitution";
import { composeDefaultContent, composeDesign } from "./default-content";
import { LIBRARY_DESIGNS } from "./designs/designs";

const BREAK = "--> statement-breakpoint";

/** Rows that came with an older migration keep the time they were first stored. */
const NOW = "unixepoch() * 1000";

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SHA-256 in hex of subject, HTML and text joined by line feeds. */
async function checksumOf({ subject, html, text }: MailContent): Promise<string> {
  const bytes = new TextEncoder().encode([subject, html, text].join("\n"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function writeDesigns(): string[] {
  const inserts = LIBRARY_DESIGNS.map((design) => {
    const { html, text } = composeDesign(design);
    const head = findSet(design.set).head;
    const document = JSON.stringify(design.document);
    const values = [design.key, design.set, design.name].map(quote).join(", ");
    const content = [design.subject, design.preheader, document, head, html, text].map(quote).join(", ");
    return (
      "INSERT INTO library_templates (key, set_key, name, company_id, built_in, subject, preheader, document, head, html, text, created_at, updated_at)\n" +
      `VALUES (${values}, NULL, 1, ${content}, ${NOW}, ${NOW})\n` +
      "ON CONFLICT (key) DO UPDATE SET set_key = excluded.set_key, name = excluded.name, subject = excluded.subject, preheader = excluded.preheader, document = excluded.document, head = excluded.head, html = excluded.html, text = excluded.text, updated_at = excluded.updated_at;"
    );
  });
  const keys = LIBRARY_DESIGNS.map(({ key }) => quote(key)).join(", ");
  return [`DELETE FROM library_templates WHERE built_in = 1 AND key NOT IN (${keys});`, ...inserts];
}

async function writeDefaultContents(): Promise<string[]> {
  const statements = ["UPDATE default_contents SET current = 0;"];
  for (const event of CATALOG_EVENTS) {
    for (const language of EMAIL_LANGUAGES) {
      const content = composeDefaultContent(event, language);
      const row = [await checksumOf(content), event.event_type, language, content.subject, content.html, content.text];
      statements.push(
        "INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)\n" +
          `VALUES (${row.map(quote).join(", ")}, ${NOW}, 1)\n` +
          "ON CONFLICT (checksum) DO UPDATE SET current = 1;",
      );
    }
  }
  return statements;
}

/**
 * The data migration that carries built-in designs and default contents into D1. Contents that waiting
 * mail may be pinned to stay, marked as no longer current.
 */
export async function writeLibraryMigration(): Promise<string> {
  const statements = [...writeDesigns(), ...(await writeDefaultContents())];
  const note = "-- Made by scripts/compose-library.ts from workers/email/library and the catalog. Do not edit.";
  return `${note}\n${statements.join(`\n${BREAK}\n`)}\n`;
}
