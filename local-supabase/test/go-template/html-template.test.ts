import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseHtmlTemplate } from '../../src/mail/go-template/html-template.ts';

interface Recorded {
  readonly template: string;
  /** The output of Go's html/template; absent if it failed. */
  readonly output?: string;
  /** Whether Go failed while parsing or while running. */
  readonly fails?: 'parse' | 'run';
}

/** Printed by Go 1.26's html/template for the same templates and data. */
const { data, cases } = JSON.parse(readFileSync(new URL('go-output.json', import.meta.url), 'utf8')) as {
  readonly data: unknown;
  readonly cases: readonly Recorded[];
};

function render(template: string): Omit<Recorded, 'template'> {
  let parsed: ReturnType<typeof parseHtmlTemplate>;
  try {
    parsed = parseHtmlTemplate(template);
  } catch {
    return { fails: 'parse' };
  }
  try {
    return { output: parsed.render(data) };
  } catch {
    return { fails: 'run' };
  }
}

describe('a template has the output of Go', () => {
  it.each(cases.map(({ template, ...result }) => [template, result] as const))('%s', (template, result) => {
    expect(render(template)).toEqual(result);
  });
});

describe('a template', () => {
  it('reports the line of an error', () => {
    expect(() => parseHtmlTemplate('a\n{{ nosuch }}')).toThrow('line 2: function "nosuch" not defined');
    expect(() => parseHtmlTemplate('a\n\n{{ len 3 }}').render({})).toThrow('line 3: error calling len');
  });

  it.each(['{{ define "x" }}{{ end }}', '{{ template "x" }}', '{{ block "x" . }}{{ end }}'])(
    'rejects %s, which mails do not need',
    (source) => expect(() => parseHtmlTemplate(source)).toThrow('is not supported'),
  );

  it.each([
    '<script>var a = {{ .Token }}</script>',
    '<p onclick="f({{ .Token }})">',
    '<p style="font: \'{{ .Token }}\'">',
  ])('rejects a value within scripts and CSS strings: %s', (source) =>
    expect(() => parseHtmlTemplate(source).render({})).toThrow('is not supported'),
  );
});
