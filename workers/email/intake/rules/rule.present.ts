import type * as z from "zod";
import type { ruleSchema } from "../../../../schemas/email/intake/rules";
import { iso } from "../../../kit/time";
import type { OpenRule } from "./rule";

/** Returns the API representation of a rule. */
export function presentRule({ row, recipients }: OpenRule): z.output<typeof ruleSchema> {
  const { id, service, event_type, enabled, recipient_mode, language, template_id, built_in } = row;
  return {
    id,
    service,
    event_type,
    enabled,
    recipient_mode,
    static_recipients: [...recipients],
    language,
    template_id,
    built_in,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
