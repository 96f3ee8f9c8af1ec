import { senderIdCreate } from "./create.ts";
import { senderIdDelete } from "./delete.ts";
import { senderIdFetch } from "./fetch.ts";
import { senderIdList } from "./list.ts";
import { senderIdWait } from "./wait.ts";

/** The commands of `sendctl sender-id`, in help order. */
export const commands = [senderIdCreate, senderIdList, senderIdFetch, senderIdDelete, senderIdWait];
