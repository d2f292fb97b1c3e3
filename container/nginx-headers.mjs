// Turns the headers for all pages in a `_headers` file into directives of nginx.
import { readFileSync } from 'node:fs';

const [, forAll = ''] = /^\/\*\n((?: {2}.*\n?)*)/.exec(readFileSync(process.argv[2], 'utf8')) ?? [];
for (const line of forAll.split('\n').filter(Boolean)) {
  const [, name, value] = /^ {2}([^:]+): (.*)$/.exec(line) ?? [];
  process.stdout.write(`add_header ${name} "${value.replaceAll('"', '\\"')}" always;\n`);
}
