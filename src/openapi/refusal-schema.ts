import type { Behaviour } from "../contract/behaviour.ts";
import type { Schema } from "./field-schema.ts";

const why = "Why it was refused.";
const message: Schema = { type: "string", description: why, examples: ["The request is invalid"] };
const isRefused: Schema = { const: false, description: "False: the request was refused." };

const errors: Schema = {
  type: "object",
  description: "What is wrong with each invalid field, by its name.",
  additionalProperties: { type: "array", items: { type: "string" } },
  examples: [{ name: ["is required"] }],
};

interface Form {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** The fields of a refused request by `error_body`: ruling 2. */
const forms: Readonly<Record<Behaviour["error_body"], Form>> = {
  envelope: {
    properties: {
      status: isRefused,
      message,
      data: { type: "null", description: "A refused request returns no data." },
      errors,
    },
    required: ["status", "message", "data"],
  },
  message: { properties: { message }, required: ["message"] },
  errors_by_field: { properties: { message, errors }, required: ["message"] },
  error: { properties: { error: message }, required: ["error"] },
  error_message: {
    properties: {
      error: {
        type: "object",
        description: why,
        properties: { message },
        required: ["message"],
        additionalProperties: false,
      },
    },
    required: ["error"],
  },
  problem: {
    properties: {
      type: { const: "about:blank", description: "The status says what kind of problem it is." },
      status: { type: "integer", description: "The HTTP status.", examples: [422] },
      detail: message,
      errors,
    },
    required: ["type", "status", "detail"],
  },
};

/** Returns the schema of the body of a refused request. */
export function refusalSchema({ error_body, error_status }: Behaviour): Schema {
  const { properties, required } = forms[error_body];
  const isAlways200 = error_status === "always_200";
  const description =
    error_body === "envelope" ? "The envelope of a refused request." : "A refused request.";
  return {
    type: "object",
    description,
    properties: isAlways200 ? { ...properties, status: isRefused } : properties,
    required: isAlways200 ? [...new Set(["status", ...required])] : required,
    additionalProperties: false,
  };
}
