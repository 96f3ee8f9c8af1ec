import { isDay, isMonthDay } from "../../contract/calendar.ts";
import type { ContactColumn, ContactLine, ContactDiagnostic } from "../../contract/contacts.ts";
import type { PhoneCheck } from "./phone.ts";
import { firstNameControls, firstNameLength } from "../rulings.ts";
import type { StoredContact } from "../store.ts";

/** A contact as it is kept, or everything that is wrong with its line: ruling 27. */
export type LineCheck = (
  line: ContactLine,
) => { readonly contact: StoredContact } | { readonly faults: readonly ContactDiagnostic[] };

/**
 * @param columns what each cell of a line holds
 * @param today where the machine is, as 2026-01-31
 */
export function createLineCheck(
  columns: readonly ContactColumn[],
  phoneCheck: PhoneCheck,
  today: string,
): LineCheck {
  const [phoneAt, firstNameAt, birthDateAt] = (["phone", "first_name", "birth_date"] as const).map(
    (column) => columns.indexOf(column),
  ) as [number, number, number];

  return ({ line, cells }) => {
    if (cells.length !== columns.length) {
      const reason = `has ${counted(cells.length)}, and the header ${columns.length}`;
      return { faults: [{ line, field: null, reason }] };
    }
    const faults: ContactDiagnostic[] = [];
    const refuse = (field: ContactColumn, value: string, reason: string): void => {
      faults.push({
        line,
        field,
        reason: value === "" ? reason : `"${shortened(value)}" ${reason}`,
      });
    };
    const phone = cells[phoneAt]!.trim();
    const checked = phone === "" ? { fault: "is missing" } : phoneCheck(phone);
    if ("fault" in checked) refuse("phone", phone, checked.fault);

    const firstName = cells[firstNameAt]?.trim() ?? "";
    const nameFault = firstNameFault(firstName);
    if (nameFault !== undefined) refuse("first_name", firstName, nameFault);

    const birthDate = cells[birthDateAt]?.trim() ?? "";
    const dateFault = birthDateFault(birthDate, today);
    if (dateFault !== undefined) refuse("birth_date", birthDate, dateFault);

    if ("fault" in checked || faults.length > 0) return { faults };
    return {
      contact: {
        phone: checked.phone,
        firstName: firstName === "" ? null : firstName,
        birthDate: birthDate === "" ? null : birthDate,
      },
    };
  };
}

function counted(count: number): string {
  return count === 1 ? "1 column" : `${count} columns`;
}

const maxShownLength = 40;

function shortened(value: string): string {
  const characters = Array.from(value.slice(0, 2 * maxShownLength));
  const isLong = characters.length > maxShownLength || value.length > 2 * maxShownLength;
  return isLong ? `${characters.slice(0, maxShownLength - 1).join("")}…` : value;
}

function firstNameFault(name: string): string | undefined {
  const { max } = firstNameLength;
  if (name.length > max && (name.length > 2 * max || Array.from(name).length > max)) {
    return `has more than ${max} characters`;
  }
  return firstNameControls.test(name) ? "holds control characters" : undefined;
}

function birthDateFault(date: string, today: string): string | undefined {
  if (date === "") return undefined;
  const isYearless = date.startsWith("--");
  if (isYearless ? !isMonthDay(date.slice(2)) : !isDay(date)) {
    return "is no day: write YYYY-MM-DD, or --MM-DD without a year";
  }
  return !isYearless && date > today ? "is yet to come" : undefined;
}
