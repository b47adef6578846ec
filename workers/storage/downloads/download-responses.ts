import { bytesSchema } from "../../../schemas/bytes";
import { media } from "../../kit/http/openapi/responses";

/** The responses of a download. */
export const downloadResponses = {
  200: { description: "The object", content: { "*/*": media(bytesSchema) } },
  206: { description: "A range of it", content: { "*/*": media(bytesSchema) } },
  304: { description: "The client's version is the current one" },
};
