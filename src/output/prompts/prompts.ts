/** Only the prompts in use, so that the bundle omits the rest of their package. */
export { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
