import { bytesSchema } from "../../../schemas/bytes";
import { media } from "../../kit/http/openapi/responses";

/** The responses of a download. */
export const downloadResponses = {
  200: { description: "The object", content: { "*/*": media(bytesSchema) } },
  206: { description: "A range of the object", content: { "*/*": media(bytesSchema) } },
  304: { description: "Unchanged since the client's version" },
};
