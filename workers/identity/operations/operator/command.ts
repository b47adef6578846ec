import { companyBody } from "../../../../schemas/identity/company/companies";
import { managementCommands } from "../../../../schemas/management";
import { parse } from "../../../kit/http/request/parse";
import { type FlagValues, withFlagErrors } from "../../../kit/management/flags";
import type { ManagementCommand } from "../../../kit/management/mount";
import { CommandRefusal, type CommandResult } from "../../../kit/management/stream";
import { Problem } from "../../../kit/problem";
import { createCompany, operator, readOrigins } from "../../company/administration/new-company";
import type { IdentityServices } from "../../services";
import { makeSignInLink } from "./sign-in-link";
import { createSignInLink, createStaff, endLinks, type OperatorResult, removeStaff } from "./staff";

type Run = ManagementCommand<IdentityServices>["run"];
type IdentityCommand = "create_company" | "create_staff" | "set_staff" | "create_sign_in_link";

const text = (flags: FlagValues, name: string) => String(flags[name] ?? "");
const emailOf = (flags: FlagValues) => text(flags, "email");

const runs: Record<IdentityCommand, Run> = {
  create_company: async (services, flags) => toResult(await createFirst(services, flags)),
  create_staff: async (services, flags) => toResult(await createStaff(services, emailOf(flags), Number(flags.company))),
  create_sign_in_link: async (services, flags) =>
    toResult(await createSignInLink(services, emailOf(flags), Number(flags.company))),
  set_staff: async (services, flags) => {
    const userId = await removeStaff(services, emailOf(flags));
    return { summary: `user_id=${userId} staff=false`, counts: {}, runId: null };
  },
};

/** The commands of `POST /api/v1/management/{command}`, except the job commands. */
export const commands: ManagementCommand<IdentityServices>[] = managementCommands.identity.flatMap((spec) =>
  isIdentityCommand(spec.name)
    ? [{ spec, run: runs[spec.name], ...(spec.name === "create_company" ? { check: checkCompany } : {}) }]
    : [],
);

function isIdentityCommand(name: string): name is IdentityCommand {
  return Object.hasOwn(runs, name);
}

function toResult({ companyId, userId, link }: OperatorResult): CommandResult {
  return { summary: `company_id=${companyId} user_id=${userId ?? "-"} link=${link}`, counts: {}, runId: null };
}

const FLAG_OF = { owner_emails: "owner_email", redirect_origins: "redirect_origin" };

function checkCompany(flags: FlagValues, { settings }: IdentityServices): void {
  const { redirect_origins: origins } = readCompany(flags);
  withFlagErrors(() => readOrigins(origins, settings.debug), FLAG_OF);
}

/** Validates the flags by the rules of `POST /api/v1/companies`. Throws 400 with the name of the invalid flag. */
function readCompany({ name, owner_email, redirect_origin }: FlagValues) {
  const input = { name, owner_emails: [owner_email], redirect_origins: [redirect_origin] };
  return withFlagErrors(() => parse(companyBody, input), FLAG_OF);
}

/** Creates a company with its owner and first redirect origin, and a sign-in link for the owner. */
async function createFirst(services: IdentityServices, flags: FlagValues): Promise<OperatorResult> {
  const email = text(flags, "owner_email");
  try {
    const company = await createCompany(services, readCompany(flags), operator);
    await endLinks(services, email);
    const link = await makeSignInLink(services, email, company.id);
    return { companyId: company.id, userId: company.owners[0] ?? null, link };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const fields = Object.entries(error.options.field_errors ?? {}).map(
      ([name, codes]) => `${name} ${codes.join(" ")}`,
    );
    throw new CommandRefusal(fields.join(", ") || error.code);
  }
}
