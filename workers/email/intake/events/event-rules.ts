import type { BatchResults } from "../../../kit/db/db";
import type { EmailServices } from "../../services";
import { type ActiveRule, activeRuleReads, readActiveRules } from "../rules/active-rules";
import { builtInStatements, missingBuiltIns } from "../rules/built-in";
import { findPeople } from "../submission/people";
import { lateReads, type SubmitContext } from "../submission/submission";

type RuleInput = { companyId: number; eventType: string };

/** The reads of an event's rules, for the round trip of its credential. */
export const ruleReads = ({ companyId, eventType }: RuleInput) => ({
  ...activeRuleReads({ companyId, eventType }),
  missing: missingBuiltIns(companyId),
});

/**
 * The rules that make mail of an event, built-in ones made where the company has none yet, and the context with all that is
 * known of the addresses of these rules. One round trip more where any of that is missing.
 */
export async function loadRules(
  services: EmailServices,
  context: SubmitContext,
  results: BatchResults<ReturnType<typeof ruleReads>>,
): Promise<{ context: SubmitContext; rules: ActiveRule[] }> {
  const { origin, event, keys } = context;
  const { companyId } = origin;
  const activeRules = await readActiveRules(results, keys);
  const addresses = activeRules.flatMap((rule) => rule.addresses).filter((address) => !context.hashes.has(address));
  const isMissing = results.missing.rows.length > 0;
  if (!isMissing && addresses.length === 0) return { context, rules: activeRules };
  const people = await findPeople(addresses, keys);
  const late = await services.dbOf(companyId).batch({
    made: isMissing ? await builtInStatements(services, companyId, results.missing.rows) : [],
    ...activeRuleReads({ companyId, eventType: event.event_type }),
    ...lateReads(context, [...people.hashes.values()].flat()),
  });
  const rules = await readActiveRules(late, keys);
  // Rules that changed since then may have other addresses: what keeps mail from those is looked at before it is sent.
  const all = await findPeople(
    rules.flatMap((rule) => rule.addresses),
    keys,
  );
  const { facts } = context;
  return {
    rules,
    context: {
      ...context,
      hashes: new Map([...context.hashes, ...all.hashes]),
      persons: new Map([...context.persons, ...all.persons]),
      facts: {
        ...facts,
        suppressions: [...facts.suppressions, ...late.suppressions.rows],
        unsubscribes: [...facts.unsubscribes, ...late.unsubscribes.rows],
      },
    },
  };
}
