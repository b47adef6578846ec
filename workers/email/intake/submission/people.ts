import { canonicalAddress, personalAddress } from "../../../../schemas/text/address";
import type { EmailKeys } from "../../keys";
import { hashAddress } from "../../records/seal/address";
import type { NewMessage } from "../acceptance/acceptance";

/** What addresses are looked up and counted by. */
export type People = {
  /** hashes by each pepper, the present one first, of every address */
  hashes: ReadonlyMap<string, readonly string[]>;
  /** the hash of the personal address of every address */
  persons: ReadonlyMap<string, string>;
};

/** The hashes of an address that people were found for; "" for any other. */
export const hashesOf = ({ hashes, persons }: People, email: string): NewMessage["hashes"] => ({
  address: hashes.get(email)?.[0] ?? "",
  person: persons.get(email) ?? "",
});

/** The people behind addresses. */
export async function findPeople(addresses: readonly string[], keys: Pick<EmailKeys, "peppers">): Promise<People> {
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
  if (pepper === undefined) throw new Error("there is no pepper");
  const entries = await Promise.all(
    [...hashes].map(async ([address, [hash = ""]]): Promise<[string, string]> => {
      const personal = personalAddress(address);
      return [address, personal === canonicalAddress(address) ? hash : await hashAddress(pepper, personal)];
    }),
  );
  return new Map(entries);
}
