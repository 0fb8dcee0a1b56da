// Every request to the server goes through here, so every refusal arrives as one kind of error.

const AT_ONCE = 50;

export class Refused extends Error {
  constructor(message, hint, status, setting = null) {
    super(message);
    this.hint = hint;
    this.status = status;
    this.setting = setting;
  }
}

export async function ask(method, address, body, signal) {
  const json = body !== undefined && !(body instanceof FormData);
  let answer;
  try {
    answer = await fetch(address, {
      method,
      signal,
      headers: json ? { "content-type": "application/json" } : {},
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

// Files are sent some at a time, because a request may not hold any number of them: what was found out about each part.
export async function* upload(files) {
  for (let i = 0; i < files.length; i += AT_ONCE) {
    const form = new FormData();
    for (const file of files.slice(i, i + AT_ONCE)) form.append("file", file, file.place ?? file.name);
    yield (await askJson("POST", "/api/files", form)).files;
  }
}
