import type * as z from "zod";
import type { NewsletterRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type { importedSchema } from "../../../../schemas/email/audience/subscribers";
import { canonicalAddress } from "../../../../schemas/text/address";
import { actionEntry } from "../../../kit/audit/audit";
import { toSlices } from "../../../kit/db/slices";
import { DAY_MS } from "../../../kit/time";
import { hashAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { requireConfirmationSender, sealContact, selectConfirmationFacts } from "../newsletters/confirmation";
import { enqueueListSteps } from "../newsletters/list-steps";
import type { ImportedPerson } from "./csv";
import { exclusionsOf, languageOf, type SubscribeMode } from "./subscriber";
import {
  type AddressState,
  addSubscribers,
  confirmPending,
  findAddressStates,
  renewAddresses,
  requestMails,
  scheduleMails,
} from "./subscriber.store";

export type Imported = z.output<typeof importedSchema>;

/** What happens to an address of an import. `added` people are inserted or, with consent, confirmed. */
type Fate = "new" | "pending" | Exclude<keyof Imported, "added" | "invalid">;

/** A person of an import with the hashes of the address, one per pepper. */
type Hashed = ImportedPerson & { email_hmac: string; hashes: string[] };

/**
 * Adds the people of a file to a newsletter, in a fixed number of statements per megabyte. Every address counts once. With
 * `confirm`, queue steps send the confirmation mails. Throws 409 when `confirm` has no usable sender.
 */
export async function importPeople(
  services: EmailServices,
  list: NewsletterRow,
  { people, mode, invalid }: { people: readonly ImportedPerson[]; mode: SubscribeMode; invalid: number },
  actor: AuditActor,
): Promise<Imported> {
  const { id: listId, company_id: companyId } = list;
  const db = services.dbOf(companyId);
  if (mode === "confirm") {
    await requireConfirmationSender(services, companyId, await db.batch(selectConfirmationFacts(list)));
  }
  const keys = await services.keys();
  const unique = [...new Map(people.map((person) => [canonicalAddress(person.email), person])).values()];
  const hashed = await Promise.all(
    unique.map(async (person): Promise<Hashed> => {
      const hashes = await Promise.all(keys.peppers.map((pepper) => hashAddress(pepper, person.email)));
      return { ...person, email_hmac: hashes[0] ?? "", hashes };
    }),
  );
  const scope = { companyId, listId };
  const now = services.clock.now();
  const { resendMs, perDay } = services.settings.newsletters;
  const slices = toSlices(hashed.map(({ email_hmac, hashes }) => ({ email_hmac, hashes })));
  const exclusions = exclusionsOf(listId, mode);
  const { states } = await db.batch({
    renewed: keys.peppers.length > 1 ? slices.map((items) => renewAddresses({ items, ...scope })) : [],
    states: slices.map((items) =>
      findAddressStates({ ...scope, ...exclusions, items, now, resendMs, perDay, dayMs: DAY_MS }),
    ),
  });
  const stateOf = new Map(states.flatMap(({ rows }) => rows).map((state) => [state.email_hmac, state]));
  const fates = hashed.map((person) => ({ person, fate: fateOf(stateOf.get(person.email_hmac), mode) }));
  const withFate = (wanted: Fate) => fates.flatMap(({ person, fate }) => (fate === wanted ? [person] : []));
  const newRows = await Promise.all(
    withFate("new").map(async (person) => ({
      ...(await sealContact(person, companyId, keys)),
      email_hmac: person.email_hmac,
      language: languageOf(list, person.language),
    })),
  );
  const pending = toSlices(withFate("pending").map(({ email_hmac }) => email_hmac));
  const status = mode === "consented" ? "confirmed" : "pending";
  const audit = {
    action: "subscribers.imported",
    target: `newsletter:${listId}`,
    changes: { mode, rows: people.length },
  };
  const { added, changed } = await db.batch({
    added: toSlices(newRows).map((items) => addSubscribers({ items, ...scope, source: "import", now }, status)),
    changed: pending.map((hashes) =>
      mode === "consented" ? confirmPending({ hashes, ...scope, now }) : requestMails({ hashes, ...scope }),
    ),
    scheduled: mode === "confirm" ? scheduleMails({ listId, at: now }) : null,
    entry: actionEntry({ ...audit, actor, companyId, now }),
  });
  if (mode === "confirm") services.waitUntil(enqueueListSteps(services, "confirmations", [list]));
  const sum = (results: readonly { changes: number }[]) => results.reduce((total, { changes }) => total + changes, 0);
  const inserted = sum(added);
  const confirmed = mode === "consented" ? sum(changed) : 0;
  const countOf = (wanted: Fate) => withFate(wanted).length;
  return {
    added: inserted + confirmed,
    // Rows that another request stored in the meantime count as existing.
    existing: countOf("existing") + (newRows.length - inserted) + (countOf("pending") - confirmed),
    invalid,
    skipped_unsubscribed: countOf("skipped_unsubscribed"),
    skipped_suppressed: countOf("skipped_suppressed"),
    throttled: countOf("throttled"),
  };
}

/** Returns what happens to an address. An import never brings back a person who unsubscribed. */
function fateOf(state: AddressState | undefined, mode: SubscribeMode): Fate {
  if (state === undefined) return "new";
  if (state.status === "confirmed") return "existing";
  if (state.status === "unsubscribed" || state.unsubscribed) return "skipped_unsubscribed";
  if (state.suppressed) return "skipped_suppressed";
  return state.can_mail || mode === "consented" ? "pending" : "throttled";
}
