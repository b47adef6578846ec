import type * as z from "zod";
import type { BroadcastRow } from "../../../../db/email/rows";
import { audienceSchema } from "../../../../schemas/email/audience/audience";
import { broadcastChangeSchema, broadcastInputSchema } from "../../../../schemas/email/audience/broadcasts";
import type { RowOfStatement } from "../../../kit/db/statement";
import { parse } from "../../../kit/http/request/parse";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { requireTexts } from "../../content/documents/document-input";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { findNewsletterId, findSource } from "./broadcast.store";

type Audience = BroadcastRow["audience"];

/** A new broadcast with the library design from which its content is copied. */
export type NewBroadcast = Pick<BroadcastRow, "name" | "language" | "audience"> & {
  design: RowOfStatement<typeof findSource>;
  subject: string;
  preheader: string;
};

/** The changed fields of a draft. */
export type BroadcastChange = z.output<typeof broadcastChangeSchema>;

type Services = Pick<EmailServices, "dbOf" | "settings">;

/**
 * Reads the body of a new broadcast. The subject is that of the design, else the name. Throws 400 with the codes of invalid fields,
 * `source_key: [invalid]` for an unknown design, and `language_not_available`.
 */
export async function readNewBroadcast(services: Services, companyId: number, body: JsonObject): Promise<NewBroadcast> {
  const { name, source_key: key, audience: given, ...texts } = parse(broadcastInputSchema, body);
  const { language = "en" } = body;
  if (!isAbsent(language) && language !== "en" && language !== "fr") throw new Problem("language_not_available");
  const audience = given ?? parse(audienceSchema, {});
  const rows = await services.dbOf(companyId).batch({
    design: findSource({ key, companyId }),
    list: listRead(companyId, audience),
  });
  const design = rows.design.first;
  if (design === null) throw invalid({ source_key: ["invalid"] });
  requireList(audience, rows.list?.first);
  const subject = texts.subject || design.subject || name;
  const preheader = texts.preheader ?? design.preheader;
  requireTexts({ subject, preheader }, services.settings);
  return { name, language: language === "fr" ? "fr" : "en", audience, design, subject, preheader };
}

/** Reads the body of a change. Throws 400 with the codes of invalid fields. */
export async function readBroadcastChange(
  services: Services,
  { company_id: companyId }: Pick<BroadcastRow, "company_id">,
  body: JsonObject,
): Promise<BroadcastChange> {
  const change = parse(broadcastChangeSchema, body);
  const { audience, subject = "", preheader = "" } = change;
  requireTexts({ subject, preheader }, services.settings);
  if (audience !== undefined) await requireKnownList(services, companyId, audience);
  return change;
}

/** Throws 400 `audience.list_id: [invalid]` when the audience is a newsletter that the company does not have. */
export async function requireKnownList({ dbOf }: Services, companyId: number, audience: Audience): Promise<void> {
  const read = listRead(companyId, audience);
  if (read !== null) requireList(audience, await dbOf(companyId).first(read));
}

const listRead = (companyId: number, { list_id: id }: Audience) =>
  id === undefined ? null : findNewsletterId({ id, companyId });

function requireList({ list_id: id }: Audience, found: { id: number } | null | undefined): void {
  if (id !== undefined && !found) throw invalid({ "audience.list_id": ["invalid"] });
}
