interface Room {
  readonly lines: number;
  readonly imports: readonly string[];
  readonly importsTypesOf?: readonly string[];
}

export const rooms: Readonly<Record<string, Room>>;
export function problemOf(file: string, imported: string, isType: boolean): string | undefined;
export function picture(): string;
