import { randomText, refusal } from "../refusal.ts";

type Wallet = { request: (call: { method: string; params?: unknown[] }) => Promise<unknown> };

const injected = () => (window as { ethereum?: Wallet }).ethereum;

/** Lets the wallet of the browser sign that its holder signs in here (EIP-4361). */
export async function signWithWallet(): Promise<{ message: string; signature: string }> {
  const wallet = injected();
  if (wallet === undefined) throw refusal("wallet_missing");
  const ask = (method: string, params?: unknown[]) =>
    wallet.request({ method, ...(params && { params }) }).catch(() => {
      throw refusal("oauth_provider_denied");
    });
  const [address] = (await ask("eth_requestAccounts")) as string[];
  if (address === undefined) throw refusal("oauth_provider_denied");
  const chain = Number(await ask("eth_chainId"));
  const { host, origin } = location;
  const message = [
    `${host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    `URI: ${origin}/login`,
    "Version: 1",
    `Chain ID: ${chain}`,
    `Nonce: ${randomText(12).replace(/[-_]/g, "0")}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join("\n");
  const hex = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { message, signature: String(await ask("personal_sign", [`0x${hex}`, address])) };
}
