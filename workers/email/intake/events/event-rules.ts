import type { BatchResults } from "../../../kit/db/db";
import type { EmailServices } from "../../services";
import { type ActiveRule, readActiveRules, selectActiveRules } from "../rules/active-rules";
import { builtInStatements, missingBuiltIns } from "../rules/built-in";
import { hashPeople } from "../submission/people";
import { type SubmitContext, selectLateSuppressions } from "../submission/submission";

type RuleInput = { companyId: number; eventType: string };

/** Returns the statements that read the rules of an event. They run in the round trip that verifies the service key. */
export const selectRulesOfEvent = ({ companyId, eventType }: RuleInput) => ({
  ...selectActiveRules({ companyId, eventType }),
  missing: missingBuiltIns(companyId),
});

/**
 * Returns the enabled rules of an event and the context with the hashes and suppressions of their addresses. Creates missing
 * built-in rules. Takes another round trip when a built-in rule is missing or a rule has addresses of its own.
 */
export async function loadRules(
  services: EmailServices,
  context: SubmitContext,
  results: BatchResults<ReturnType<typeof selectRulesOfEvent>>,
): Promise<{ context: SubmitContext; rules: ActiveRule[] }> {
  const { origin, event, keys } = context;
  const { companyId } = origin;
  const activeRules = await readActiveRules(results, keys);
  const addresses = activeRules.flatMap((rule) => rule.addresses).filter((address) => !context.hashes.has(address));
  const isMissing = results.missing.rows.length > 0;
  if (!isMissing && addresses.length === 0) return { context, rules: activeRules };
  const people = await hashPeople(addresses, keys);
  const late = await services.dbOf(companyId).batch({
    created: isMissing ? await builtInStatements(services, companyId, results.missing.rows) : [],
    ...selectActiveRules({ companyId, eventType: event.event_type }),
    ...selectLateSuppressions(context, [...people.hashes.values()].flat()),
  });
  const rules = await readActiveRules(late, keys);
  // A rule that changed in the meantime may have new addresses. The claim checks their suppressions before sending.
  const rulePeople = await hashPeople(
    rules.flatMap((rule) => rule.addresses),
    keys,
  );
  const { facts } = context;
  return {
    rules,
    context: {
      ...context,
      hashes: new Map([...context.hashes, ...rulePeople.hashes]),
      persons: new Map([...context.persons, ...rulePeople.persons]),
      facts: {
        ...facts,
        suppressions: [...facts.suppressions, ...late.suppressions.rows],
        unsubscribes: [...facts.unsubscribes, ...late.unsubscribes.rows],
      },
    },
  };
}
