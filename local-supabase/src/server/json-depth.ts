import { requestLineOf } from '../http/request-line.ts';

/** Deeper JSON overflows the stack of a service that serializes it. GoTrue accepts 10,000 levels. */
export const maxJsonDepth = 2000;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** True when arrays and objects are nested deeper than `limit`. The text is assumed to be JSON. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === backslash) index += 1;
      else if (code === quote) isInString = false;
    } else if (code === quote) isInString = true;
    else if (opening.has(code)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (closing.has(code)) depth -= 1;
  }
  return false;
}

/** The bodies of uploads, which the storage service reads in parts and does not parse. */
export const isUpload = (target: string): boolean =>
  /^\/storage\/v1\/(?:upload|object\/(?!(?:list|list-v2|sign|copy|move|info)(?:\/|\?|$)))/.test(target);

/** The response to a request whose JSON body is nested too deeply; undefined for any other request. */
export async function refuseDeepJson(request: Request): Promise<Response | undefined> {
  const isJson = /\bjson\b/i.test(request.headers.get('content-type') ?? '');
  if (!isJson || request.body === null || isUpload(requestLineOf(request).target)) return undefined;
  if (!isDeeperThan(await request.clone().text(), maxJsonDepth)) return undefined;
  const message = `The JSON body is nested deeper than ${maxJsonDepth} levels`;
  return Response.json({ code: 'bad_json', error_code: 'bad_json', message, msg: message }, { status: 400 });
}
