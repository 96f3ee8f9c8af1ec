import { refuseChange, type Scope, type Settings } from "../../config/settings.ts";
import { isRead } from "../../contract/request.ts";
import type { Layer } from "./layer.ts";

/** Creates what refuses changes of what is read-only, and of what a command has not declared to change. */
export function createProtection(settings: Settings) {
  let declared: Scope | undefined;
  let isTrial = false;
  const requireDeclaration = (): void => {
    if (declared === undefined) throw new Error("the command does not declare what it changes");
  };
  /** @throws SendctlError "usage" if the service is read-only */
  const refuseServiceChange = (): void => {
    requireDeclaration();
    refuseChange(settings, "service");
  };
  const layer: Layer = async ({ method }, next) => {
    if (!isRead(method)) refuseServiceChange();
    return next();
  };
  return {
    layer,
    refuseServiceChange,
    requireDeclaration,
    /** Returns whether the command tries a change of the database. */
    isTrial: () => isTrial,
    /** Returns what the command has declared to change. */
    declared: () => declared,
    /**
     * Declares what the command changes.
     *
     * @param canTry whether the command tries a change of the database with `--dry-run`
     * @throws SendctlError "usage" if it is read-only
     */
    willChange: (scope: Scope, canTry = false): void => {
      isTrial = canTry && settings.dryRun;
      if (isTrial || (settings.dryRun && scope === "service")) return;
      refuseChange(settings, scope);
      declared = scope;
    },
  };
}
