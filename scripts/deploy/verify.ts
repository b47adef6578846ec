import { callManagement } from "../../cli/management-call.ts";
import { managementCommands } from "../../schemas/management.ts";
import { type Service, services } from "../support/services.ts";
import { serviceUrl } from "./record.ts";
import { type Run, type Step, StepError } from "./run.ts";

/** A certificate for a new host takes Cloudflare up to a few minutes. */
const HEALTH_ATTEMPTS = 60;
const HEALTH_WAIT_MS = 5000;
const RESPONSE_TIMEOUT_MS = 10_000;

/** Returns the health of a service through its public address: `ok`, `degraded`, or why there is none. */
export async function healthOf(
  { record, publicUrl }: Pick<Run, "record" | "publicUrl">,
  service: Service,
): Promise<string> {
  try {
    const response = await fetch(publicUrl(`${serviceUrl(record, service)}/api/v1/health`), {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const { status } = (await response.json()) as { status?: string };
    return response.ok ? (status ?? "no status") : `${status ?? "no status"} (${response.status})`;
  } catch (error) {
    return `no response (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Returns whether a service is healthy within five minutes. */
export async function isHealthy(run: Run, service: Service): Promise<boolean> {
  for (let attempt = 1; attempt <= HEALTH_ATTEMPTS; attempt += 1) {
    if ((await healthOf(run, service)) === "ok") return true;
    if (attempt < HEALTH_ATTEMPTS) await run.wait(HEALTH_WAIT_MS);
  }
  return false;
}

/** Waits until every service is healthy through its public address. */
export const checkHealth: Step = {
  title: "health",
  run: async (run) => {
    for (const service of services) {
      if (!(await isHealthy(run, service))) {
        const state = await healthOf(run, service);
        const command = `npx wrangler tail ${run.configs[service].name}`;
        throw new StepError(
          `${service} at ${serviceUrl(run.record, service)} reports ${state}. ${command} shows the invalid setting at the next request.`,
        );
      }
      run.say(`  ${serviceUrl(run.record, service)}: ok`);
    }
  },
};

/**
 * Requests a sign-in mail for the owner, which tests the way from identity through email to the provider, and prints a sign-in
 * link that works without mail. Does so only in a run that knows the operator key of identity.
 */
export const signOwnerIn: Step = {
  title: "test mail and sign-in link",
  run: async (run) => {
    const { record, publicUrl } = run;
    const url = serviceUrl(record, "identity");
    const key = run.secrets.identity?.OPERATOR_KEY;
    if (key === undefined) {
      run.say("  skipped: this run did not create the operator key. See First application in docs/deploy.md.");
      return;
    }
    const email = record.owner.trim().toLowerCase();
    const mail = await fetch(publicUrl(`${url}/api/v1/magic-link/request?company_id=1`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, redirect_to: `${record.origin}/` }),
    });
    if (!mail.ok)
      throw new StepError(`identity rejected a sign-in mail for the owner with ${mail.status}: ${await mail.text()}`);
    run.say("  a sign-in mail for the owner is on its way");
    const spec = managementCommands.identity.find(({ name }) => name === "create_sign_in_link");
    if (spec === undefined) throw new Error("identity has no command create_sign_in_link.");
    const target = { url: publicUrl(url), credential: key, isLoopback: false };
    const end = await callManagement(target, spec, { email, company: 1 }, {});
    if (end.kind !== "result") throw new StepError(end.line);
    run.say(`  ${end.line}`);
  },
};
