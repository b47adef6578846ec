import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { Page } from "playwright-core";
import { addressOf, personalHash } from "./web3.ts";

type Call = { method: string; params?: unknown };
export type Wallet = {
  address: string;
  /** the messages that the wallet has signed */
  signed: string[];
  /** the request function of EIP-1193; throws the errors of wallets */
  request: (call: Call) => Promise<unknown>;
};

/** The grammar of EIP-4361 with its required fields. Wallets warn about, or reject, messages that only resemble it. */
const grammar =
  /^(?<domain>[^\s/]+) wants you to sign in with your Ethereum account:\n(?<address>0x[0-9a-fA-F]{40})\n\n(?:[ -~]+\n)?\nURI: (?<uri>\S+)\nVersion: 1\nChain ID: [1-9]\d*\nNonce: [a-zA-Z0-9]{8,}\nIssued At: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

const wrong = (code: number, message: string) => Object.assign(new Error(message), { code });

/**
 * Creates a wallet with its own key, which creates real signatures. It signs only sign-in messages of the site `host`.
 * With `refuses`, the user rejects each request.
 */
export function createWallet({ host, refuses = false }: { host: string; refuses?: boolean }): Wallet {
  const key = secp256k1.utils.randomSecretKey();
  const address = addressOf(secp256k1.getPublicKey(key, false));
  const signed: string[] = [];
  const sign = (hex: unknown, signer: unknown) => {
    const message = Buffer.from(String(hex).replace(/^0x/, ""), "hex").toString();
    const fields = grammar.exec(message)?.groups;
    if (fields === undefined) throw wrong(-32_602, `this is no sign-in: ${JSON.stringify(message)}`);
    if (fields.domain !== host || new URL(fields.uri ?? "").host !== host) throw wrong(-32_602, "a sign-in elsewhere");
    if (fields.address !== address || signer !== address) throw wrong(4100, "another account");
    signed.push(message);
    const [recovery = 0, ...rest] = secp256k1.sign(personalHash(message), key, { prehash: false, format: "recovered" });
    return `0x${Buffer.from([...rest, 27 + recovery]).toString("hex")}`;
  };
  return {
    address,
    signed,
    async request({ method, params }) {
      if (refuses && method !== "eth_chainId") throw wrong(4001, "User rejected the request.");
      const args = Array.isArray(params) ? params : [];
      if (method === "eth_requestAccounts") return [address];
      if (method === "eth_chainId") return "0x1";
      if (method === "personal_sign") return sign(args[0], args[1]);
      throw wrong(4200, `${method} is not supported`);
    },
  };
}

/** How pages find a wallet: as `window.ethereum`, or by an announcement (EIP-6963). */
export type Injection = "window" | "announcement";

/** Adds a wallet to every page opened afterwards. Its key stays outside of the page. */
export async function injectWallet(page: Page, wallet: Wallet, injection: Injection): Promise<void> {
  await page.exposeFunction("askWallet", async (call: Call) => {
    try {
      return { result: await wallet.request(call) };
    } catch (error) {
      return { error: { code: (error as { code?: number }).code, message: String(error) } };
    }
  });
  await page.addInitScript((mode: Injection) => {
    type Answer = { result?: unknown; error?: { code: number; message: string } };
    const { askWallet } = window as unknown as { askWallet: (call: unknown) => Promise<Answer> };
    const provider = {
      request: async (call: unknown) => {
        const { result, error } = await askWallet(call);
        if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
    };
    if (mode === "window") Object.assign(window, { ethereum: provider });
    else
      addEventListener("eip6963:requestProvider", () => {
        const info = { uuid: crypto.randomUUID(), name: "Wallet of a test", icon: "data:,", rdns: "example.wallet" };
        const detail = Object.freeze({ info: Object.freeze(info), provider });
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      });
  }, injection);
}
