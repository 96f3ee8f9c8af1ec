/** A small client of the service: the operations that one application needs, on fetch alone. */
export function createClient(
  baseUrl = process.env.SENDCTL_BASE_URL,
  key = process.env.SENDCTL_SECRET_KEY,
) {
  async function call(method, path, body) {
    const response = await fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const { status, message, data } = await response.json();
    if (!response.ok || !status) throw new Error(`${response.status} ${message}`);
    return data;
  }

  return {
    groups: async () => (await call("GET", "/group?perPage=100")).data,
    createGroup: (name) => call("POST", "/group", { name }),
    /** Turns on birthday messages for the contacts of a group. */
    congratulate: (id, message) =>
      call("PUT", `/group/${id}`, { send_birthday: true, birthday_message: message }),
  };
}
