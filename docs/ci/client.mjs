/** A small client of the service: what one application needs of it, with nothing but fetch. */
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
    /** Congratulates the members of a group on their birthdays from now on. */
    congratulate: (id, message) =>
      call("PUT", `/group/${id}`, { send_birthday: true, birthday_message: message }),
  };
}
