"use strict";

/** Prints the first page of groups of a server as JSON: the least that a client does with node:http. */

const { get } = require("node:http");

const [, , port, key] = process.argv;
const headers = { Authorization: `Bearer ${key}` };
get({ host: "127.0.0.1", port, path: "/v1/group", headers }, (response) => {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (chunk) => (text += chunk));
  response.on("end", () => console.log(JSON.stringify(JSON.parse(text), null, 2)));
});
