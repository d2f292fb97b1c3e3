import { failsafe } from './html-escapers.ts';
import { TemplateError } from './syntax.ts';

/** The context of a position in an HTML document, on which escaping depends. */
export interface HtmlContext {
  readonly state:
    | 'text'
    | 'comment'
    | 'tag'
    | 'attribute-name'
    | 'after-name'
    | 'before-value'
    | 'value'
    | 'rcdata'
    | 'style'
    | 'script';
  /** The element that the tag or the raw text belongs to; '' for elements without special content. */
  readonly element: '' | 'script' | 'style' | 'textarea' | 'title';
  readonly attribute: AttributeKind;
  readonly delimiter: '' | '"' | "'" | 'space';
  readonly urlPart: 'start' | 'path' | 'query' | 'ambiguous';
  /** Within CSS: plain, a string, `url(…)`, or a comment. */
  readonly css: 'plain' | '"' | "'" | 'url' | 'block-comment' | 'line-comment';
}

export type AttributeKind = 'plain' | 'url' | 'srcset' | 'style' | 'script';

export const textContext: HtmlContext = {
  state: 'text',
  element: '',
  attribute: 'plain',
  delimiter: '',
  urlPart: 'start',
  css: 'plain',
};

const urlAttributes: ReadonlySet<string> = new Set(
  'action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src usemap xmlns'.split(
    ' ',
  ),
);

/** The kind of an attribute's value. As in Go, names that look like URLs or handlers count as such. */
export function attributeKind(name: string): AttributeKind {
  const lower = name.toLowerCase();
  if (lower.startsWith('xmlns:')) return 'url';
  const base = lower.startsWith('data-') ? lower.slice(5) : lower.slice(lower.indexOf(':') + 1);
  if (urlAttributes.has(base)) return 'url';
  if (base === 'srcset') return 'srcset';
  if (base === 'style') return 'style';
  if (base.startsWith('on')) return 'script';
  return /src|uri|url/.test(base) ? 'url' : 'plain';
}

interface Step {
  readonly context: HtmlContext;
  readonly length: number;
  /** The text to print instead of the consumed text, if it differs. */
  readonly output?: string;
}

/** Processes literal text in a context. Returns the context after it and the text to print, without comments. */
export function followText(start: HtmlContext, text: string): { context: HtmlContext; output: string } {
  let context = start;
  let output = '';
  let rest = text;
  while (rest !== '') {
    const step = followOnce(context, rest);
    output += step.output ?? rest.slice(0, step.length);
    rest = rest.slice(step.length);
    context = step.context;
  }
  return { context, output };
}

