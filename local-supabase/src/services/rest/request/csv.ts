/** Parses CSV (RFC 4180). Undefined if the text is invalid, or its header does not end with a line break. */
export function parseCsv(source: string): readonly (readonly string[])[] | undefined {
  const records: string[][] = [];
  let position = 0;
  while (position < source.length) {
    const record: string[] = [];
    for (;;) {
      const field = readField(source, position);
      if (!field) return undefined;
      record.push(field.value);
      position = field.end;
      if (source[position] !== ',') break;
      position += 1;
    }
    const newline = /\r\n|\n|\r|$/y;
    newline.lastIndex = position;
    const found = newline.exec(source);
    if (!found) return undefined;
    position += found[0].length;
    const isBlank = record.length === 1 && record[0] === '';
    if (!isBlank) records.push(record);
    if (records.length < 2 && found[0] === '') return undefined;
  }
  return records;
}

function readField(
  source: string,
  start: number,
): { readonly value: string; readonly end: number } | undefined {
  if (source[start] !== '"') {
    const bare = /[^",\r\n]*/y;
    bare.lastIndex = start;
    const value = bare.exec(source)?.[0] ?? '';
    return { value, end: start + value.length };
  }
  const quoted = /"((?:[^"]|"")*)"/y;
  quoted.lastIndex = start;
  const found = quoted.exec(source);
  return found ? { value: (found[1] ?? '').replaceAll('""', '"'), end: start + found[0].length } : undefined;
}
