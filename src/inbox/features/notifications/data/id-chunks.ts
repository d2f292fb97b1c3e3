/** An id takes 37 characters of the URL, which is kept well below 8,000. */
const idsPerRequest = 100;

/** Sends one request per chunk of a list of ids, one after another, and joins the rows of their answers. */
export async function inIdChunks<Row>(
  ids: readonly string[],
  send: (chunk: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += idsPerRequest)
    rows.push(...(await send(ids.slice(start, start + idsPerRequest))));
  return rows;
}
