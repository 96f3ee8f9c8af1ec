/** Days as ISO 8601 has them: `2026-01-31`, in the Gregorian calendar, from year 1 to 9999. */

const dayForm = /^(\d{4})-(\d\d)-(\d\d)$/;

/** The last day that can be written so. */
export const lastDay = "9999-12-31";

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** True for a day that there is, was or will be. */
export function isDay(text: string): boolean {
  const [, year, month, day] = dayForm.exec(text) ?? [];
  if (year === undefined || Number(year) < 1) return false;
  return Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
}

/** None in a month that there is not. */
function daysIn(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  if (month < 1 || month > 12) return 0;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** True for a day of the year, `02-29` among them. */
export function isMonthDay(text: string): boolean {
  return isDay(`2000-${text}`);
}

/** So many days later; undefined after `lastDay`. */
export function daysLater(day: string, count: number): string | undefined {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  const text = date.toISOString().slice(0, 10);
  return isDay(text) ? text : undefined;
}

/** Where the machine is. @param milliseconds since 1970 */
export function localDay(milliseconds: number): string {
  const date = new Date(milliseconds);
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return [String(date.getFullYear()).padStart(4, "0"), ...parts].join("-");
}
