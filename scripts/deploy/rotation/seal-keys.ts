import { type Service, services } from "../../support/services.ts";

type SealKey = { service: Service; name: string; previous: string; isList: boolean };

const actionsKey = { name: "ACTIONS_ENCRYPTION_KEY", previous: "ACTIONS_ENCRYPTION_PREVIOUS_KEYS", isList: true };

/** The keys that seal or sign stored values, with the setting that keeps the previous ones. */
export const sealKeys: readonly SealKey[] = [
  { service: "identity", name: "SECRET_KEY", previous: "SECRET_KEY_PREVIOUS", isList: false },
  { service: "email", name: "EMAIL_VARIABLES_KEY", previous: "EMAIL_VARIABLES_PREVIOUS_KEYS", isList: true },
  { service: "email", name: "EMAIL_CREDENTIALS_KEY", previous: "EMAIL_CREDENTIALS_PREVIOUS_KEYS", isList: true },
  { service: "storage", name: "STORAGE_SIGNING_KEY", previous: "STORAGE_SIGNING_PREVIOUS_KEY", isList: false },
  ...services.map((service) => ({ service, ...actionsKey })),
];

/** Returns the names of the secrets with the previous keys of a service. */
export const previousNames = (service: Service): string[] => [
  ...sealKeys.filter((key) => key.service === service).map(({ previous }) => previous),
  ...(service === "email" ? ["EMAIL_HASH_PEPPER_PREVIOUS"] : []),
  ...(service === "identity" ? ["JWT_PREVIOUS_PUBLIC_KEY"] : []),
];
