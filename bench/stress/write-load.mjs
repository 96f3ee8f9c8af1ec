/**
 * Writers that each have their own records, so that the expected content of the database is known: all acknowledged
 * writes and, of the one write without a response, everything or nothing.
 */

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates the book that all writers share: all ids that were assigned, counts, and problems. */
export function createBook() {
  return {
    writers: [],
    assigned: { group: new Set(), "sender-id": new Set() },
    counts: { acknowledged: 0, "in flight": 0, carriedOut: 0, busy: 0, lost: 0 },
    /** @type {string[]} */
    problems: [],
  };
}

/** @param send carries out a write and returns its outcome: done with data, busy, refused, or lost */
export function addWriter(book, name, seed, send) {
  const writer = {
    name,
    send,
    random: randomFrom(seed),
    records: { group: new Map(), "sender-id": new Map() },
    pending: undefined,
    newest: "",
    number: 0,
  };
  book.writers.push(writer);
  return writer;
}

/** Writes until `isOver` returns true or a write has no response. */
export async function keepWriting(book, writer, isOver) {
  while (!isOver()) {
    const write = (writer.pending = nextWrite(writer));
    const outcome = await writer.send(write);
    if (outcome.kind === "lost") return;
    writer.pending = undefined;
    if (outcome.kind === "done") acknowledge(book, writer, write, outcome.data);
    else if (outcome.kind === "busy") book.counts.busy += 1;
    else book.problems.push(`${writer.name}: ${describe(write)}: ${outcome.text}`);
  }
}

function describe({ noun, verb, record }) {
  return `${noun} ${verb} ${record.name}`;
}

function pick(random, all) {
  const list = [...all];
  return list[Math.floor(random() * list.length)];
}

/** Returns the next write of a writer, and the record expected afterwards. */
function nextWrite(writer) {
  const { random, records } = writer;
  const chance = random();
  const name = `${writer.name} ${(writer.number += 1)}`;
  if (chance < 0.12) {
    return { noun: "sender-id", verb: "create", record: { name, purpose: text(random) } };
  }
  const sender = pick(random, records["sender-id"].values());
  if (chance < 0.18 && sender !== undefined) {
    return { noun: "sender-id", verb: "delete", record: sender };
  }
  const group = pick(random, records.group.values());
  if (chance < 0.55 || group === undefined) {
    const fields = { name, send_birthday: random() < 0.5, birthday_message: text(random) };
    const record = { ...fields, send_holiday: null, sender: null, contacts: 0 };
    return { noun: "group", verb: "create", fields, record };
  }
  if (chance < 0.7) return { noun: "group", verb: "delete", record: group };
  if (chance < 0.73 && writer.importsContacts === true) {
    const count = 300;
    const record = { ...group, contacts: group.contacts + count };
    return { noun: "group", verb: "import", before: group, record, count };
  }
  const fields = {
    name,
    send_birthday: random() < 0.5,
    send_holiday: random() < 0.5,
    birthday_message: random() < 0.2 ? null : text(random),
    ...(sender === undefined || random() < 0.5 ? {} : { sender_id: sender.name }),
  };
  const { sender_id: chosen = group.sender, ...others } = fields;
  const record = { ...group, ...others, sender: chosen };
  return { noun: "group", verb: "update", fields, before: group, record };
}

function text(random) {
  return "Happy birthday, {first_name}! ".repeat(1 + Math.floor(random() * 8)).trim();
}

function acknowledge(book, writer, write, data) {
  book.counts.acknowledged += 1;
  const { noun, verb } = write;
  if (verb === "create" || verb === "update") {
    for (const [field, value] of Object.entries(write.fields ?? write.record)) {
      if (field === "sender_id" || data[field] === value) continue;
      book.problems.push(`${writer.name}: ${describe(write)}: response has another ${field}`);
    }
  }
  if (verb === "create") {
    if (data.created_at <= writer.newest)
      book.problems.push(`${describe(write)}: created_at does not ascend`);
    writer.newest = data.created_at;
    recordId(book, noun, data.id);
  }
  settle(writer, write, verb === "create" ? data.id : write.record.id);
}

/** Records the id of a new record. Ids are assigned once: ruling 21. */
export function recordId(book, noun, id) {
  if (book.assigned[noun].has(id)) book.problems.push(`id ${id} of a ${noun} was assigned twice`);
  book.assigned[noun].add(id);
}

/** Updates the expected records after a write. */
export function settle(writer, { noun, verb, record }, id) {
  const records = writer.records[noun];
  if (verb === "delete") records.delete(id);
  else records.set(id, { ...record, id });
  const isGone = verb === "delete" && noun === "sender-id";
  // Ruling 15: groups lose their sender ID.
  for (const group of isGone ? writer.records.group.values() : []) {
    if (group.sender === record.name) group.sender = null;
  }
}
