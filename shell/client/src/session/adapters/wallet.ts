import { randomText, serviceError } from "../service-error.ts";

type Wallet = { request: (call: { method: string; params?: unknown[] }) => Promise<unknown> };

/** Returns the browser's wallet: `window.ethereum`, else the first wallet that is announced by EIP-6963. */
function findWallet(): Wallet | undefined {
  const announced: Wallet[] = [];
  const onAnnounce = (event: Event) => {
    const { provider } = (event as CustomEvent<{ provider?: Wallet } | null>).detail ?? {};
    if (provider !== undefined) announced.push(provider);
  };
  addEventListener("eip6963:announceProvider", onAnnounce);
  dispatchEvent(new Event("eip6963:requestProvider"));
  removeEventListener("eip6963:announceProvider", onAnnounce);
  return (window as { ethereum?: Wallet }).ethereum ?? announced[0];
}

/** Asks the wallet to sign a sign-in message (EIP-4361). Throws `wallet_missing` or `wallet_denied`. */
export async function signWithWallet(): Promise<{ message: string; signature: string }> {
  const wallet = findWallet();
  if (wallet === undefined) throw serviceError("wallet_missing");
  const requestWallet = (method: string, params?: unknown[]) =>
    wallet.request({ method, ...(params && { params }) }).catch(() => {
      throw serviceError("wallet_denied");
    });
  const accounts = await requestWallet("eth_requestAccounts");
  const address: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof address !== "string") throw serviceError("wallet_denied");
  const chain = Number(await requestWallet("eth_chainId"));
  const { host, origin } = location;
  const message = [
    `${host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    // The statement is empty. Wallets accept only this format as a sign-in, and compare its host with the page.
    "",
    `URI: ${origin}/login`,
    "Version: 1",
    `Chain ID: ${chain}`,
    `Nonce: ${randomText(12).replace(/[-_]/g, "0")}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join("\n");
  const hex = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { message, signature: String(await requestWallet("personal_sign", [`0x${hex}`, address])) };
}
