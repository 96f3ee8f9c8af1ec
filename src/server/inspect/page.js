// The page of --inspect. Every text is data: it only ever becomes textContent.

/** @param {string} selector @returns {any} */
const one = (selector) => document.querySelector(selector);

/** Creates an element. @param {string} tag @param {object} properties @param {(Node | string)[]} children */
function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

/** Calls the service. @returns {Promise<any>} what it responds; undefined for nothing */
async function call(method, path, body) {
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(path, { method, signal: AbortSignal.timeout(10_000), ...given });
  const text = await response.text();
  const parsed = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) throw new Error(parsed?.error?.message ?? `HTTP ${response.status}`);
  return parsed;
}

/** Creates a button. @param {string} label for screen readers @param {() => unknown} action */
function buttonOf(text, label, action, properties = {}) {
  const created = element("button", { textContent: text, ariaLabel: label, ...properties });
  created.addEventListener("click", () => attempt(action));
  return created;
}

/** Runs what a button does, and shows its error. */
async function attempt(action) {
  try {
    one("#problem").textContent = "";
    await action();
  } catch (error) {
    one("#problem").textContent = error.message;
  }
}

const state = await call("GET", "state");
one("#address").textContent = state.base_url;

// ── Requests

const pageLength = 200;
let requests = [];
let isPaused = false;
let shown = pageLength;
const filters = one("#filters");

/** Adds requests that are newer than those that are there. */
function add(further) {
  const newest = requests.at(-1)?.id ?? 0;
  const fresh = further.filter(({ id }) => id > newest);
  if (fresh.length === 0) return;
  requests = [...requests, ...fresh].slice(-10_000);
  if (!isPaused) draw();
}

const spaceForm = /("(?:[^"\\]+|\\.)*")|\s+/g;

/** Indents JSON, unless parsing would change it: long numbers, repeated fields and escapes are shown as they were sent. */
function indented(text) {
  try {
    const value = JSON.parse(text);
    const isExact = JSON.stringify(value) === text.replace(spaceForm, "$1");
    return isExact ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** Returns the texts of a request that the page shows, and the bodies without escapes of other forms, in lower case. */
function wordsOf(request) {
  const cells = [...rowOf(request).cells].map(({ textContent }) => textContent);
  const values = JSON.stringify([request.body, request.response]);
  const parts = Object.values(partsOf(request));
  return [...cells, titleOf(request), ...parts, values].join("\n").toLowerCase();
}

function isWanted(request) {
  const { text, status, operation } = Object.fromEntries(new FormData(filters));
  if (status === "-" ? request.status !== null : !String(request.status ?? "").startsWith(status)) {
    return false;
  }
  if (operation !== "" && request.operation !== operation) return false;
  if (text === "") return true;
  request.words ??= wordsOf(request);
  // In JSON, a quotation mark is escaped.
  return [text, JSON.stringify(text).slice(1, -1)].some((form) =>
    request.words.includes(form.toLowerCase()),
  );
}

const titleOf = ({ method, target }) => `${method} ${target}`;

function rowOf(request) {
  const { time, status, ms, operation, fault } = request;
  const cell = (text, className = "") => element("td", { textContent: text ?? "", className });
  const title = titleOf(request);
  const line = title.length > 200 ? `${title.slice(0, 200)}…` : title;
  const row = element(
    "tr",
    { tabIndex: 0 },
    cell(new Date(time).toLocaleTimeString()),
    cell(line, "long"),
    cell(status ?? "no response", `number ${status === null || status >= 400 ? "failed" : ""}`),
    cell(ms, "number"),
    cell(operation),
    cell(fault, "long"),
  );
  const open = () => showDetails(request);
  row.addEventListener("click", open);
  row.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Enter") {
      // Otherwise it would also press the first button of the dialog.
      event.preventDefault();
      open();
    }
    if (key === "ArrowDown") row.nextElementSibling?.focus();
    if (key === "ArrowUp") row.previousElementSibling?.focus();
  });
  return row;
}

