import type { ReadsFor } from "../../http/call";
import type { WebhookCaller, WebhooksServices } from "../api";
import { limitMutation } from "./access";

/** Where the API of webhooks is. */
export const API_PREFIX = "/api/v1/actions";

/** The company that a call is about: one of an owner always has one. */
export const companyOf = ({ companyId }: ReadsFor): number => companyId ?? 0;

/** A mutation counts on its user before its row is looked up. */
export const countMutation = ({ services, caller }: { services: WebhooksServices; caller: WebhookCaller }) =>
  limitMutation(services, caller);
