import { canonicalAddress, personalAddress } from "../../../../schemas/address";
import type { EmailKeys } from "../../keys";
import { hashAddress, readAddress } from "../../records/seal/address";

/** What addresses are looked up and counted by. */
export type People = {
  /** hashes by each pepper, the present one first, of every readable address */
  hashes: ReadonlyMap<string, readonly string[]>;
  /** the hash of the personal address of every readable address */
  persons: ReadonlyMap<string, string>;
};

/** The people behind those texts of a caller that are addresses. */
export async function findPeople(texts: readonly unknown[], keys: Pick<EmailKeys, "peppers">): Promise<People> {
  const addresses = texts.flatMap((text) => (typeof text === "string" ? (readAddress(text) ?? []) : []));
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