function draw() {
  const wanted = requests.filter(isWanted).toReversed();
  one("#rows").replaceChildren(...wanted.slice(0, shown).map(rowOf));
  one("#more").hidden = wanted.length <= shown;
  const all = wanted.length === requests.length ? "" : ` of ${requests.length}`;
  one("#count").textContent = `${wanted.length}${all} requests${isPaused ? ", paused" : ""}`;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a request as a command line, with the key from the environment. */
function curlOf({ method, target, body_text: body, headers }) {
  const type = headers["content-type"];
  // Without a type, curl would send one of its own with a body.
  const typeHeader = type === undefined ? "Content-Type:" : `Content-Type: ${type}`;
  return [
    `curl -g -X ${method} ${quoted(state.base_url + target)}`,
    `-H "Authorization: Bearer $SENDCTL_SECRET_KEY"`,
    ...(type === undefined && body === "" ? [] : [`-H ${quoted(typeHeader)}`]),
    ...(body === "" ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" ");
}

/** The request whose details are shown. */
let chosen;

/** Returns the details of a request by their headings. */
function partsOf({ headers, body_text: body, response_text: response, ...request }) {
  const { status, ms, request_id: id } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    Request: `${status ?? "no response"} · ${ms} ms · ${id}`,
    Headers: lines.join("\n"),
    Body: indented(body) || "none",
    Response: indented(response) || "none",
  };
}

function showDetails(request) {
  one("#details-title").textContent = titleOf(request);
  one("#details-text").replaceChildren(
    ...Object.entries(partsOf(request)).flatMap(([name, text]) => [
      element("h3", { textContent: name }),
      element("pre", { textContent: text }),
    ]),
  );
  one("#copy").textContent = "Copy as curl";
  chosen = request;
  one("#details").showModal();
}

one("#copy").addEventListener("click", ({ target }) =>
  attempt(async () => {
    await navigator.clipboard.writeText(curlOf(chosen));
    target.textContent = "Copied";
  }),
);

filters.addEventListener("input", () => {
  shown = pageLength;
  draw();
});
filters.addEventListener("submit", (event) => event.preventDefault());
one("#more").addEventListener("click", () => {
  shown += pageLength;
  draw();
});
one("#pause").addEventListener("click", ({ target }) => {
  isPaused = !isPaused;
  target.textContent = isPaused ? "Go on" : "Pause";
  target.setAttribute("aria-pressed", String(isPaused));
  draw();
});
one("#clear").addEventListener("click", () =>
  attempt(async () => {
    await call("DELETE", "requests");
    forget();
  }),
);

function forget() {
  requests = [];
  draw();
}

// ── Sender IDs and groups

/** Returns a table. @param {string[]} heads @param {(string | number | Node)[][]} rows */
function tableOf(heads, rows) {
  if (rows.length === 0) return element("p", { textContent: "None" });
  const cellOf = (tag, cell) =>
    cell instanceof Node
      ? element(tag, {}, cell)
      : element(tag, { textContent: cell, className: `${cell}`.length > 20 ? "long" : "" });
  const line = (tag, cells) => element("tr", {}, ...cells.map((cell) => cellOf(tag, cell)));
  const head = element("thead", {}, line("th", heads));
  const table = element(
    "table",
    {},
    head,
    element("tbody", {}, ...rows.map((row) => line("td", row))),
  );
  const label = heads.join(", ");
  return element(
    "div",
    { className: "wide", tabIndex: 0, role: "region", ariaLabel: label },
    table,
  );
}

const verbs = { APPROVED: "Approve", REJECTED: "Reject", PENDING: "Back to pending" };

async function showSenderIds() {
  const senderIds = await call("GET", "sender-ids");
  const rows = senderIds.map(({ name, purpose, status }) => {
    const buttons = Object.entries(verbs).map(([wanted, verb]) => {
      const review = async () => {
        await call("POST", "review", { name, status: wanted });
        await showSenderIds();
      };
      return buttonOf(verb, `${verb}: ${name}`, review, { disabled: wanted === status });
    });
    return [name, purpose, status, element("div", { className: "bar" }, ...buttons)];
  });
  one("#sender-ids").replaceChildren(tableOf(["Name", "Purpose", "Status", "Review"], rows));
}

const yes = (flag) => (flag === null ? "–" : flag ? "yes" : "no");

let groupPage = 1;
const groupFilters = one("#group-filters");

async function showGroups() {
  const text = new FormData(groupFilters).get("text").toLowerCase();
  const all = await call("GET", "groups");
  const found = all.filter(({ name }) => name.toLowerCase().includes(text));
  const pages = Math.max(1, Math.ceil(found.length / 50));
  groupPage = Math.min(Math.max(groupPage, 1), pages);
  one("#page").textContent = `page ${groupPage} of ${pages}, ${found.length} groups`;
  one("#previous").disabled = groupPage === 1;
  one("#next").disabled = groupPage === pages;
  const rows = found
    .slice((groupPage - 1) * 50, groupPage * 50)
    .map(({ id, name, contacts_count: contacts, send_birthday, send_holiday }) => [
      id,
      name,
      contacts,
      yes(send_birthday),
      yes(send_holiday),
    ]);
  const heads = ["ID", "Name", "Contacts", "Birthday", "Holiday"];
  one("#group-list").replaceChildren(tableOf(heads, rows));
}

const turn = (step) => () => {
  groupPage += step;
  return attempt(showGroups);
};
one("#previous").addEventListener("click", turn(-1));
one("#next").addEventListener("click", turn(1));
groupFilters.addEventListener("input", turn(0));
groupFilters.addEventListener("submit", (event) => event.preventDefault());

// ── Faults

async function showFaults() {
  const faults = await call("GET", "faults");
  const rows = faults.map((fault, index) => [
    fault,
    buttonOf("Remove", `Remove ${fault}`, () => replaceFaults(faults.toSpliced(index, 1))),
  ]);
  const text = "Clear all faults";
  const clear = buttonOf(text, text, () => replaceFaults([]), { disabled: faults.length === 0 });
  one("#fault-list").replaceChildren(tableOf(["Fault", "Change"], rows), clear);
}

async function replaceFaults(faults) {
  await call("PUT", "faults", faults);
  await showFaults();
}

const options = (names) => names.map((name) => element("option", { textContent: name }));
one("#fault-fields").append(
  element(
    "label",
    {},
    "operation",
    element("select", { name: "operation" }, ...options(["*", ...state.operations])),
  ),
  ...Object.entries(state.fault_keys).map(([name, must]) =>
    element("label", {}, name, element("input", { name }), element("small", { textContent: must })),
  ),
);
filters.elements.operation.append(...options(state.operations));

one("#fault-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = new URLSearchParams(new FormData(event.target));
  const set = [...given].filter(([name, value]) => name !== "operation" && value !== "");
  const fault = `${given.get("operation")}:${set.map((pair) => pair.join("=")).join(",")}`;
  return attempt(async () => {
    await call("PUT", "faults", [...(await call("GET", "faults")), fault]);
    event.target.reset();
    await showFaults();
  });
});

