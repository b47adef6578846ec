import type { AuditActor } from "../../../../db/kit/audit";
import { serviceClientInputSchema } from "../../../../schemas/email/intake/service-clients";
import { managementCommands } from "../../../../schemas/management";
import { changeEntry } from "../../../kit/audit/audit";
import { seal } from "../../../kit/crypto/seal";
import { parse } from "../../../kit/http/request/parse";
import { uuid } from "../../../kit/ids";
import { type FlagValues, withFlagErrors } from "../../../kit/management/flags";
import type { ManagementCommand } from "../../../kit/management/mount";
import { CommandRefusal, type CommandResult } from "../../../kit/management/stream";
import { invalid } from "../../../kit/problem";
import { generateSecret } from "../../../kit/webhooks/posting/signing-secret";
import { readTarget, resolverOf, type Target } from "../../../kit/webhooks/posting/target";
import type { EmailServices } from "../../services";
import { callbackAad } from "../webhooks/callback";
import { createServiceClient } from "./service-client";
import { findServiceClient, setCallback } from "./service-client.store";

type Run = ManagementCommand<EmailServices>["run"];
type KeyCommand = "create_service_key" | "issue_service_key";

const runs: Record<KeyCommand, Run> = {
  create_service_key: async (services, flags, _stream, actor) =>
    toResult(await createClient(services, flags, null, actor)),
  issue_service_key: async (services, flags, _stream, actor) => {
    const target =
      flags.callback_url === undefined ? null : await readCallbackUrl(services, String(flags.callback_url));
    if (flags.id === undefined || target === null) return toResult(await createClient(services, flags, target, actor));
    return toResult(await changeCallback(services, Number(flags.id), target, actor));
  },
};

const checks: Record<KeyCommand, (flags: FlagValues) => void> = {
  create_service_key: readInput,
  issue_service_key: (flags) => {
    if (flags.id === undefined) readInput(flags);
    // With an id, the command can only set the callback.
    else if (flags.callback_url === undefined) throw invalid({ "flags.callback_url": ["required"] });
  },
};

/** The commands that create service keys and set their callbacks. */
export const keyCommands: ManagementCommand<EmailServices>[] = managementCommands.email.flatMap((spec) =>
  isKeyCommand(spec.name) ? [{ spec, check: checks[spec.name], run: runs[spec.name] }] : [],
);

function isKeyCommand(name: string): name is KeyCommand {
  return Object.hasOwn(runs, name);
}

/** The output of a command. `key` and `callbackSecret` are shown only once. */
type Issued = { id: number; prefix: string; key?: string; callbackSecret?: string };

function toResult({ id, prefix, key, callbackSecret }: Issued): CommandResult {
  const lines = [
    `id=${id}`,
    `prefix=${prefix}`,
    ...(key === undefined ? [] : [key]),
    ...(callbackSecret === undefined ? [] : [`callback_secret=${callbackSecret}`]),
  ];
  return { summary: lines.join(" "), text: lines.join("\n"), counts: {}, runId: null };
}

/** Reads a callback URL. The URL must use https and a public address, even when the settings allow more for webhooks. */
async function readCallbackUrl({ webhooks }: EmailServices, text: string): Promise<Target> {
  const result = await readTarget(text, { allowPrivate: false, resolve: resolverOf(webhooks) });
  if (!result.ok) throw new CommandRefusal(`callback_url: ${result.code}`);
  if (result.target.isInsecure) throw new CommandRefusal("callback_url: https is required");
  return result.target;
}

async function createClient(
  services: EmailServices,
  flags: FlagValues,
  target: Target | null,
  actor: AuditActor,
): Promise<Issued> {
  const input = readInput(flags);
  const sealId = uuid();
  const callback = target && (await createCallback(services, sealId, target));
  const created = await createServiceClient(services, input, actor, callback && { sealId, ...callback });
  if (created === null) throw new CommandRefusal("the service has the highest allowed number of active keys");
  const { row, key } = created;
  return { id: row.id, prefix: row.key_prefix, key, ...(callback ? { callbackSecret: callback.secret } : {}) };
}

async function changeCallback(services: EmailServices, id: number, target: Target, actor: AuditActor): Promise<Issued> {
  const client = await services.platformDb.first(findServiceClient({ id }));
  if (client === null) throw new CommandRefusal("there is no such service client");
  const { columns, secret } = await createCallback(services, client.seal_id, target);
  const audit = {
    action: "service_client.callback_set",
    target: `service_client:${id}`,
    changes: { host: target.host },
  };
  const entry = changeEntry({ ...audit, actor, companyId: null, now: services.clock.now() });
  const isSet = await setCallback(services.platformDb, id, columns, entry);
  if (!isSet) throw new CommandRefusal("the service client is revoked");
  return { id, prefix: client.key_prefix, callbackSecret: secret };
}

async function createCallback(services: EmailServices, sealId: string, target: Target) {
  const secret = generateSecret();
  const { credentials } = await services.keys();
  const callback_secret_enc = await seal(secret, credentials, callbackAad(sealId));
  return { secret, columns: { callback_url: target.url, callback_host: target.host, callback_secret_enc } };
}

const FLAG_OF = { allowed_lanes: "lanes", allowed_template_prefixes: "prefixes", allowed_company_ids: "companies" };

/** Validates the flags by the schema of `POST /api/v1/service-clients`. Throws 400 with the names of the invalid flags. */
function readInput({ service, name, lanes, prefixes, companies }: FlagValues) {
  const list = (value: FlagValues[string] | undefined) =>
    value === undefined
      ? undefined
      : String(value)
          .split(",")
          .map((part) => part.trim());
  const input = {
    service,
    name,
    allowed_lanes: list(lanes),
    allowed_template_prefixes: list(prefixes),
    allowed_company_ids: list(companies)?.map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : id)),
  };
  return withFlagErrors(() => parse(serviceClientInputSchema, input), FLAG_OF);
}
