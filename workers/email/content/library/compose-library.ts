import { CATALOG_EVENTS } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { INTERNAL_EVENTS } from "../../../../schemas/email/content/internal-events";
import { sha256Hex } from "../../../kit/crypto/hash";
import { findSet } from "../design-sets/sets";
import { composeDefaultContent, composeDesign } from "./default-content";
import { LIBRARY_DESIGNS } from "./designs/designs";
import type { Library, LibraryContent, LibraryDesign } from "./library.store";

function composeDesigns(): LibraryDesign[] {
  return LIBRARY_DESIGNS.map((design) => {
    const { key, set, name, subject, preheader, document } = design;
    const texts = { subject, preheader, document: JSON.stringify(document), head: findSet(set).head };
    return { key, set_key: set, name, ...texts, ...composeDesign(design) };
  });
}

async function composeContents(): Promise<LibraryContent[]> {
  const events = [...CATALOG_EVENTS, ...INTERNAL_EVENTS];
  const pairs = events.flatMap((event) => EMAIL_LANGUAGES.map((language) => ({ event, language })));
  return Promise.all(
    pairs.map(async ({ event, language }) => {
      const { subject, html, text } = composeDefaultContent(event, language);
      const checksum = await sha256Hex([subject, html, text].join("\n"));
      return { checksum, event_type: event.event_type, language, subject, html, text };
    }),
  );
}

/** Composes all built-in designs and default contents. The version is their SHA-256. Runs in Node, never in a Worker. */
export async function composeLibrary(): Promise<Library> {
  const rows = { designs: composeDesigns(), contents: await composeContents() };
  return { version: await sha256Hex(JSON.stringify(rows)), ...rows };
}
