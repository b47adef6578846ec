import type { ReadInput } from "../../http/call";
import type { WebhookCaller, WebhooksServices } from "../api";
import { limitMutation } from "./access";

/** Path prefix of the webhooks API. */
export const API_PREFIX = "/api/v1/actions";

/** Returns the company of an owner's call; such a call always has one. */
export const companyOf = ({ companyId }: ReadInput): number => companyId ?? 0;

/** Counts a mutation against the user's limit. Runs before the row is looked up. */
export const countMutation = ({ services, caller }: { services: WebhooksServices; caller: WebhookCaller }) =>
  limitMutation(services, caller);
