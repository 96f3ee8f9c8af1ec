/** The questions that are asked, and nothing else of their package: the bundle leaves the rest out. */
export { confirm, input, password, search, select } from "@inquirer/prompts";
