// Requests to the server. An error has a message for people.

const LOST = "No connection to the server. It tries again when you do.";

async function answerOf(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Error(LOST);
  }
  if (response.ok) return response.json();
  let message = `The server answered with status ${response.status}.`;
  try {
    message = (await response.json()).error ?? message;
  } catch { /* no JSON: the message stays */ }
  const error = new Error(message);
  error.status = response.status;
  throw error;
}

export function getJson(path) {
  return answerOf(fetch(path));
}

export function postJson(path, body) {
  return answerOf(fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }));
}

// A value in the browser's storage; pages work without it too (private windows may refuse).
export function stored(key, fallback) {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch { /* as above */ }
}