// ── Views, reset and keys

const views = {
  requests: draw,
  "sender-ids": showSenderIds,
  groups: showGroups,
  faults: showFaults,
};
const tabs = [...document.querySelectorAll("[role=tab]")];

function select(tab) {
  for (const other of tabs) {
    const isChosen = other === tab;
    other.setAttribute("aria-selected", String(isChosen));
    other.tabIndex = isChosen ? 0 : -1;
    one(`#${other.getAttribute("aria-controls")}`).hidden = !isChosen;
  }
  return attempt(views[tab.getAttribute("aria-controls")]);
}
for (const [index, tab] of tabs.entries()) {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = tabs.at((index + step) % tabs.length);
    next.focus();
    void select(next);
  });
}
one("#reset").addEventListener("click", () => one("#reset-dialog").showModal());
one("#reset-dialog").addEventListener("close", ({ target }) => {
  if (target.returnValue !== "reset") return;
  target.returnValue = "";
  void attempt(async () => {
    await call("POST", "reset");
    forget();
    await select(tabs.find((tab) => tab.tabIndex === 0));
  });
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const search = one("[role=tabpanel]:not([hidden]) input[type=search]");
  if (search === null) return;
  event.preventDefault();
  search.focus();
});

// ── Following

const said = (text) => void (one("#state").textContent = text);

/**
 * Follows the requests. One page of a browser does so for all, because a browser opens six connections at most. It asks
 * every two seconds where the stream does not open. When it is closed, another page takes over.
 */
function follow() {
  const channel = new BroadcastChannel(location.pathname);
  const earlier = call("GET", "requests").then(add, () => {});
  const show = async ({ further, text }) => {
    await earlier;
    add(further);
    said(text);
  };
  channel.addEventListener("message", ({ data }) => show(data));
  const share = (further, text = "") => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a channel, not a window
    channel.postMessage({ further, text });
    return show({ further, text });
  };
  const lead = () => {
    let source;
    const connect = () => {
      source = new EventSource("events");
      source.addEventListener("message", ({ data }) => share(JSON.parse(data)));
      source.addEventListener("open", ask);
    };
    const ask = async () => {
      try {
        await share(await call("GET", "requests"));
        if (source.readyState === EventSource.CLOSED) connect();
      } catch {
        await share([], "The service does not respond; trying again every two seconds");
      }
    };
    connect();
    setInterval(() => source.readyState === EventSource.OPEN || ask(), 2000);
  };
  // A lock is held until the promise settles, or the page is closed.
  void navigator.locks.request(location.pathname, () => new Promise(lead));
}

await select(tabs[0]);
follow();
