/** What src/output/table/table.ts replaces in cli-table3, which describes its main module only. */
declare module "cli-table3/src/utils.js" {
  interface Measures {
    strlen: (text: string) => number;
    truncate: (text: string, width: number, ellipsis: string) => string;
    pad: (text: string, width: number, filler: string, align: string) => string;
  }
  const measures: Measures;
  export default measures;
}
