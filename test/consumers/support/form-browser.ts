/** A page, or what it redirects to. */
interface Page {
  readonly response: Response;
  readonly text: string;
}

export interface FormBrowser {
  /** The cookies by name. */
  readonly jar: Map<string, string>;
  get(path: string): Promise<Page>;
  /**
   * Sends the form of a page that has a button of this text, with its hidden fields.
   *
   * @throws {Error} where the page has no such form.
   */
  submit(
    path: string,
    button: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly location: string | null; readonly text: string }>;
}

/** A browser without scripts: it keeps the cookies of responses, sends them, and submits forms. */
export function createFormBrowser(origin: string): FormBrowser {
  const jar = new Map<string, string>();
  const send = async (path: string, body?: FormData): Promise<Page> => {
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    const method = body ? 'POST' : 'GET';
    const init = { method, headers: { cookie, origin }, redirect: 'manual', ...(body && { body }) } as const;
    const response = await fetch(`${origin}${path}`, init);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0(;|$)/i.test(line)) jar.delete(name);
      else jar.set(name, decodeURIComponent(pair.slice(name.length + 1)));
    }
    return { response, text: await response.text() };
  };
  return {
    jar,
    get: (path) => send(path),
    async submit(path, button, fields) {
      const { text: page } = await send(path);
      const forms = page.match(/<form[^]*?<\/form>/g) ?? [];
      const form = forms.find((text) => buttonOf(text, button));
      if (!form) throw new Error(`No form of ${path} has a button "${button}": ${page}`);
      const body = new FormData();
      for (const input of form.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [])
        body.set(attributeOf(input, 'name'), attributeOf(input, 'value'));
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const pressed = buttonOf(form, button) ?? '';
      if (attributeOf(pressed, 'name')) body.set(attributeOf(pressed, 'name'), attributeOf(pressed, 'value'));
      const { response, text } = await send(path, body);
      return { status: response.status, location: locationOf(response), text };
    },
  };
}

const buttonOf = (form: string, text: string) =>
  (form.match(/<button[^>]*>[^<]*<\/button>/g) ?? []).find((button) => button.endsWith(`>${text}</button>`));
const attributeOf = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

/** The target without the origin, which servers add or leave out. */
function locationOf(response: Response): string | null {
  const location = response.headers.get('location');
  if (location === null) return null;
  const { pathname, search } = new URL(location, response.url);
  return pathname + search;
}
