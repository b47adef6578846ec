import { callManagement } from "../../../cli/management-call.ts";
import type { CommandSpec } from "../../../schemas/management/command-spec.ts";
import { type CommandCounts, managementCommands } from "../../../schemas/management.ts";
import type { Service } from "../../support/services.ts";
import type { Surroundings } from "../deploy.ts";
import { type DeploymentRecord, serviceUrl } from "../record.ts";
import { RotationError } from "./plan.ts";
import type { SecretsCopy } from "./secrets-copy.ts";

/** What a rotation works with. */
export type At = Pick<Surroundings, "api" | "records" | "env" | "say" | "now" | "publicUrl">;

/** The services of a deployment, and the operator keys with which they are called. */
export type Callable = { at: Pick<At, "publicUrl">; record: DeploymentRecord; copy: SecretsCopy };

/** A call of `reencrypt` works on a part of the values and ends long before. */
const CALL_TIMEOUT_MS = 300_000;

/**
 * Runs a management command of a service through its public address. Returns its rows and counts. Throws a RotationError; the code is
 * `copy-differs` when the service has another operator key.
 */
export async function callService<Row>(
  { at, record, copy }: Callable,
  service: Service,
  command: string,
): Promise<{ rows: Row[]; counts: CommandCounts }> {
  const spec = (managementCommands[service] as readonly CommandSpec[]).find(({ name }) => name === command);
  if (spec === undefined) throw new Error(`${service} has no command ${command}.`);
  const credential = copy[service]?.OPERATOR_KEY;
  if (credential === undefined)
    throw new RotationError(`copy-incomplete: The copy of the secrets has no OPERATOR_KEY of ${service}.`);
  const target = { url: at.publicUrl(serviceUrl(record, service)), credential, isLoopback: false };
  const rows: Row[] = [];
  const onRows = (page: readonly unknown[]) => {
    rows.push(...(page as Row[]));
  };
  const end = await callManagement(target, spec, {}, { onRows, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  if (end.kind === "result") return { rows, counts: end.counts };
  if (end.kind === "failed" && end.isUnauthorized) {
    throw new RotationError(
      `copy-differs: ${service} has another OPERATOR_KEY than the copy, which is older than the account. Nothing was changed.`,
    );
  }
  throw new RotationError(`${service}-failed: ${service} did not respond as expected: ${end.line}`);
}
