import { isTimeZone } from "../../../kit/time";

/**
 * Returns the time zone of a recipient in the form of the email service. Returns {} when the user has chosen none, or a text that
 * is no time zone: preferences accept any text, and the email service would reject the whole mail.
 */
export const timeZoneOf = (region: string | null): { time_zone?: string } =>
  region !== null && isTimeZone(region) ? { time_zone: region } : {};
