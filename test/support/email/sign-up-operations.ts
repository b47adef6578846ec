import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { randomToken } from "../../../workers/kit/crypto/random";
import type { Facts } from "../http/route-calls";
import { uniqueAddress } from "./messages";
import { storeNewsletter, storeSubscriber } from "./newsletter-rows";

const PATH = "/api/v1/public/newsletters";

/** Facts about the public routes of newsletters. */
export function signUpFacts(company: number): Record<string, Facts> {
  const known = {
    role: "open" as const,
    companyRow: async () => (await storeNewsletter(company)).public_key,
    foreign: null,
  };
  const list = { ...known, limitedRow: () => `nl_${randomToken(18)}` };
  const confirmation = {
    role: "open" as const,
    companyRow: () => storeConfirmation(company),
    foreign: null,
    limitedRow: () => randomToken(),
  };
  return {
    [`get ${PATH}/{public_key}`]: list,
    [`get ${PATH}/{public_key}/form`]: list,
    // Redirects to the page of any key without a read.
    [`get ${PATH}/{public_key}/subscribe`]: { ...known, answers: [302] },
    [`post ${PATH}/{public_key}/subscribe`]: {
      ...list,
      body: () => ({ email: uniqueAddress(), first_name: "Mina", language: "fr" }),
    },
    [`get ${PATH}/confirm/{token}`]: confirmation,
    [`post ${PATH}/confirm/{token}`]: confirmation,
  };
}

async function storeConfirmation(company: number): Promise<string> {
  const token = randomToken();
  await storeSubscriber(await storeNewsletter(company, { pending: 1 }), uniqueAddress(), {
    status: "pending",
    confirmed_at: null,
    token_hash: await sha256Hex(token),
    token_expires_at: Date.now() + 3_600_000,
  });
  return token;
}
