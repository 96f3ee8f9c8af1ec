import { isDay, isMonthDay } from "../../core/time.ts";
import type {
  Contact,
  ContactColumn,
  ContactLine,
  ContactDiagnostic,
} from "../../contract/contacts.ts";
import type { PhoneCheck } from "./phone.ts";
import { maxFirstNameLength } from "../rules/rulings.ts";
import { control, cut } from "../../core/text.ts";

/** Parses a line into a contact to store, or returns all its errors (ruling 27). */
export type LineCheck = (
  line: ContactLine,
) => { readonly contact: Contact } | { readonly diagnostics: readonly ContactDiagnostic[] };

/**
 * Creates the parser for the lines of a file.
 *
 * @param columns of the file, in order
 * @param today local date, such as 2026-01-31
 */
export function createLineCheck(
  columns: readonly ContactColumn[],
  phoneCheck: PhoneCheck,
  today: string,
): LineCheck {
  const [phoneAt, firstNameAt, birthDateAt] = (["phone", "first_name", "birth_date"] as const).map(
    (column) => columns.indexOf(column),
  ) as [number, number, number];

  return ({ line, cells, problem }) => {
    if (problem !== undefined) return { diagnostics: [{ line, field: null, reason: problem }] };
    const diagnostics: ContactDiagnostic[] = [];
    const addError = (field: ContactColumn, value: string, reason: string): void => {
      diagnostics.push({
        line,
        field,
        reason: value === "" ? reason : `"${cut(value)}" ${reason}`,
      });
    };
    const phone = plainPhone(cells[phoneAt]!);
    const checked = phone === "" ? { error: "is missing" } : phoneCheck(phone);
    if ("error" in checked) addError("phone", phone, checked.error);

    const firstName = (cells[firstNameAt] ?? "").trim();
    const nameError = firstNameError(firstName);
    if (nameError !== undefined) addError("first_name", firstName, nameError);

    const birthDate = (cells[birthDateAt] ?? "").trim();
    const dateError = birthDateError(birthDate, today);
    if (dateError !== undefined) addError("birth_date", birthDate, dateError);

    if ("error" in checked || diagnostics.length > 0) return { diagnostics };
    return {
      contact: {
        phone: checked.phone,
        first_name: firstName === "" ? null : firstName,
        birth_date: birthDate === "" ? null : birthDate,
      },
    };
  };
}

/** Returns a number without invisible marks, as address books leave around it. */
function plainPhone(cell: string): string {
  return /^\+\d+$/.test(cell) ? cell : cell.replace(/\p{Cf}/gu, "").trim();
}

function firstNameError(name: string): string | undefined {
  const max = maxFirstNameLength;
  if (name.length > max && (name.length > 2 * max || Array.from(name).length > max)) {
    return `has more than ${max} characters`;
  }
  return control.test(name) ? "contains control characters" : undefined;
}

function birthDateError(date: string, today: string): string | undefined {
  if (date === "") return undefined;
  const isYearless = date.startsWith("--");
  if (isYearless ? !isMonthDay(date.slice(2)) : !isDay(date)) {
    return "is not a date: use YYYY-MM-DD, or --MM-DD without a year";
  }
  return !isYearless && date > today ? "is in the future" : undefined;
}
