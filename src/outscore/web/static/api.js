// Every request to the server goes through here, so every refusal arrives as one kind of error.

import { number, size } from "./dom.js";
import { token } from "./memory.js";

const AT_ONCE = 50;
// What is smaller is there before it could be told.
const LARGE = 1e6;

export class Refused extends Error {
  constructor(message, hint, status, setting = null, cures = []) {
    super(message);
    Object.assign(this, { hint, status, setting, cures });
  }
}

const NO_ANSWER = () => new Refused("The server is not responding.", "Is `outscore serve` still running?", 0);

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
    throw NO_ANSWER();
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
  const { error = `The server answered ${answer.status}.`, hint = null, setting, cures } = said;
  return new Refused(error, hint, answer.status, setting, cures);
}

// Sends files and says how much of them is there; when all are, they are looked at, and the seconds go on.
function send(form, tell) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const began = Date.now(), seconds = () => Math.round((Date.now() - began) / 1000);
    let counting = 0;
    sending.open("POST", "/api/files");
    sending.setRequestHeader("authorization", `Bearer ${token()}`);
    sending.upload.addEventListener("progress", ({ loaded, total }) => {
      if (total > LARGE) tell(`${size(loaded)} of ${size(total)} sent`);
    });
    sending.upload.addEventListener("load", ({ total }) => {
      const look = () => { if (seconds() > 1) tell(`looking at ${size(total)}, ${seconds()} s`); };
      counting = setInterval(look, 1000);
    });
    sending.addEventListener("loadend", async () => {
      clearInterval(counting);
      if (!sending.status) return reject(NO_ANSWER());
      const answer = new Response(sending.response, { status: sending.status });
      if (answer.ok) resolve(await answer.json());
      else reject(await refusal(answer));
    });
    sending.send(form);
  });
}

// Files are sent some at a time, because a request may not hold any number of them. What was found out about each comes when
// all are there, and none is taken if some are refused: an answer from a part of them would look like one from all.
export async function upload(files, tell = (_text) => {}) {
  const stay = (event) => event.preventDefault(), there = [];
  addEventListener("beforeunload", stay);
  try {
    while (there.length < files.length) {
      const [first] = files, arrived = `${number(there.length)} of ${number(files.length)} files read`;
      const far = files.length > 1 ? arrived : `Reading ${first.name}`;
      tell(far);
      const form = new FormData();
      form.append("total", files.length);
      if (there.length) form.append("first", there[0].id);
      for (const file of files.slice(there.length, there.length + AT_ONCE)) form.append("file", file, file.place ?? file.name);
      there.push(...(await send(form, (text) => tell(`${far}: ${text}`))).files);
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
