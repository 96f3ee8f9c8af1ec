import { profileDelete } from "./delete.ts";
import { profileList } from "./list.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { profileRename } from "./rename.ts";
import { profileSetBehaviour } from "./set-behaviour.ts";
import { profileShow } from "./show.ts";
import { profileUse } from "./use.ts";

/** The commands of `sendctl profile`, in the order of its help; `sendctl login` and `sendctl logout`. */
export const commands = [
  profileList,
  profileUse,
  profileShow,
  profileRename,
  profileSetBehaviour,
  profileDelete,
  login,
  logout,
];