function followOnce(context: HtmlContext, text: string): Step {
  switch (context.state) {
    case 'text':
      return followPlainText(context, text);
    case 'comment': {
      const end = text.indexOf('-->');
      return end === -1
        ? { context, length: text.length, output: '' }
        : { context: textContext, length: end + 3, output: '' };
    }
    case 'rcdata':
    case 'style':
    case 'script':
      return followRawText(context, text);
    case 'tag':
      return followTag(context, text);
    case 'attribute-name': {
      const [name = ''] = /^[^\s=>"'<]*/.exec(text) ?? [];
      return name === text
        ? { context, length: text.length }
        : { context: { ...context, state: 'after-name' }, length: name.length };
    }
    case 'after-name':
      return followAfterName(context, text);
    case 'before-value':
      return followBeforeValue(context, text);
    case 'value':
      return followValue(context, text);
  }
}

const special = new Set(['script', 'style', 'textarea', 'title']);
const elementOf = (name: string): HtmlContext['element'] =>
  special.has(name.toLowerCase()) ? (name.toLowerCase() as HtmlContext['element']) : '';

function followPlainText(context: HtmlContext, text: string): Step {
  const open = text.indexOf('<');
  if (open === -1) return { context, length: text.length };
  const before = text.slice(0, open);
  const rest = text.slice(open);
  if (rest.startsWith('<!--'))
    return { context: { ...textContext, state: 'comment' }, length: open + 4, output: before };
  const [tag, slash = '', name = ''] = /^<(\/?)([a-z][a-z\d]*(?:[:-][a-z\d]+)*)/i.exec(rest) ?? [];
  if (tag !== undefined) {
    const element = slash === '' ? elementOf(name) : '';
    return { context: { ...textContext, state: 'tag', element }, length: open + tag.length };
  }
  const isDoctype = /^<!doctype/i.test(rest);
  return { context, length: open + 1, output: before + (isDoctype ? '<' : '&lt;') };
}

/** Scripts, styles, titles and text areas, up to their end tag. */
function followRawText(context: HtmlContext, text: string): Step {
  const end = new RegExp(`</${context.element}[> \\t\\n\\f/]`, 'i').exec(text)?.index ?? text.length;
  if (end === 0) return { context: textContext, length: 0 };
  const body = text.slice(0, end);
  if (context.state === 'style') {
    const { css, output } = followCss(context.css, body, true);
    return { context: { ...context, css }, length: end, output };
  }
  if (context.state === 'script') return { context, length: end };
  return { context, length: end, output: body.replaceAll('<', '&lt;') };
}

function followTag(context: HtmlContext, text: string): Step {
  const [blank = ''] = /^[ \t\n\f\r]*/.exec(text) ?? [];
  const rest = text.slice(blank.length);
  if (rest === '') return { context, length: text.length };
  if (rest.startsWith('>')) return { context: contentOf(context.element), length: blank.length + 1 };
  const [name = ''] = /^[^\s=>"'<]+/.exec(rest) ?? [];
  if (name === '')
    throw new TemplateError(
      `expected space, attribute name or end of tag, got ${JSON.stringify(rest.slice(0, 20))}`,
    );
  const state = name === rest ? 'attribute-name' : 'after-name';
  return {
    context: { ...context, state, attribute: attributeKind(name) },
    length: blank.length + name.length,
  };
}

function contentOf(element: HtmlContext['element']): HtmlContext {
  if (element === '') return textContext;
  const state = element === 'style' || element === 'script' ? element : 'rcdata';
  return { ...textContext, state, element };
}

function followAfterName(context: HtmlContext, text: string): Step {
  const [blank = ''] = /^[ \t\n\f\r]*/.exec(text) ?? [];
  if (blank === text) return { context, length: text.length };
  return text[blank.length] === '='
    ? { context: { ...context, state: 'before-value' }, length: blank.length + 1 }
    : { context: { ...context, state: 'tag', attribute: 'plain' }, length: blank.length };
}

function followBeforeValue(context: HtmlContext, text: string): Step {
  const [blank = ''] = /^[ \t\n\f\r]*/.exec(text) ?? [];
  if (blank === text) return { context, length: text.length };
  const char = text[blank.length];
  const isQuote = char === '"' || char === "'";
  const delimiter = isQuote ? char : 'space';
  return {
    context: { ...context, state: 'value', delimiter, urlPart: 'start', css: 'plain' },
    length: blank.length + (isQuote ? 1 : 0),
  };
}

const valueEnd = { '"': /"/, "'": /'/, space: /[ \t\n\f\r>]/, '': /$/ } as const;

function followValue(context: HtmlContext, text: string): Step {
  const { delimiter, element } = context;
  const end = valueEnd[delimiter].exec(text)?.index ?? -1;
  const part = end === -1 ? text : text.slice(0, end);
  if (delimiter === 'space' && /["'<=`]/.test(part))
    throw new TemplateError(`unquoted attribute value with ${JSON.stringify(part)}`);
  if (end === -1) return { context: followValuePart(context, part), length: text.length };
  const after: HtmlContext = { ...textContext, state: 'tag', element };
  const isQuoted = delimiter !== 'space';
  return { context: after, length: end + (isQuoted ? 1 : 0) };
}

/** Decodes entities, as browsers do before they read a URL. */
const decodeNumeric = (text: string): string =>
  text.replaceAll(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex?: string, decimal?: string) =>
    String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
  );

function followValuePart(context: HtmlContext, part: string): HtmlContext {
  if (context.attribute === 'style') return { ...context, css: followCss(context.css, part, false).css };
  if (context.attribute !== 'url') return context;
  const url = decodeNumeric(part);
  if (/[#?]/.test(url)) return { ...context, urlPart: 'query' };
  const isStart = context.urlPart === 'start' && url.trim() !== '';
  return isStart ? { ...context, urlPart: 'path' } : context;
}

/** Processes CSS. As in Go, comments in a style element become a space. */
function followCss(
  start: HtmlContext['css'],
  text: string,
  dropsComments: boolean,
): { css: HtmlContext['css']; output: string } {
  let css = start;
  let output = '';
  for (let index = 0; index < text.length;) {
    const rest = text.slice(index);
    const [part, next] = readCss(css, rest);
    const isComment = css.endsWith('comment') || next.endsWith('comment');
    if (!isComment || !dropsComments) output += part;
    else if (css === 'block-comment') output += ' ';
    else if (css === 'line-comment' && next === 'plain') output += part.endsWith('\n') ? '\n' : '';
    else if (css === 'plain') output += part.replace(/\/[*/]$/, '');
    css = next;
    index += part.length;
  }
  return { css, output };
}

/** The next token of CSS and the state after it. */
function readCss(css: HtmlContext['css'], text: string): readonly [string, HtmlContext['css']] {
  const upTo = (pattern: RegExp, next: HtmlContext['css']): readonly [string, HtmlContext['css']] => {
    const [part] = pattern.exec(text) ?? [];
    return part === undefined ? [text, css] : [part, next];
  };
  switch (css) {
    case '"':
      return upTo(/^(?:[^"\\]|\\[\s\S])*"/, 'plain');
    case "'":
      return upTo(/^(?:[^'\\]|\\[\s\S])*'/, 'plain');
    case 'url':
      return upTo(/^[^)]*\)/, 'plain');
    case 'block-comment':
      return upTo(/^[\s\S]*?\*\//, 'plain');
    case 'line-comment':
      return upTo(/^[^\n\f\r]*[\n\f\r]/, 'plain');
    case 'plain': {
      const [part = text, mark] = /^[\s\S]*?("|'|\/\*|\/\/|url\()/i.exec(text) ?? [];
      if (mark === '"' || mark === "'") return [part, mark];
      if (mark === '/*') return [part, 'block-comment'];
      if (mark === '//') return [part, 'line-comment'];
      return [part, mark === undefined ? 'plain' : 'url'];
    }
  }
}

/** The context in which an action's value is printed. */
export function contextOfAction(context: HtmlContext): HtmlContext {
  if (context.state === 'tag' || context.state === 'after-name')
    return { ...context, state: 'attribute-name', attribute: 'plain' };
  if (context.state === 'before-value')
    return { ...context, state: 'value', delimiter: 'space', urlPart: 'start', css: 'plain' };
  return context;
}

const isSame = (left: HtmlContext, right: HtmlContext): boolean =>
  (Object.keys(left) as (keyof HtmlContext)[]).every((key) => left[key] === right[key]);

/** The context after two branches. Throws TemplateError if they end in different contexts. */
export function joinContexts(left: HtmlContext, right: HtmlContext, what: string, line: number): HtmlContext {
  if (isSame(left, right)) return left;
  if (isSame({ ...left, urlPart: right.urlPart }, right)) return { ...left, urlPart: 'ambiguous' };
  const [a, b] = [contextOfAction(left), contextOfAction(right)];
  const isNudged = !isSame(a, left) || !isSame(b, right);
  if (isNudged) return joinContexts(a, b, what, line);
  throw new TemplateError(
    `{{${what}}} branches end in different contexts: ${left.state}, ${right.state}`,
    line,
  );
}

/** Accepts plain attribute names only: a URL, script or style attribute would change how its value is read. */
export function filterName(text: string): string {
  const name = text.toLowerCase();
  return /^[a-z\d]+$/.test(name) && attributeKind(name) === 'plain' && !unsafeNames.has(name)
    ? name
    : failsafe;
}

const unsafeNames: ReadonlySet<string> = new Set(
  'async challenge charset content crossorigin defer enctype form formenctype formmethod formnovalidate keytype language method novalidate pattern rel sandbox srcdoc type value'.split(
    ' ',
  ),
);
