import { readdir, readFile } from 'node:fs/promises';

/** An example of the vendor's documentation: the calls, their tables, and the published response. */
export interface PublishedExample {
  /** File, method and title, such as `PostgrestFilterBuilder.ts eq: With select()`. */
  readonly name: string;
  readonly sql: string;
  /** One expression for each call that leads to the response. */
  readonly calls: readonly string[];
  readonly response: Readonly<Record<string, unknown>>;
}

const sources = new URL('../../../node_modules/@supabase/postgrest-js/src/', import.meta.url);

/** Reads the examples with a response from the comments of the installed package. */
export async function readPublishedExamples(): Promise<readonly PublishedExample[]> {
  const files = (await readdir(sources)).filter((file) => /^Postgrest\w+\.ts$/.test(file)).toSorted();
  const examples = await Promise.all(
    files.map(async (file) => readExamples(file, await readFile(new URL(file, sources), 'utf8'))),
  );
  return examples.flat();
}

function readExamples(file: string, source: string): PublishedExample[] {
  return [...source.matchAll(/\/\*\*([\s\S]*?)\n\s*\*\/\s*(?:static |async )*(\w+)/g)].flatMap(
    ([, comment = '', method = '']) => {
      const text = comment.replaceAll(/^\s*\* ?/gm, '').replaceAll(String.raw`*\/`, '*/');
      const blocks = [
        ...text.matchAll(/@(example|exampleSql|exampleResponse) ([^\n]*)\n+\s*```\w*\n([\s\S]*?)\n\s*```/g),
      ];
      const block = (tag: string, title: string): string | undefined =>
        blocks.find((found) => found[1] === tag && found[2] === title)?.[3];
      return blocks.flatMap(([, tag, title = '', code = '']) => {
        const response = tag === 'example' ? parseResponse(block('exampleResponse', title) ?? '') : undefined;
        if (response === undefined) return [];
        const sql = (block('exampleSql', title) ?? '').replaceAll(/```\w*/g, '');
        const name = `${file} ${method}: ${title}`;
        return [{ name, sql, calls: readCalls(code), response }];
      });
    },
  );
}

const readCalls = (code: string): string[] =>
  code
    .split(/^\s*(?:const|let) .*?= await(?=\s)/m)
    .slice(1)
    .map((part) => part.split(/\n\s*\n|\n\s*(?:if|\/\/|console|setTimeout|const|let)\b/)[0] ?? '');

/** Parses a response, which may have comments and trailing commas. Undefined for types and plans, which are not JSON. */
function parseResponse(json: string): PublishedExample['response'] | undefined {
  try {
    return JSON.parse(
      json.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/,(\s*[\]}])/g, '$1'),
    ) as PublishedExample['response'];
  } catch {
    return undefined;
  }
}
