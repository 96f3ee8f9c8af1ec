/** Records with all fields in the order of "The interface" in docs/behaviour.md. */

const created_at = "a time";

export function senderId(id: number, name: string, purpose = "Alerts") {
  return { id, name, purpose, status: "PENDING", created_at };
}

interface GroupSettings {
  readonly send_birthday?: boolean;
  readonly send_holiday?: boolean | null;
  readonly birthday_message?: string | null;
}

function settingsOf(id: number, name: string, settings: GroupSettings) {
  const { send_birthday = false, send_holiday = null, birthday_message = null } = settings;
  return { id, uuid: `uuid:${id}`, name, send_birthday, send_holiday, birthday_message };
}

/** A group as create, fetch and update return it. The defaults are those of ruling 9. */
export function group(id: number, name: string, settings: GroupSettings = {}) {
  return { ...settingsOf(id, name, settings), created_at };
}

/** A group as lists return it. */
export function listedGroup(id: number, name: string, settings: GroupSettings = {}) {
  return { ...settingsOf(id, name, settings), contacts_count: 0, created_at };
}

/** A page (default: the only one). */
export function page(
  data: readonly unknown[],
  of: { page?: number; last?: number; perPage?: number; total?: number } = {},
) {
  return {
    data,
    current_page: of.page ?? 1,
    last_page: of.last ?? 1,
    per_page: of.perPage ?? 15,
    total: of.total ?? data.length,
  };
}
