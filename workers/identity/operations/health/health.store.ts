import { companies } from "../../../../db/identity/schema";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Selects from a table, so that a database without migrations is unhealthy. */
export const ping = statement({}, () => queryBuilder.select({ id: companies.id }).from(companies).limit(1));
