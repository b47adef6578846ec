import { canonicalAddress, personalAddress } from "../../../../schemas/text/address";
import type { EmailKeys } from "../../keys";
import { hashAddress } from "../../records/seal/address";
import type { NewMessage } from "../acceptance/acceptance";

/** The hashes by which addresses are looked up and counted. */
export type People = {
  /** hashes of every address with each pepper, the current one first */
  hashes: ReadonlyMap<string, readonly string[]>;
  /** the hash of every address without its subaddress */
  persons: ReadonlyMap<string, string>;
};

/** Returns both hashes of an address. Each hash is "" when the address was not hashed. */
export const hashesOf = ({ hashes, persons }: People, email: string): NewMessage["hashes"] => ({
  address: hashes.get(email)?.[0] ?? "",
  person: persons.get(email) ?? "",
});

/** Hashes each address with every pepper. Also hashes the address without its subaddress, with the current pepper. */
export async function hashPeople(addresses: readonly string[], keys: Pick<EmailKeys, "peppers">): Promise<People> {
  const hashes = await hashAddresses([...new Set(addresses)], keys);
  return { hashes, persons: await hashPersons(hashes, keys) };
}

async function hashAddresses(
  addresses: string[],
  { peppers }: Pick<EmailKeys, "peppers">,
): Promise<Map<string, readonly string[]>> {
  const entries = await Promise.all(
    addresses.map(async (address): Promise<[string, string[]]> => {
      return [address, await Promise.all(peppers.map((pepper) => hashAddress(pepper, address)))];
    }),
  );
  return new Map(entries);
}

async function hashPersons(
  hashes: ReadonlyMap<string, readonly string[]>,
  { peppers: [pepper] }: Pick<EmailKeys, "peppers">,
): Promise<Map<string, string>> {
  if (pepper === undefined) throw new Error("no pepper is configured: set EMAIL_HASH_PEPPER");
  const entries = await Promise.all(
    [...hashes].map(async ([address, [hash = ""]]): Promise<[string, string]> => {
      const personal = personalAddress(address);
      return [address, personal === canonicalAddress(address) ? hash : await hashAddress(pepper, personal)];
    }),
  );
  return new Map(entries);
}
