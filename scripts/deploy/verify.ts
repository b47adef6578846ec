import { callManagement } from "../../cli/management-call.ts";
import { managementCommands } from "../../schemas/management.ts";
import { type Service, services } from "../support/services.ts";
import { serviceUrl } from "./record.ts";
import { type Run, type Step, StepError } from "./run.ts";

/** A certificate for a new host takes Cloudflare up to a few minutes. */
const HEALTH_ATTEMPTS = 60;
const HEALTH_WAIT_MS = 5000;
const RESPONSE_TIMEOUT_MS = 10_000;

/** The header that sends a request to one of the versions between which the requests of a Worker are split. */
const OVERRIDES_HEADER = "cloudflare-workers-version-overrides";

/**
 * Returns the health of a service through its public address: `ok`, `degraded`, or why there is none. `version` asks that
 * version instead of the one that happens to answer.
 */
export async function healthOf(
  { record, configs, publicUrl }: Pick<Run, "record" | "configs" | "publicUrl">,
  service: Service,
  version?: string,
): Promise<string> {
  try {
    const response = await fetch(publicUrl(`${serviceUrl(record, service)}/api/v1/health`), {
      headers: version === undefined ? {} : { [OVERRIDES_HEADER]: `${configs[service].name}="${version}"` },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const { status } = (await response.json()) as { status?: string };
    return response.ok ? (status ?? "no status") : `${status ?? "no status"} (${response.status})`;
  } catch (error) {
    return `no response (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Returns the health of a service: `ok`, or what it still is after five minutes. */
export async function waitForHealth(run: Run, service: Service, version?: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    // A version that was just deployed gets its requests after a few seconds.
    if (attempt > 1 || version !== undefined) await run.wait(HEALTH_WAIT_MS);
    const state = await healthOf(run, service, version);
    if (state === "ok" || attempt === HEALTH_ATTEMPTS) return state;
  }
}

/** Waits until every service is healthy through its public address. */
export const checkHealth: Step = {
  title: "health",
  run: async (run) => {
    for (const service of services) {
      const state = await waitForHealth(run, service);
      if (state !== "ok") {
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
 * link that works without mail. Is part of the runs up to the first that completes.
 */
export const signOwnerIn: Step = {
  title: "test mail and sign-in link",
  run: async (run) => {
    const { record, publicUrl, configs, operatorKey } = run;
    if (record.release !== null) {
      run.say("  skipped: an earlier run was complete");
      return;
    }
    const url = serviceUrl(record, "identity");
    const email = record.owner.trim().toLowerCase();
    const mail = await fetch(publicUrl(`${url}/api/v1/magic-link/request?company_id=1`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, redirect_to: `${record.origin}/` }),
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    if (!mail.ok)
      throw new StepError(`identity rejected a sign-in mail for the owner with ${mail.status}: ${await mail.text()}`);
    run.say("  a sign-in mail for the owner is on its way");
    if (operatorKey === undefined) {
      run.say(
        "  no sign-in link: an earlier run stored the operator key, and this one has no copy of it. " +
          `Store another with: npx wrangler secret put OPERATOR_KEY --name ${configs.identity.name}`,
      );
      return;
    }
    const spec = managementCommands.identity.find(({ name }) => name === "create_sign_in_link");
    if (spec === undefined) throw new Error("identity has no command create_sign_in_link.");
    const target = { url: publicUrl(url), credential: operatorKey, isLoopback: false };
    const end = await callManagement(target, spec, { email, company: 1 }, {});
    if (end.kind !== "result") throw new StepError(end.line);
    run.say(`  ${end.line}`);
  },
};
