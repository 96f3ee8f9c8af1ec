import { defineCommand, optional } from "../../../cli/define-command.ts";
import { required } from "../../arguments.ts";

export const localKeyRevoke = defineCommand({
  path: "local key revoke",
  summary: "Revoke a key",
  description: "Revoke a key. The next request with it is refused.",
  args: { id: optional("its id, as `sendctl local key list` shows it") },
  examples: ["sendctl local key revoke 1"],
  async run({ local, output, ask }, given) {
    const id = await required(ask, given.id, "ID", "Id of the key");
    const { administration } = await local.engine();
    return output.done(await administration.revokeKey(id));
  },
});
