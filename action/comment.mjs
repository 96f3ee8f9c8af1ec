// Posts what a manifest would change as a comment of a pull request, for action.yml. A later run updates the comment.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { env, exit, stdout } from "node:process";

/** GitHub refuses longer comments, in characters. */
const longest = 65_536;

/** GitHub refuses summaries of 1 MiB or more, in bytes. The rest is for what is said of the cut. */
const longestSummary = 1024 * 1024 - 1000;

function fail(message, code = 1) {
  stdout.write(`::error::${message}\n`);
  exit(code);
}

/** Returns the result of `sendctl diff` in Markdown, and whether something differs. */
function diff(manifest) {
  for (const name of ["SENDCTL_BASE_URL", "SENDCTL_SECRET_KEY"]) {
    // Without both, sendctl would compare the manifest with an empty database of its own.
    if (!env[name]) fail(`${name} is not set, or the secret for it is not available to this job`);
  }
  const options = (env["DIFF_OPTIONS"] ?? "").split(/\s+/).filter((word) => word !== "");
  const args = ["diff", manifest, ...options, "-o", "markdown"];
  const { status, stdout, error } = spawnSync("sendctl", args, {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error !== undefined) fail(error.message);
  if (status !== 0 && status !== 12) fail(`sendctl diff failed (exit code ${status})`, status ?? 1);
  return { text: stdout, differs: status === 12 };
}

/** Returns a text as a summary: cut after a line if it is too long, which it then says. */
function summaryOf(text) {
  const bytes = Buffer.from(text);
  if (bytes.length <= longestSummary) return text;
  const lines = String(bytes.subarray(0, bytes.lastIndexOf("\n", longestSummary) + 1));
  return `${lines}\nCut here, because GitHub shows at most 1 MiB: \`sendctl diff\` prints the rest.\n`;
}

/** Sends a request to GitHub. Returns the body of the response. */
async function request(method, path, body) {
  const headers = {
    Accept: "application/vnd.github+json",
    Authorization: `Bearer ${env["GITHUB_TOKEN"]}`,
    "User-Agent": "setup-sendctl",
    "X-GitHub-Api-Version": "2022-11-28",
  };
  const address = `${env["GITHUB_API_URL"]}/repos/${env["GITHUB_REPOSITORY"]}${path}`;
  const options = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(address, { ...options, method, headers }).catch((error) =>
    fail(`GitHub cannot be reached: ${error.cause?.message ?? error.message}`),
  );
  if (response.ok) return response.json();
  const hint =
    response.status === 403 ? " (the job needs the permission pull-requests: write)" : "";
  return fail(`GitHub refused ${method} ${path} with HTTP ${response.status}${hint}`);
}

/** Returns the event that started the workflow. */
function readEvent() {
  try {
    return JSON.parse(readFileSync(env["GITHUB_EVENT_PATH"], "utf8"));
  } catch (error) {
    return fail(`GITHUB_EVENT_PATH cannot be read: ${error.message}`);
  }
}

/** Returns the comment that an earlier run made, if there is one. Comments of people are never changed. */
async function findComment(number, mark) {
  for (let page = 1; ; page += 1) {
    const comments = await request("GET", `/issues/${number}/comments?per_page=100&page=${page}`);
    const own = comments.find(({ user, body }) => user?.type === "Bot" && body?.startsWith(mark));
    if (own !== undefined || comments.length < 100) return own;
  }
}

const manifest = env["MANIFEST"];
const event = readEvent();
const number = event.pull_request?.number;
if (number === undefined) fail("the input comment works in jobs of the event pull_request");

const { text, differs } = diff(manifest);
appendFileSync(env["GITHUB_STEP_SUMMARY"], summaryOf(text));
appendFileSync(env["GITHUB_OUTPUT"], `differs=${differs}\n`);

// A name in a comment of HTML must not end it.
const mark = `<!-- setup-sendctl: ${encodeURIComponent(manifest).replaceAll("-", "%2D")} -->`;
const title = `\n**sendctl diff**\n\n`;
const whole = mark + title + text;
const short = `${mark}${title}The result is too long for a comment: it is in the summary of the job.\n`;
const body = whole.length > longest ? short : whole;

const existing = await findComment(number, mark);
if (existing !== undefined) {
  await request("PATCH", `/issues/comments/${existing.id}`, { body });
  stdout.write(`Updated ${existing.html_url}\n`);
} else if (differs) {
  const { html_url } = await request("POST", `/issues/${number}/comments`, { body });
  stdout.write(`Created ${html_url}\n`);
} else stdout.write("Nothing differs, and no earlier comment says otherwise\n");
