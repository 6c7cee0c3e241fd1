// Talks to the server: requests that are answered, and a socket over which news come, opened again when it breaks.

export class Refused extends Error {
  constructor(reason, status) {
    super(reason);
    this.status = status; // of HTTP; 0 when the server is not there
  }
}

export async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused("the server does not answer", 0);
  }
  const fields = await response.json().catch(() => ({}));
  if (response.status === 401) location.reload(); // the server has a new token: it asks for that in place of the page
  if (!response.ok) throw new Refused(fields.error || `status ${response.status}`, response.status);
  return fields;
}

const FIRST_PAUSE = 400, LONGEST_PAUSE = 4000; // milliseconds before the socket is opened again

export class Live {
  /** `take` gets each message, `change` whether the socket is open. */
  constructor(take, change) {
    this.take = take;
    this.change = change;
    this.pause = FIRST_PAUSE;
    this.open();
  }

  open() {
    const address = location.origin.replace(/^http/, "ws") + "/api/live";
    const socket = this.socket = new WebSocket(address);
    socket.onopen = () => { this.pause = FIRST_PAUSE; this.change(true); };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.change(false);
      ask("/api/setup").catch(() => {}); // a socket does not tell why it was refused
      setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(LONGEST_PAUSE, 2 * this.pause);
    };
  }

  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
