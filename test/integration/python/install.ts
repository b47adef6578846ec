// Installs the packages for the programs of this folder before a test run. A test run installs them itself when they are missing.
import { findInterpreter, requirements } from "../../support/python.ts";

await findInterpreter(requirements);
