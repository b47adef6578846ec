import { checkManagement } from "../support/sibling/management-suite";
import { storage } from "../support/storage/storage";

await checkManagement(storage);
