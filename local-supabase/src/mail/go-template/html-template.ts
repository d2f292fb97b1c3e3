import { execute } from './evaluate.ts';
import {
  contextOfAction,
  filterName,
  followText,
  type HtmlContext,
  joinContexts,
  textContext,
} from './html-context.ts';
import {
  escapeHtml,
  escapeUnquoted,
  escapeUrlPart,
  filterCssValue,
  filterSrcset,
  filterUrl,
  normalizeUrl,
  printValue,
} from './html-escapers.ts';
import { parseTemplate } from './parser.ts';
import type { ActionNode, Node, Pipeline, TextNode } from './syntax.ts';
import { TemplateError } from './syntax.ts';
import type { Value } from './values.ts';

/**
 * A template of Go's html/template: every value is escaped for its context.
 *
 * @see https://pkg.go.dev/html/template
 */
export interface HtmlTemplate {
  /** Renders the template. Throws TemplateError for an ambiguous context or a failing function. */
  render(data: Value): string;
}

/** Parses a template. Throws TemplateError for bad syntax; as in Go, `render` reports an ambiguous context. */
export function parseHtmlTemplate(source: string): HtmlTemplate {
  const nodes = parseTemplate(source);
  let plan: EscapePlan | undefined;
  return {
    render(data) {
      plan ??= planEscaping(nodes);
      const { texts, contexts } = plan;
      let output = '';
      execute(nodes, data, {
        text: (node) => void (output += texts.get(node) ?? node.text),
        value: (node, value) =>
          void (output += escapeIn(contexts.get(node) ?? textContext, node.pipeline, value)),
      });
      return output;
    },
  };
}

/** The context of each action and the processed texts. */
interface EscapePlan {
  readonly texts: ReadonlyMap<Node, string>;
  readonly contexts: ReadonlyMap<Node, HtmlContext>;
}

/** Processes the template's text through all branches. Throws TemplateError for ambiguous contexts. */
function planEscaping(nodes: readonly Node[]): EscapePlan {
  const texts = new Map<TextNode, string>();
  const contexts = new Map<ActionNode, HtmlContext>();

  function planList(list: readonly Node[], start: HtmlContext): HtmlContext {
    return list.reduce((context, node) => planNode(node, context), start);
  }

  function planNode(node: Node, context: HtmlContext): HtmlContext {
    switch (node.type) {
      case 'text': {
        const followed = followText(context, node.text);
        texts.set(node, followed.output);
        return followed.context;
      }
      case 'action': {
        if (node.pipeline.variables.length > 0) return context;
        const own = contextOfAction(context);
        checkAction(node, own);
        contexts.set(node, own);
        return own;
      }
      case 'break':
      case 'continue':
        return context;
      case 'if':
      case 'with':
      case 'range': {
        const body = planList(node.body, context);
        const again = node.type === 'range' ? joinContexts(context, body, node.type, node.line) : body;
        return joinContexts(again, planList(node.otherwise, context), node.type, node.line);
      }
    }
  }

  const end = planList(nodes, textContext);
  if (end.state !== 'text') throw new TemplateError(`ends in a non-text context: ${end.state}`);
  return { texts, contexts };
}

function checkAction({ line, pipeline }: ActionNode, context: HtmlContext): void {
  const inScript =
    context.state === 'script' || (context.state === 'value' && context.attribute === 'script');
  if (inScript) throw new TemplateError('an action within a script is not supported', line);
  if (isInCss(context) && !isCssComment(context) && context.css !== 'plain')
    throw new TemplateError(`an action within a CSS ${context.css} is not supported`, line);
  if (context.urlPart === 'ambiguous' && context.state === 'value')
    throw new TemplateError('an action in an ambiguous context within a URL', line);
  const escaper = pipeline.commands.findIndex((command) => escaperOf(command.operands[0]) !== undefined);
  if (escaper !== -1 && escaper < pipeline.commands.length - 1)
    throw new TemplateError('a predefined escaper must be the last command of a pipeline', line);
}

const isCssComment = ({ css }: HtmlContext): boolean => css === 'block-comment' || css === 'line-comment';
const isInCss = ({ state, attribute }: HtmlContext): boolean =>
  state === 'style' || (state === 'value' && attribute === 'style');

function escaperOf(
  operand: Pipeline['commands'][number]['operands'][number] | undefined,
): string | undefined {
  const name = operand?.type === 'function' ? operand.name : undefined;
  return name === 'html' || name === 'urlquery' ? name : undefined;
}

function escapeIn(context: HtmlContext, pipeline: Pipeline, value: Value): string {
  const text = printValue(value);
  const done = escaperOf(pipeline.commands.at(-1)?.operands[0]);
  switch (context.state) {
    case 'text':
    case 'rcdata':
      return done === 'html' ? text : escapeHtml(text);
    case 'comment':
      return '';
    case 'style':
      return isCssComment(context) ? '' : filterCssValue(text);
    case 'value': {
      const inner = escapeValue(context, text, done);
      if (done === 'html' && context.attribute === 'plain') return inner;
      return context.delimiter === 'space' ? escapeUnquoted(inner) : escapeHtml(inner);
    }
    case 'tag':
    case 'attribute-name':
    case 'after-name':
    case 'before-value':
    case 'script':
      return filterName(text);
  }
}

function escapeValue(context: HtmlContext, text: string, done: string | undefined): string {
  switch (context.attribute) {
    case 'url':
      if (context.urlPart === 'query') return done === 'urlquery' ? text : escapeUrlPart(text);
      return normalizeUrl(context.urlPart === 'start' ? filterUrl(text) : text);
    case 'srcset':
      return filterSrcset(text);
    case 'style':
      return filterCssValue(text);
    case 'plain':
    case 'script':
      return text;
  }
}
