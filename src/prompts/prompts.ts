/** The questions that are asked, and nothing else of their package: the bundle leaves the rest out. */
export { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
