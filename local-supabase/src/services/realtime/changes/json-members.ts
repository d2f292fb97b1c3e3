/**
 * Splits a JSON object into members with the JSON text of each value, because `JSON.parse` would round numbers. Expects
 * PostgreSQL's `jsonb` output: valid, with one space after each colon and comma.
 */
export function splitMembers(json: string): Record<string, string> {
  const members: [string, string][] = [];
  let position = 1;
  while (json[position] === '"') {
    const keyEnd = endOfString(json, position);
    const valueStart = keyEnd + 2;
    const valueEnd = endOfValue(json, valueStart);
    members.push([JSON.parse(json.slice(position, keyEnd)) as string, json.slice(valueStart, valueEnd)]);
    position = valueEnd + 2;
  }
  return Object.fromEntries(members);
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(json: string, index: number): boolean {
  let start = index;
  while (json[start - 1] === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < json.length) {
    const character = json[position];
    if (character === '"') {
      position = endOfString(json, position);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return position;
      depth -= 1;
    } else if (character === ',' && depth === 0) return position;
    position += 1;
  }
  return position;
}
