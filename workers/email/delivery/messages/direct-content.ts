import type { DirectContentRow, MessageRow } from "../../../../db/email/rows";
import { base64urlToBytes, bytesToBase64url } from "../../../kit/crypto/encoding";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";

/** A name and an address, as in `Mina Vale <mina@example.com>`. The name may be "". */
export type Mailbox = { name: string; address: string };

/** A label of a direct mail, for searches and statistics. */
export type Tag = { name: string; value: string };

/** The parts of a direct mail that the caller chose. `mail` is null when a template provides subject and texts. */
export type DirectContent = {
  from: Mailbox;
  mail: { subject: string; html: string; text: string } | null;
  replyTo: string | null;
  headers: Readonly<Record<string, string>>;
};

/** The event type of direct mails without tags. The type of others ends with a dot and their first tag. */
export const DIRECT_EVENT = "email.direct";

/** Returns whether an event type is the one of direct mails. */
export const isDirectType = (type: string): boolean => type === DIRECT_EVENT || type.startsWith(`${DIRECT_EVENT}.`);

/** Returns the additional authenticated data of a sealed content. `id` is the id of the direct mail in 32 hex digits. */
export function contentAad(companyId: number, id: string): string {
  return `email:direct_contents:content_enc:${companyId}:${id}`;
}

/** Returns the row that stores the content of a direct mail. `scheduledAt` is in unix ms, or null to send at once. */
export async function sealContent(
  content: DirectContent,
  { companyId, id, scheduledAt }: { companyId: number; id: string; scheduledAt: number | null },
  keys: Pick<EmailKeys, "variables">,
): Promise<DirectContentRow> {
  const content_enc = await seal(await pack(JSON.stringify(content)), keys.variables, contentAad(companyId, id));
  return { company_id: companyId, id, content_enc, scheduled_at: scheduledAt };
}

/** Marks compressed JSON. JSON itself starts with a brace. */
const PACKED = "z";

/** Returns the JSON, compressed when that is shorter. HTML shrinks to a fifth, and so do the statements that store it. */
async function pack(json: string): Promise<string> {
  const stream = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = PACKED + bytesToBase64url(new Uint8Array(await new Response(stream).arrayBuffer()));
  return packed.length < json.length ? packed : json;
}

async function unpack(text: string): Promise<string> {
  if (!text.startsWith(PACKED)) return text;
  const stream = new Blob([base64urlToBytes(text.slice(PACKED.length))]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/** Returns the content, or null when it cannot be decrypted. */
export async function openContent(
  { company_id, id, content_enc }: Pick<DirectContentRow, "company_id" | "id" | "content_enc">,
  keys: Pick<EmailKeys, "variables">,
): Promise<DirectContent | null> {
  try {
    return JSON.parse(
      await unpack(await open(content_enc, keys.variables, contentAad(company_id, id))),
    ) as DirectContent;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Returns whether the message has content in `direct_contents` instead of a template. */
export const isDirect = ({ template_key }: Pick<MessageRow, "template_key">): boolean => template_key === DIRECT_EVENT;
