import { argv, stdout } from "node:process";
import { pathToFileURL } from "node:url";
import openapiTypescript, { astToString } from "openapi-typescript";

/** Prints the types of a client of an OpenAPI document: `node generate.mjs openapi.json > schema.d.ts`. */
stdout.write(astToString(await openapiTypescript(pathToFileURL(argv[2]))));
