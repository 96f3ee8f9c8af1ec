import { groupCreate } from "./create.ts";
import { groupDelete } from "./delete.ts";
import { groupFetch } from "./fetch.ts";
import { groupList } from "./list.ts";
import { groupPreview } from "./preview.ts";
import { groupUpdate } from "./update.ts";

/** The commands of `sendctl group`, in help order. */
export const commands = [
  groupCreate,
  groupList,
  groupFetch,
  groupUpdate,
  groupDelete,
  groupPreview,
];
