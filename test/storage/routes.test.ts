import { storageErrors } from "../../schemas/storage/errors";
import { checkSiblingRoutes } from "../support/sibling/routes-suite";
import { storageFacts } from "../support/storage/operations";
import { storage } from "../support/storage/storage";

await checkSiblingRoutes(storage, storageErrors, storageFacts);
