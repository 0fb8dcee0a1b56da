// Every request to the server goes through here, so every refusal arrives as one kind of error.

import { number } from "./dom.js";
import { token } from "./memory.js";

const AT_ONCE = 50;

export class Refused extends Error {
  constructor(message, hint, status, setting = null) {
    super(message);
    this.hint = hint;
    this.status = status;
    this.setting = setting;
  }
}

export async function ask(method, address, body, signal, keepalive = false) {
  const json = body !== undefined && !(body instanceof FormData), known = { authorization: `Bearer ${token()}` };
  let answer;
  try {
    answer = await fetch(address, {
      method,
      signal,
      keepalive,
      headers: json ? { ...known, "content-type": "application/json" } : known,
      body: json ? JSON.stringify(body) : body,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The server is not responding.", "Is `outscore serve` still running?", 0);
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

export async function askJson(method, address, body, signal) {
  const answer = await ask(method, address, body, signal);
  return answer.status === 204 ? null : answer.json();
}

async function refusal(answer) {
  const said = await answer.json().catch(() => ({}));
  return new Refused(said.error ?? `The server answered ${answer.status}.`, said.hint ?? null, answer.status, said.setting);
}

// Files are sent some at a time, because a request may not hold any number of them. What was found out about each comes when
// all are there, and none is taken if some are refused: an answer from a part of them would look like one from all.
export async function upload(files, tell = () => null) {
  const stay = (event) => event.preventDefault(), there = [];
  addEventListener("beforeunload", stay);
  try {
    while (there.length < files.length) {
      tell(files.length > 1 ? `${number(there.length)} of ${number(files.length)} files read` : `Reading ${files[0].name}`);
      const form = new FormData();
      form.append("total", files.length);
      if (there.length) form.append("first", there[0].id);
      for (const file of files.slice(there.length, there.length + AT_ONCE)) form.append("file", file, file.place ?? file.name);
      there.push(...(await askJson("POST", "/api/files", form)).files);
    }
    return there;
  } catch (error) {
    for (const { id } of there) askJson("DELETE", `/api/files/${id}`).catch(() => null);
    const none = `None of the ${number(files.length)} files was taken.`;
    throw files.length > AT_ONCE ? Object.assign(error, { hint: [error.hint, none].filter(Boolean).join(" ") }) : error;
  } finally {
    removeEventListener("beforeunload", stay);
  }
}
