declare module "pgpass" {
  interface Place {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string;
  }
  /** Looks up a password in ~/.pgpass, or the file that PGPASSFILE names. */
  export default function pgpass(place: Place, done: (password: string | undefined) => void): void;
}
