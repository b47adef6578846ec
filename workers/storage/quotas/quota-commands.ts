import { managementCommands } from "../../../schemas/management";
import { auditCommands } from "../../kit/audit/command-audit";
import type { FlagValues } from "../../kit/management/flags";
import type { CommandCaller, ManagementCommand } from "../../kit/management/mount";
import type { CommandResult } from "../../kit/management/stream";
import { invalid } from "../../kit/problem";
import { readSize } from "../../kit/settings/setting-types";
import { SECOND_MS } from "../../kit/time";
import { findCompany, requireCompany } from "../companies/company";
import type { StorageServices } from "../services";
import { setCompanyQuota, setUserQuota } from "./quota";
import {
  addOwners,
  compareCompany,
  countWrongUsers,
  findNextCompany,
  recountCompany,
  recountUsers,
} from "./quota.store";

/** Returns the bytes in a flag, null for `none`, or undefined if the flag is missing. Throws 400 `flags.{name}: [invalid]`. */
function readBytes(flags: FlagValues, name: string): number | null | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const bytes = readSize(String(text));
  if (bytes === null) throw invalid({ [`flags.${name}`]: ["invalid"] });
  return bytes;
}

/** Reads the flags of `set_quota`. For a user, `default` removes their own cap, and `none` is stored as 0. */
function readCaps(flags: FlagValues) {
  const user = flags.user === undefined ? null : Number(flags.user);
  const isDefault = flags.max_bytes === "default";
  if (isDefault && user === null) throw invalid({ "flags.max_bytes": ["invalid"] });
  const maxBytes = isDefault ? null : readBytes(flags, "max_bytes");
  const perUser = readBytes(flags, "max_bytes_per_user");
  if (user !== null && perUser !== undefined) throw invalid({ "flags.max_bytes_per_user": ["invalid"] });
  if (maxBytes === undefined && (user !== null || perUser === undefined))
    throw invalid({ "flags.max_bytes": ["required"] });
  return { user, maxBytes, perUser, userCap: isDefault ? null : (maxBytes ?? 0) };
}

async function setQuota(
  services: StorageServices,
  flags: FlagValues,
  { kind, userId }: CommandCaller,
): Promise<CommandResult> {
  const companyId = Number(flags.company);
  const { user, maxBytes, perUser, userCap } = readCaps(flags);
  const admin = { kind, userId, email: null };
  if (user !== null) {
    const row = await setUserQuota(services, companyId, admin, { userId: user, maxBytes: userCap });
    const cap = row?.max_bytes ?? "default";
    return toResult(
      `company=${companyId} user=${user} max_bytes=${cap === 0 ? "none" : cap} used_bytes=${row?.used_bytes ?? 0}`,
    );
  }
  const row = await setCompanyQuota(services, companyId, admin, { maxBytes, maxBytesPerUser: perUser });
  const resultTexts = [
    `company=${companyId}`,
    `max_bytes=${row?.max_bytes ?? "none"}`,
    `max_bytes_per_user=${row?.max_bytes_per_user ?? "none"}`,
    `used_bytes=${row?.used_bytes ?? 0}`,
  ];
  return toResult(resultTexts.join(" "));
}

const toResult = (summary: string): CommandResult => ({ summary, counts: {}, runId: null });

/** Recounts companies one after another, each in one batch, so that no object of the company changes during its count. */
async function recount(services: StorageServices, flags: FlagValues): Promise<CommandResult> {
  const { platformDb, clock } = services;
  const until = clock.now() + Number(flags.max_seconds) * SECOND_MS;
  const onlyCompanyId = flags.company_id === undefined ? null : Number(flags.company_id);
  const isDry = flags.dry_run === true;
  const counts = { companies: 0, corrected: 0, bytes_delta: 0 };
  let after = onlyCompanyId === null ? Number(flags.after) : onlyCompanyId - 1;
  let complete = false;
  while (!complete && clock.now() < until) {
    const next = await platformDb.first(findNextCompany({ after }));
    if (next === null || (onlyCompanyId !== null && next.company_id !== onlyCompanyId)) {
      // A company without a row is valid if identity knows it. Otherwise this throws 404.
      if (onlyCompanyId !== null) await requireCompany(services, onlyCompanyId);
      complete = true;
      continue;
    }
    const companyId = next.company_id;
    const { isCorrected, delta } = await recountOne(services, companyId, isDry);
    counts.companies += 1;
    counts.corrected += isCorrected ? 1 : 0;
    counts.bytes_delta += delta;
    after = companyId;
    complete = onlyCompanyId !== null;
  }
  const countTexts = Object.entries(counts).map(([name, count]) => `${name}=${count}`);
  return {
    summary: `${isDry ? "would recount " : ""}${countTexts.join(" ")}`,
    counts: { ...counts, complete },
    runId: null,
    ...(complete ? {} : { next: String(after) }),
  };
}

/** Recounts a company. Returns whether the counters of the company or of its users were wrong, and the difference in bytes. */
async function recountOne({ dbOf }: StorageServices, companyId: number, isDry: boolean) {
  const db = dbOf(companyId);
  if (isDry) {
    const results = await db.batch({ company: compareCompany({ companyId }), users: countWrongUsers({ companyId }) });
    const row = results.company.first;
    const isWrong = row !== null && (row.used_bytes !== row.bytes || row.object_count !== row.objects);
    const delta = row === null ? 0 : row.bytes - row.used_bytes;
    return { isCorrected: isWrong || (results.users.first?.users ?? 0) > 0, delta };
  }
  const { before, company, users } = await db.batch({
    before: findCompany({ companyId }),
    owners: addOwners({ companyId }),
    company: recountCompany({ companyId }),
    users: recountUsers({ companyId }),
  });
  const corrected = company.first;
  const delta = corrected === null ? 0 : corrected.used_bytes - (before.first?.used_bytes ?? 0);
  return { isCorrected: corrected !== null || users.changes > 0, delta };
}

/**
 * The quota commands. `set_quota` inserts its audit entry in the batch of the change. The command runner inserts the entry of
 * `recount_quota`.
 */
export const quotaCommands: ManagementCommand<StorageServices>[] = managementCommands.storage.flatMap((spec) => {
  if (spec.name === "set_quota") {
    const run: ManagementCommand<StorageServices>["run"] = (services, flags, _stream, caller) =>
      setQuota(services, flags, caller);
    return [{ spec, check: (flags) => void readCaps(flags), run }];
  }
  if (spec.name !== "recount_quota") return [];
  return auditCommands<StorageServices>([{ spec, run: (services, flags) => recount(services, flags) }]);
});
